//! Decisions. Pure: a snapshot and an instant in, a plan out.

pub mod aftermath;
pub mod analysis;
pub mod balance;
pub mod calendar;
pub mod deploy;
pub mod doubt;
pub mod import;
pub mod launch;
#[cfg(test)]
mod month;
pub mod reason;
pub mod reconcile;
#[cfg(test)]
pub(crate) mod samples;
pub mod sweep;
pub mod sync;
pub mod why;
pub mod world;
