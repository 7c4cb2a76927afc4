//! How long a reading may still take.

use std::time::{Duration, Instant};

use crate::Trouble;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    started: Instant,
    budget: Option<Duration>,
}

impl Clock {
    pub(crate) fn start(budget: Option<Duration>) -> Self {
        Self { started: Instant::now(), budget }
    }

    /// To be asked between steps.
    pub(crate) fn check(&self) -> Result<(), Trouble> {
        match self.budget {
            Some(budget) if self.started.elapsed() >= budget => Err(Trouble::Slow(budget)),
            Some(_) | None => Ok(()),
        }
    }

    /// The answer of a step that ran out of time by itself.
    pub(crate) fn exceeded(&self) -> Trouble {
        Trouble::Slow(self.budget.unwrap_or_default())
    }

    /// What is left, for a step that watches the time by itself.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.budget.map(|budget| budget.saturating_sub(self.started.elapsed()))
    }
}
