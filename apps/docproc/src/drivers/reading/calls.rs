//! Calls to other services that are under way, and which of them hang.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

/// When each call began, by its message.
#[derive(Debug, Default)]
pub(super) struct Calls(HashMap<i64, Instant>);

impl Calls {
    pub(super) fn begin(&mut self, message: i64) {
        self.0.insert(message, Instant::now());
    }

    pub(super) fn end(&mut self, message: i64) {
        self.0.remove(&message);
    }

    /// How many calls have lasted longer than this.
    pub(super) fn hanging(&self, timeout: Duration) -> usize {
        self.0.values().filter(|began| began.elapsed() >= timeout).count()
    }

    /// How long until the next call has, if nobody answers.
    pub(super) fn until_hangs(&self, timeout: Duration) -> Option<Duration> {
        let left = |began: &Instant| timeout.checked_sub(began.elapsed());
        self.0.values().filter_map(left).min()
    }
}
