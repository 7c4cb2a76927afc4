//! What time alone ends (§5.3, R-14b), and what is left behind by a process that is gone.

use std::collections::BTreeSet;

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

#[cfg(test)]
mod tests {
    use super::*;

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
