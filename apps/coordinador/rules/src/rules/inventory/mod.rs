//! What a run changes in the inventory (F-3.2, F-3.3): from the rows that are known and the
//! rows that came, the changes. Customers are never taken for gone on weak evidence.

mod discovery;
mod get;
mod state;
mod value;

pub use discovery::{Change, Count, Known, Sighting, Trust, Verdict, Walk, after_discovery};
pub use get::{Answer, Fault, Got, Numbers, Target, Written, after_get, numbers};
pub use state::{States, states};
pub use value::{Raw, read, written};
