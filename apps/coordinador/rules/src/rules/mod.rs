//! Decisions. Pure: a snapshot and an instant in, a plan out.

pub mod backoff;
pub mod catalogue;
pub mod chain;
#[cfg(test)]
mod day;
pub mod dispatch;
pub mod due;
pub mod feasibility;
pub mod formula;
pub mod inventory;
pub mod quota;
pub mod reason;
#[cfg(test)]
pub(crate) mod samples;
pub mod spread;
pub mod sweep;
pub mod template;
pub mod unit;
pub mod why;
pub mod world;
