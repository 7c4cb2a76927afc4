//! The rules of the kitchen, one per file. Pure: no clock, no database, nothing that can wait.

pub mod adaptive;
pub mod business_day;
pub mod commands;
pub mod delay;
pub mod estimate;
pub mod exceptions;
pub mod intake;
pub mod lateness;
pub mod learning;
pub mod payment;
pub mod pricing;
pub mod projection;
pub mod promise;
mod queue;
pub mod replay;
pub mod revise;
#[cfg(test)]
mod samples;
pub mod sentences;
pub mod slip;
pub mod stats;
pub mod timetable;
pub mod used;
