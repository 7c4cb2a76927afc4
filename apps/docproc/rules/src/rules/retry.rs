//! What follows a stage that failed.

use std::time::Duration;

use engine::Backoff;
use jiff::Timestamp;

use super::workflow::Retry;

/// Why a stage gave no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// For programs: `PDF_ENCRYPTED`.
    pub code: String,
    /// For people.
    pub detail: String,
    /// Whether trying again could help.
    pub lasting: bool,
}

/// The files cannot be had: no fault of the message that found out.
pub const STORAGE_AWAY: &str = "STORAGE_AWAY";

impl Trouble {
    /// Something that everybody needs is away. What waits for it waits as long as that lasts.
    pub fn is_outage(&self) -> bool {
        self.code == STORAGE_AWAY
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Again {
        at: Timestamp,
    },
    /// The same, and this try did not count.
    Waits {
        at: Timestamp,
    },
    /// To the dead letters, and the request fails.
    Dead,
}

/// How often it is looked whether an outage is over.
const OUTAGE: Duration = Duration::from_secs(4);

/// `attempt` counts from 1; `jitter` is in 0..=1.
pub fn after(
    trouble: &Trouble,
    attempt: u32,
    retry: Retry,
    now: Timestamp,
    jitter: f64,
) -> Verdict {
    if trouble.is_outage() {
        let wait = OUTAGE.mul_f64(0.5 + jitter.clamp(0.0, 1.0) / 2.0);
        return Verdict::Waits { at: now.checked_add(wait).unwrap_or(Timestamp::MAX) };
    }
    if trouble.lasting || attempt >= retry.attempts {
        return Verdict::Dead;
    }
    let wait = Backoff::new(retry.base, retry.cap).delay(attempt.saturating_sub(1), jitter);
    let at = now.checked_add(wait.max(Duration::from_millis(1))).unwrap_or(Timestamp::MAX);
    Verdict::Again { at }
}

/// What a message for somebody outside may cost beside its tries: workers that are restarted in order
/// give letters back too.
const UNANSWERED: u32 = 5;

/// A letter that somebody outside had in hand came back without a result, for the nth time: whether
/// the message is to blame.
pub fn is_deadly(unanswered: u32, retry: Retry) -> bool {
    unanswered >= retry.attempts.saturating_add(UNANSWERED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trouble(lasting: bool) -> Trouble {
        Trouble { code: "X".into(), detail: "x".into(), lasting }
    }

    #[test]
    fn letters_that_come_back_are_bounded_too() {
        let retry = Retry { attempts: 3, ..Retry::default() };
        let deadly: Vec<u32> = (0..20).filter(|n| is_deadly(*n, retry)).collect();
        assert_eq!(deadly, (8..20).collect::<Vec<_>>());
    }

    #[test]
    fn tries_are_bounded_and_a_lasting_fault_gets_none() {
        let now = Timestamp::UNIX_EPOCH;
        let retry = Retry { attempts: 3, ..Retry::default() };
        let verdict = |attempt| after(&trouble(false), attempt, retry, now, 1.0);
        assert_eq!(verdict(1), Verdict::Again { at: now + Duration::from_secs(1) });
        assert_eq!(verdict(2), Verdict::Again { at: now + Duration::from_secs(2) });
        assert_eq!(verdict(3), Verdict::Dead);
        assert_eq!(after(&trouble(true), 1, retry, now, 1.0), Verdict::Dead);
        let away = Trouble { code: STORAGE_AWAY.into(), ..trouble(false) };
        let at = now + Duration::from_secs(4);
        assert_eq!(after(&away, 100, retry, now, 1.0), Verdict::Waits { at });
    }
}
