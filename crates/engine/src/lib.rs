//! The pure vocabulary shared by every application: no async, no I/O, no clock.
//!
//! A concept lives here only when several applications need it with the same meaning. Time is
//! always an argument, so that a rule gives the same answer in a test, a replay and in service.

mod id;

pub mod capacity;
pub mod chance;
pub mod deadline;
pub mod lifecycle;
pub mod plan;
pub mod retry;
pub mod role;
pub mod sentence;
pub mod sheet;
pub mod value;
pub mod word;

pub use capacity::Capacity;
pub use chance::Chance;
pub use deadline::{Standing, Window};
pub use lifecycle::{Lifecycle, allows, mermaid};
pub use plan::{Plan, Planned};
pub use retry::Backoff;
pub use role::Roles;
pub use sentence::Sentence;
/// For the macros of this crate.
#[doc(hidden)]
pub use serde;
pub use value::Value;
pub use word::Word;
