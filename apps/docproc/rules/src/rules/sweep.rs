//! What time alone ends (§5.3, R-14b), and what is left behind by a process that is gone.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use engine::{Backoff, Plan};
use jiff::{SignedDuration, Timestamp};

/// Something that waits, or is kept, since an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasting<Id> {
    pub id: Id,
    pub since: Timestamp,
}

/// What has lasted its time is over; of the rest it is known until when.
pub fn over<Id: Clone>(
    all: &[Lasting<Id>],
    lasts: SignedDuration,
    now: Timestamp,
) -> Plan<Id, Lasting<Id>> {
    let mut plan = Plan::new();
    for one in all {
        let until = one.since.checked_add(lasts).unwrap_or(Timestamp::MAX);
        if until <= now {
            plan.changes.push(one.id.clone());
        } else {
            plan.held.push(Lasting { id: one.id.clone(), since: until });
        }
    }
    plan
}

/// Of the messages of one request the first that waited too long expires; the others leave the
/// queue with it.
pub fn expired(
    waiting: &[Lasting<i64>],
    ttl: SignedDuration,
    now: Timestamp,
) -> Plan<i64, Lasting<i64>> {
    let mut plan = over(waiting, ttl, now);
    plan.changes.truncate(1);
    plan
}

/// A message that a worker holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InHand {
    pub message: i64,
    pub worker: String,
    /// How often it was taken.
    pub attempt: i64,
    /// Somebody outside holds it until then: whether they live we cannot know.
    pub until: Option<Timestamp>,
}

/// A message that is free, from an instant on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freed {
    pub message: i64,
    pub due: Timestamp,
}

/// How long a message waits that workers ended with twice, doubled each time after, and the longest.
const SUSPECT: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_mins(1));
/// Between two of them, so that each is taken by itself.
const APART: SignedDuration = SignedDuration::from_millis(250);

/// Who is not among the living holds nothing any more, and nobody outside longer than they may.
///
/// What a worker ended with once is free at once, for anything may have ended it. With what workers
/// ended again, one of them may be why: these come later, one by one, so that a message that kills
/// whoever takes it does not take the others along every time.
pub fn left_behind(
    in_hand: &[InHand],
    living: &BTreeSet<String>,
    now: Timestamp,
) -> Plan<Freed, i64> {
    let mut plan = Plan::new();
    let mut suspects = Vec::new();
    for one in in_hand {
        let holds = match one.until {
            Some(until) => now < until,
            None => living.contains(&one.worker),
        };
        if holds {
            plan.held.push(one.message);
        } else if one.until.is_none() && one.attempt > 1 {
            suspects.push((one.attempt, one.message));
        } else {
            plan.changes.push(Freed { message: one.message, due: now });
        }
    }
    suspects.sort_unstable();
    let mut due = now;
    for (attempt, message) in suspects {
        let wait = SUSPECT.delay(u32::try_from(attempt - 2).unwrap_or(u32::MAX), 1.0);
        due = (due + APART).max(now.saturating_add(wait).unwrap_or(Timestamp::MAX));
        plan.changes.push(Freed { message, due });
    }
    plan
}

/// A message that nobody took although it could have been taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclaimed {
    pub id: i64,
    pub component: String,
    /// When the broker was last told of it.
    pub told: Timestamp,
}

/// A message whose letter the broker does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    pub id: i64,
    pub component: String,
}

/// How many letters each component has, of those whose queue was asked. A queue that is not there has
/// none: whatever was in it is lost.
pub fn counted(asked: impl IntoIterator<Item = (String, Option<u32>)>) -> BTreeMap<String, u32> {
    asked.into_iter().map(|(component, ready)| (component, ready.unwrap_or(0))).collect()
}

