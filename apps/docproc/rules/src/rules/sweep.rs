//! What time alone ends (§5.3, R-14b), and what is left behind by a process that is gone.

use std::collections::{BTreeMap, BTreeSet};

use engine::Plan;
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
    /// Somebody outside holds it until then: whether they live we cannot know.
    pub until: Option<Timestamp>,
}

/// Who is not among the living holds nothing any more, and nobody outside longer than they may.
pub fn left_behind(
    in_hand: &[InHand],
    living: &BTreeSet<String>,
    now: Timestamp,
) -> Plan<i64, i64> {
    let holds = |one: &InHand| match one.until {
        Some(until) => now < until,
        None => living.contains(&one.worker),
    };
    let (held, changes): (Vec<_>, Vec<_>) = in_hand.iter().partition(|one| holds(one));
    let messages = |all: Vec<&InHand>| all.into_iter().map(|one| one.message).collect();
    Plan { changes: messages(changes), held: messages(held) }
}

/// A message that nobody took although it could have been taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclaimed {
    pub id: i64,
    pub component: String,
    /// When the broker was last told of it.
    pub told: Timestamp,
}

/// Which messages the broker is told of again: of each component as many as its queue has fewer
/// letters than messages wait, the most urgent first, none that it was told of within `grace`. A
/// component whose queue could not be asked is left alone. One letter too many finds nothing to take.
pub fn unheard(
    waiting: &[Unclaimed],
    letters: &BTreeMap<String, u32>,
    grace: SignedDuration,
    now: Timestamp,
) -> Plan<i64, i64> {
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
                plan.changes.push(one.id);
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
        assert_eq!((plan.changes, plan.held), (vec![1, 3], vec![2, 4]));
        let full = BTreeMap::from([("ocr".to_owned(), 3), ("x".to_owned(), 1)]);
        assert!(unheard(&waiting, &full, grace, at(10)).is_settled());
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
            for one in waiting.iter_mut().filter(|one| plan.changes.contains(&one.id)) {
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
        assert_eq!((plan.changes, plan.held), (vec![2, 4, 5], vec![1, 3]));
    }
}
