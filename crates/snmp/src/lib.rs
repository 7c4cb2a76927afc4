//! SNMP as a manager of many devices needs it.
//!
//! [`Fleet`] speaks v1, v2c and v3 to any number of devices through one socket: it asks whether one
//! is alive, walks a column of a table, and gets many values. It decides nothing: each call ends in
//! what was read or in a [`Fault`]. A walk that did not see the end of its column is a fault, never
//! a short answer, so that nobody takes a broken line for devices that disappeared.
//!
//! [`sim`] is a fleet of OLTs to talk to, with everything that can go wrong.
//!
//! Nothing of the library underneath shows through: addresses, names, values and credentials are
//! types of this crate, and secrets appear in no error, log or `Debug`.

mod credential;
mod fault;
mod fleet;
mod get;
mod lanes;
mod oid;
pub mod sim;
mod target;
mod value;
mod walk;
mod wire;

pub use credential::{AuthProtocol, Credential, PrivacyProtocol, Secret};
pub use fault::Fault;
pub use fleet::{Fleet, Liveness};
pub use get::{Answer, Get, Got};
pub use oid::{BadOid, Oid};
pub use target::Target;
pub use tokio_util::sync::CancellationToken;
pub use value::{Kind, Missing, Value};
pub use walk::{Row, Walk, Walked};