/// Which messages the broker is told of again: of each component as many as its queue has fewer
/// letters than messages wait, the most urgent first, none that it was told of within `grace`. A
/// component whose queue could not be asked is left alone. One letter too many finds nothing to take.
pub fn unheard(
    waiting: &[Unclaimed],
    letters: &BTreeMap<String, u32>,
    grace: SignedDuration,
    now: Timestamp,
) -> Plan<Lost, i64> {
    let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
    for one in waiting {
        *missing.entry(&one.component).or_default() += 1;
    }
    for (component, missing) in &mut missing {
        let there = letters.get(*component).map_or(usize::MAX, |there| *there as usize);
        *missing = missing.saturating_sub(there);
    }
    let mut plan = Plan::new();
    for one in waiting {
        let left = missing.get_mut(one.component.as_str()).filter(|left| **left > 0);
        let told_long_ago = now.duration_since(one.told) >= grace;
        match left {
            Some(left) if told_long_ago => {
                *left -= 1;
                plan.changes.push(Lost { id: one.id, component: one.component.clone() });
            }
            _ => plan.held.push(one.id),
        }
    }
    plan
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn waits(id: i64, component: &str, told: i64) -> Unclaimed {
        Unclaimed { id, component: component.to_owned(), told: at(told) }
    }

    #[test]
    fn as_many_are_told_again_as_letters_are_missing() {
        let waiting =
            [waits(1, "ocr", 0), waits(2, "ocr", 8), waits(3, "ocr", 0), waits(4, "x", 0)];
        let letters = BTreeMap::from([("ocr".to_owned(), 1)]);
        let grace = SignedDuration::from_secs(5);
        let plan = unheard(&waiting, &letters, grace, at(10));
        let lost = |id| Lost { id, component: "ocr".to_owned() };
        assert_eq!((plan.changes, plan.held), ([1, 3].map(lost).to_vec(), vec![2, 4]));
        let full = BTreeMap::from([("ocr".to_owned(), 3), ("x".to_owned(), 1)]);
        assert!(unheard(&waiting, &full, grace, at(10)).is_settled());
    }

    #[test]
    fn a_queue_that_is_gone_has_lost_every_letter_and_one_not_asked_none() {
        let waiting = [waits(1, "ocr", 0), waits(2, "ocr", 0), waits(3, "x", 0), waits(4, "y", 0)];
        let letters = counted([("ocr".to_owned(), None), ("x".to_owned(), Some(1))]);
        let plan = unheard(&waiting, &letters, SignedDuration::from_secs(5), at(10));
        let lost = |id| Lost { id, component: "ocr".to_owned() };
        assert_eq!((plan.changes, plan.held), ([1, 2].map(lost).to_vec(), vec![3, 4]));
    }

    proptest! {
        #[test]
        fn what_was_just_told_again_is_enough(
            told in prop::collection::vec((0_i64..3, 0_i64..20), 0..30),
            there in prop::collection::vec(0_u32..20, 3),
        ) {
            let name = |n: i64| format!("c{n}");
            let mut waiting: Vec<_> = told.iter().enumerate()
                .map(|(id, (component, told))| waits(id as i64, &name(*component), *told))
                .collect();
            let mut letters: BTreeMap<_, _> =
                there.iter().enumerate().map(|(n, there)| (name(n as i64), *there)).collect();
            let (grace, now) = (SignedDuration::from_secs(5), at(20));
            let plan = unheard(&waiting, &letters, grace, now);
            for one in waiting.iter_mut().filter(|one| {
                plan.changes.iter().any(|lost| lost.id == one.id)
            }) {
                one.told = now;
                *letters.get_mut(&one.component).unwrap() += 1;
            }
            prop_assert!(unheard(&waiting, &letters, grace, now).is_settled());
        }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn time_is_over_at_its_end_and_one_message_takes_the_others_along() {
        let all = [0, 5, 10].map(|second| Lasting { id: second, since: at(second) });
        let lasts = SignedDuration::from_secs(10);
        let plan = over(&all, lasts, at(15));
        assert_eq!(plan.changes, [0, 5]);
        assert_eq!(plan.held, [Lasting { id: 10, since: at(20) }]);
        assert_eq!(expired(&all, lasts, at(15)).changes, [0]);
        assert!(over(&all, lasts, at(9)).is_settled());
    }

    #[test]
    fn the_living_keep_what_they_hold_and_somebody_outside_until_their_time() {
        let claim = |message, worker: &str, until: Option<i64>| InHand {
            message,
            worker: worker.to_owned(),
            attempt: 1,
            until: until.map(at),
        };
        let living = BTreeSet::from(["ana".to_owned()]);
        let all = [
            claim(1, "ana", None),
            claim(2, "gone", None),
            claim(3, "outside", Some(11)),
            claim(4, "outside", Some(10)),
            claim(5, "ana", Some(10)),
        ];
        let plan = left_behind(&all, &living, at(10));
        let free = |message| Freed { message, due: at(10) };
        assert_eq!((plan.changes, plan.held), ([2, 4, 5].map(free).to_vec(), vec![1, 3]));
    }

    proptest! {
        #[test]
        fn what_workers_end_with_again_and_again_comes_later_and_alone(
            attempts in prop::collection::vec(1_i64..40, 1..30),
        ) {
            let held: Vec<_> = attempts.iter().zip(0..).map(|(attempt, message)| InHand {
                message, worker: "gone".to_owned(), attempt: *attempt, until: None,
            }).collect();
            let plan = left_behind(&held, &BTreeSet::new(), at(10));
            prop_assert_eq!(plan.changes.len(), held.len(), "nothing stays behind");
            let mut later = BTreeSet::new();
            for freed in &plan.changes {
                let attempt = attempts[freed.message as usize];
                prop_assert_eq!(freed.due == at(10), attempt == 1);
                prop_assert!(freed.due <= at(10 + 60 + 30));
                prop_assert!(attempt == 1 || later.insert(freed.due), "one by one");
            }
        }
    }
}
