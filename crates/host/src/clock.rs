//! What time it is.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

/// The only place that knows what time it is. Rules and SQL are told.
#[derive(Clone, Debug)]
pub enum Clock {
    Real,
    /// Stands still until moved; see `POST /debug/clock`.
    Manual(Arc<Mutex<Timestamp>>),
}

impl Clock {
    pub fn manual(start: Timestamp) -> Self {
        Self::Manual(Arc::new(Mutex::new(start)))
    }

    pub fn is_manual(&self) -> bool {
        matches!(self, Self::Manual(_))
    }

    /// Whole microseconds, the resolution both databases keep.
    pub fn now(&self) -> Timestamp {
        let now = match self {
            Self::Real => Timestamp::now(),
            Self::Manual(now) => *now.lock().unwrap_or_else(PoisonError::into_inner),
        };
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }

    /// The time outside, whatever a manual clock says: for what is about processes, not business.
    pub fn real(&self) -> Timestamp {
        Self::Real.now()
    }

    /// Moves a manual clock; time never goes back.
    pub(crate) fn set(&self, to: Timestamp) {
        if let Self::Manual(now) = self {
            let mut now = now.lock().unwrap_or_else(PoisonError::into_inner);
            *now = to.max(*now);
        }
    }
}
