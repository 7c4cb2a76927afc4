//! Bounds what interpreting a page may cost.

use std::time::Duration;

use crate::Broken;
use crate::guard::{self, Deadline};

/// Adds up estimated work and watches the clock. Every drawing call of the interpreter passes
/// here, and nothing loops in it without drawing: forms nested in forms set a clip each time.
pub(super) struct Meter {
    deadline: Deadline,
    left: u64,
    calls: u32,
}

impl Meter {
    pub(super) fn new(deadline: Deadline, budget: Duration) -> Self {
        let left = u64::try_from(budget.as_nanos()).unwrap_or(u64::MAX);
        Self { deadline, left, calls: 0 }
    }

    /// Pays for a call, or leaves the interpreter.
    pub(super) fn pay(&mut self, nanoseconds: f64) {
        // A cast of what is not a number or too large saturates.
        match self.left.checked_sub(nanoseconds.abs() as u64) {
            Some(left) => self.left = left,
            None => guard::stop(self.deadline.slow()),
        }
        self.calls = self.calls.wrapping_add(1);
        if self.calls.is_multiple_of(64) {
            self.deadline.check().unwrap_or_else(|broken: Broken| guard::stop(broken));
        }
    }
}
