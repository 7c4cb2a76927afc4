//! When the next backup is due, and whether the last good one is too old. Pure.

use jiff::{SignedDuration, Timestamp};

/// After a failure the next try comes this soon, or with the next backup if that is sooner.
const RETRY: SignedDuration = SignedDuration::from_mins(10);

/// What is known of the backups so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct History {
    /// Somebody is writing one.
    pub running: bool,
    /// When the first ever was begun.
    pub first: Option<Timestamp>,
    /// The last good one: when it was begun, and what it could not hold.
    pub good: Option<(Timestamp, Option<String>)>,
    /// The last one that failed after that: when it ended, and why.
    pub failed: Option<(Timestamp, String)>,
}

/// What is wrong with the backups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// No good one for twice the time between two of them.
    Old {
        since: Timestamp,
        why: Option<String>,
    },
    Failed(String),
    /// The last good one lacks something.
    Incomplete(String),
}

/// When the next one is to be begun. A clock that was set back does not put it off: nothing that was
/// begun in the future counts for longer than one interval.
pub(super) fn next(history: &History, every: SignedDuration, now: Timestamp) -> Timestamp {
    let regular = history.good.as_ref().map(|(at, _)| *at + every);
    let again = history.failed.as_ref().map(|(at, _)| *at + RETRY.min(every));
    regular.max(again).unwrap_or(now).min(now + every)
}

pub(super) fn trouble(history: &History, every: SignedDuration, now: Timestamp) -> Option<Trouble> {
    let why = history.failed.as_ref().map(|(_, why)| why.clone());
    let since = history.good.as_ref().map(|(at, _)| *at).or(history.first);
    if let Some(since) = since.filter(|since| now.duration_since(*since) > every * 2) {
        return Some(Trouble::Old { since, why });
    }
    let lacks = || history.good.as_ref().and_then(|(_, lacks)| lacks.clone());
    why.map(Trouble::Failed).or_else(|| lacks().map(Trouble::Incomplete))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: SignedDuration = SignedDuration::from_hours(24);

    fn at(hours: i64) -> Timestamp {
        "2026-05-04T00:00:00Z".parse::<Timestamp>().unwrap() + SignedDuration::from_hours(hours)
    }

    fn history(good: Option<i64>, failed: Option<i64>) -> History {
        History {
            running: false,
            first: good.or(failed).map(at),
            good: good.map(|hours| (at(hours), None)),
            failed: failed.map(|hours| (at(hours), "no space".to_owned())),
        }
    }

    #[test]
    fn the_first_is_due_at_once_and_then_one_each_interval() {
        assert_eq!(next(&history(None, None), DAY, at(5)), at(5));
        assert_eq!(next(&history(Some(5), None), DAY, at(6)), at(29));
        assert!(next(&history(Some(5), None), DAY, at(99)) < at(99), "overdue");
    }

    #[test]
    fn a_failure_is_tried_again_soon_but_not_at_once() {
        assert_eq!(next(&history(Some(0), Some(25)), DAY, at(25)), at(25) + RETRY);
        assert_eq!(next(&history(None, Some(25)), DAY, at(25)), at(25) + RETRY);
        let minute = SignedDuration::from_mins(1);
        assert_eq!(next(&history(None, Some(25)), minute, at(25)), at(25) + minute);
    }

    #[test]
    fn a_clock_set_back_puts_nothing_off() {
        assert_eq!(next(&history(Some(500), None), DAY, at(5)), at(5) + DAY);
    }

    #[test]
    fn what_is_wrong_is_told_by_its_weight() {
        let told = |history: &History, now| trouble(history, DAY, now);
        assert_eq!(told(&history(Some(0), None), at(47)), None);
        let old = Trouble::Old { since: at(0), why: None };
        assert_eq!(told(&history(Some(0), None), at(49)), Some(old));
        let failed = Trouble::Failed("no space".to_owned());
        assert_eq!(told(&history(Some(0), Some(25)), at(26)), Some(failed));
        let old = Trouble::Old { since: at(3), why: Some("no space".to_owned()) };
        assert_eq!(told(&history(None, Some(3)), at(60)), Some(old), "never a good one");
        let mut lacking = history(Some(0), None);
        lacking.good = Some((at(0), Some("1 file".to_owned())));
        assert_eq!(told(&lacking, at(1)), Some(Trouble::Incomplete("1 file".to_owned())));
    }
}
