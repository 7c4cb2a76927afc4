//! Calls to other services that are under way, and which of them hang.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

/// By message, since when.
#[derive(Debug, Default)]
pub(super) struct Calls(HashMap<i64, Instant>);

impl Calls {
    pub(super) fn begin(&mut self, message: i64) {
        self.0.insert(message, Instant::now());
    }

    pub(super) fn end(&mut self, message: i64) {
        self.0.remove(&message);
    }

    /// How many last longer than this.
    pub(super) fn hanging(&self, patience: Duration) -> usize {
        self.0.values().filter(|began| began.elapsed() >= patience).count()
    }

    /// How long until one more does, if nobody answers.
    pub(super) fn until_hangs(&self, patience: Duration) -> Option<Duration> {
        let left = |began: &Instant| patience.checked_sub(began.elapsed());
        self.0.values().filter_map(left).min()
    }
}
