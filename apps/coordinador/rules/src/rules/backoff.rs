//! An OLT that does not answer: 15 s, then 60 s, then every 5 minutes one probe.

use jiff::Timestamp;

use super::due::later;
use crate::{model::Backoff, policy::ProbePolicy};

/// A run that began at `began` found nobody there. One that began before the OLT was due for a
/// probe belongs to the failure that is known already.
pub fn failed(
    known: Option<Backoff>,
    policy: &ProbePolicy,
    began: Timestamp,
    now: Timestamp,
) -> Backoff {
    match standing(known, policy, now) {
        Some(known) if began < known.until => known,
        Some(known) => {
            let failures = known.failures.saturating_add(1);
            Backoff { failures, since: known.since, until: later(now, delay(policy, failures)) }
        }
        None => Backoff { failures: 1, since: now, until: later(now, delay(policy, 1)) },
    }
}

/// What is known of an OLT, unless it ends later than any wait is long: that was written before the
/// clock was set back.
pub fn standing(known: Option<Backoff>, policy: &ProbePolicy, now: Timestamp) -> Option<Backoff> {
    let longest = policy.delays.iter().copied().max().unwrap_or_default();
    known.filter(|known| known.until <= later(now, longest))
}

fn delay(policy: &ProbePolicy, failures: u32) -> jiff::SignedDuration {
    let [first, second, rest] = policy.delays;
    match failures {
        0 | 1 => first,
        2 => second,
        3.. => rest,
    }
}

/// Any answer ends it; what is returned is worth an event.
pub const fn answered(known: Option<Backoff>) -> Option<Recovered> {
    match known {
        Some(known) => Some(Recovered { since: known.since, failures: known.failures }),
        None => None,
    }
}

/// *Recuperada*.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recovered {
    pub since: Timestamp,
    pub failures: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::samples::{at, secs};

    #[test]
    fn a_clock_set_back_makes_nobody_wait() {
        let policy = ProbePolicy::default();
        let known = failed(None, &policy, at("12:00:00"), at("12:00:00"));
        assert_eq!(standing(Some(known), &policy, at("12:00:00")), Some(known));
        assert_eq!(standing(Some(known), &policy, at("10:00:00")), None);
        let again = failed(Some(known), &policy, at("10:00:00"), at("10:00:00"));
        assert_eq!((again.failures, again.since), (1, at("10:00:00")));
    }

    #[test]
    fn one_probe_per_step() {
        let policy = ProbePolicy::default();
        let mut known = None;
        let mut now = at("10:00:00");
        let mut waits = Vec::new();
        for _ in 0..5 {
            let backoff = failed(known, &policy, now, now);
            waits.push(backoff.until.duration_since(now));
            now = backoff.until;
            known = Some(backoff);
        }
        assert_eq!(waits, [15, 60, 300, 300, 300].map(secs));
        let recovered = answered(known).unwrap();
        assert_eq!((recovered.since, recovered.failures), (at("10:00:00"), 5));
        assert_eq!(answered(None), None);
    }

    #[test]
    fn runs_that_fail_together_are_one_failure() {
        let policy = ProbePolicy::default();
        let first = failed(None, &policy, at("10:00:00"), at("10:00:05"));
        assert_eq!(failed(Some(first), &policy, at("10:00:01"), at("10:00:06")), first);
    }
}
