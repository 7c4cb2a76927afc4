//! What ended long ago is forgotten.

use engine::Plan;
use jiff::{SignedDuration, Timestamp};

/// Everything that ended before that instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forget {
    pub before: Timestamp,
}

pub fn plan(
    history: SignedDuration,
    oldest: Option<Timestamp>,
    now: Timestamp,
) -> Plan<Forget, ()> {
    let before = now - history;
    let old = oldest.filter(|oldest| *oldest < before);
    Plan { changes: old.map(|_| Forget { before }).into_iter().collect(), held: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_older_than_the_history_is_forgotten_once() {
        let now: Timestamp = "2026-03-02T10:00:00Z".parse().unwrap();
        let day = SignedDuration::from_hours(24);
        let forget = plan(day, Some(now - day * 2), now);
        assert_eq!(forget.changes, [Forget { before: now - day }]);
        assert!(plan(day, Some(now - day), now).is_settled());
        assert!(plan(day, None, now).is_settled());
    }
}
