//! *Programaciones*: when a schedule is due (§3.2, §4.1). One truth for the launcher, the
//! overlap check, the preview and the report of missed slots.
//!
//! A schedule has exactly one slot on every date of its pattern. The slot belongs to the date it
//! starts on, also after midnight; that date is its identity (F-PS1 to F-PS4).

pub mod check;
mod dates;
mod face;
mod firings;
mod overlap;
mod sentence;
mod slot;
mod windows;

#[cfg(test)]
mod properties;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod scenarios;

pub use check::{Timing, Wanted, Wrong, check};
pub use dates::runs_on;
pub use face::{Face, Faces};
pub use firings::firings;
pub use overlap::{Planned, are_apart, overlap};
pub use sentence::sentence;
pub use slot::{Slot, slot};
pub use windows::{closed, next_run, next_start, occurrences, open, rested};
