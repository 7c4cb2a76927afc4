//! The only place that knows the time: real, stopped, or moved by hand.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::Instant,
};

use jiff::{SignedDuration, Timestamp};

/// A clock that lost less than this was not set back: it was read twice.
const UNSTEADY: SignedDuration = SignedDuration::from_secs(1);

/// The only place that knows what time it is. Rules and SQL are told.
#[derive(Clone, Debug)]
pub enum Clock {
    Real,
    /// Stands still until moved; see `POST /debug/clock`.
    Manual(Arc<Mutex<Timestamp>>),
    /// Stands in the past while a demonstration lives it, then runs with the real one.
    Lived(Arc<Mutex<Option<Timestamp>>>),
    /// Runs beside the real one by so many microseconds, and can be set wrong: for tests of what a
    /// machine does whose clock is set.
    Wrong(Arc<AtomicI64>),
}

impl Clock {
    pub fn manual(start: Timestamp) -> Self {
        Self::Manual(Arc::new(Mutex::new(start)))
    }

    pub(crate) fn lived(start: Timestamp) -> Self {
        Self::Lived(Arc::new(Mutex::new(Some(start))))
    }

    pub fn wrong() -> Self {
        Self::Wrong(Arc::default())
    }

    /// Sets a wrong clock ahead or back; it runs on from there.
    pub fn set_wrong(&self, by: SignedDuration) {
        if let Self::Wrong(offset) = self {
            offset.fetch_add(i64::try_from(by.as_micros()).unwrap_or(0), Ordering::Relaxed);
        }
    }

    /// Whether it stands still until it is moved.
    pub fn is_manual(&self) -> bool {
        match self {
            Self::Manual(_) => true,
            Self::Lived(at) => at.lock().unwrap_or_else(PoisonError::into_inner).is_some(),
            Self::Real | Self::Wrong(_) => false,
        }
    }

    /// Whether it runs once the past is lived.
    pub(crate) fn runs_on(&self) -> bool {
        matches!(self, Self::Lived(_))
    }

    /// The past is lived: from here on it runs with the real one.
    pub(crate) fn run_on(&self) {
        if let Self::Lived(at) = self {
            *at.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    /// Whole microseconds, the resolution both databases keep.
    pub fn now(&self) -> Timestamp {
        let now = match self {
            Self::Real => Timestamp::now(),
            Self::Manual(now) => *now.lock().unwrap_or_else(PoisonError::into_inner),
            Self::Lived(at) => {
                at.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or_else(Timestamp::now)
            }
            Self::Wrong(offset) => {
                Timestamp::now() + SignedDuration::from_micros(offset.load(Ordering::Relaxed))
            }
        };
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }

    /// The time outside, whatever a manual clock says: for what is about processes, not business.
    pub fn real(&self) -> Timestamp {
        match self {
            Self::Real | Self::Manual(_) | Self::Lived(_) => Self::Real.now(),
            Self::Wrong(_) => self.now(),
        }
    }

    /// Moves a manual clock; time never goes back.
    pub(crate) fn set(&self, to: Timestamp) {
        match self {
            Self::Manual(now) => {
                let mut now = now.lock().unwrap_or_else(PoisonError::into_inner);
                *now = to.max(*now);
            }
            Self::Lived(at) => {
                let mut at = at.lock().unwrap_or_else(PoisonError::into_inner);
                *at = at.map(|now| to.max(now));
            }
            Self::Real | Self::Wrong(_) => {}
        }
    }
}

/// Notices that a clock was set back, by another that never is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steady {
    at: Instant,
    said: Timestamp,
}

impl Steady {
    pub(crate) fn new(said: Timestamp) -> Self {
        Self { at: Instant::now(), said }
    }

    /// By how much the clock was set back since it was last looked at.
    pub(crate) fn set_back(&mut self, said: Timestamp) -> SignedDuration {
        let (before, now) = (*self, Self::new(said));
        *self = now;
        let passed = now.at.saturating_duration_since(before.at);
        let passed = SignedDuration::try_from(passed).unwrap_or(SignedDuration::MAX);
        let lost = passed.saturating_sub(said.duration_since(before.said));
        if lost > UNSTEADY { lost } else { SignedDuration::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_set_back_is_noticed_once_and_one_set_ahead_is_none() {
        let clock = Clock::wrong();
        let mut steady = Steady::new(clock.now());
        assert_eq!(steady.set_back(clock.now()), SignedDuration::ZERO);
        clock.set_wrong(SignedDuration::from_hours(-2));
        let lost = steady.set_back(clock.now());
        assert!((lost - SignedDuration::from_hours(2)).abs() < UNSTEADY, "{lost}");
        assert_eq!(steady.set_back(clock.now()), SignedDuration::ZERO, "it is known");
        clock.set_wrong(SignedDuration::from_hours(3));
        assert_eq!(steady.set_back(clock.now()), SignedDuration::ZERO);
    }
}
