//! The pure vocabulary shared by every application: no async, no I/O, no clock.
//!
//! A concept lives here only when several applications need it with the same meaning. Time is
//! always an argument, so that a rule gives the same answer in a test, a replay and in service.

pub mod capacity;
pub mod deadline;
pub mod lifecycle;
pub mod plan;
pub mod retry;

pub use capacity::Capacity;
pub use deadline::{Standing, Window};
pub use lifecycle::{Lifecycle, allows, mermaid};
pub use plan::Plan;
pub use retry::Backoff;
