//! Slows down whoever guesses passwords.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use jiff::{SignedDuration, Timestamp};

const FAILURES_ALLOWED: u32 = 5;
const FAILURE_WINDOW: SignedDuration = SignedDuration::from_mins(15);
/// Made-up names must not fill the memory.
const NAMES: usize = 10_000;

/// Slows guessing down: after five failures a name rests for a quarter of an hour.
#[derive(Debug, Default)]
pub(crate) struct LoginGuard(Mutex<HashMap<String, (u32, Timestamp)>>);

impl LoginGuard {
    pub(crate) fn may_try(&self, name: &str, now: Timestamp) -> bool {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failures.retain(|_, (_, since)| now.duration_since(*since) < FAILURE_WINDOW);
        failures.get(name).is_none_or(|(count, _)| *count < FAILURES_ALLOWED)
    }

    pub(crate) fn failed(&self, name: &str, now: Timestamp) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= NAMES && !failures.contains_key(name) {
            let oldest = failures.iter().min_by_key(|(_, (_, since))| *since);
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                failures.remove(&oldest);
            }
        }
        failures.entry(name.to_owned()).or_insert((0, now)).0 += 1;
    }

    pub(crate) fn succeeded(&self, name: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_rests_after_five_failures() {
        let guard = LoginGuard::default();
        let start = Timestamp::UNIX_EPOCH;
        for _ in 0..FAILURES_ALLOWED {
            assert!(guard.may_try("ana", start));
            guard.failed("ana", start);
        }
        assert!(!guard.may_try("ana", start));
        assert!(guard.may_try("bea", start));
        assert!(guard.may_try("ana", start + FAILURE_WINDOW));
    }

    #[test]
    fn made_up_names_do_not_pile_up() {
        let guard = LoginGuard::default();
        for index in 0..NAMES + 5 {
            guard.failed(&index.to_string(), Timestamp::UNIX_EPOCH);
        }
        assert_eq!(guard.0.lock().unwrap().len(), NAMES);
    }
}
