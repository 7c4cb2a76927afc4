//! Says of which type a page is: invoice, receipt, contract and so on.
//!
//! A linear model over words, pieces of words and the look of the page, small enough to ship inside
//! the binary and honest about what it does not know: its probabilities are calibrated on pages it
//! did not learn from.

mod continuity;
mod features;
mod model;
mod report;
mod topics;
mod trainer;

pub use continuity::{Evidence, first_page_evidence};
pub use model::{Classifier, ModelError, OTHER};
pub use report::{Bin, Report};
pub use trainer::{TrainError, Trainer};
