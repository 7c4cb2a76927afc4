//! Whether a promise can be kept, before it is given.
//!
//! The queue run forward decides. A time that other promises have filled is not promised again, unless
//! a person insists, who is told how late it will be. Lateness that comes from what cooks now is told
//! and not refused: nobody knows yet how the evening goes.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::model::{Due, OrderId};
use crate::rules::intake::{Snapshot, Waiting};
use crate::rules::projection::{Cooking, Quote, minutes_after, project, quote};

/// What speaks against giving a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// It would be late because the time is already promised to others.
    Crowded,
    /// It would make one late that is promised and in time.
    Breaks { order: OrderId, minutes_late: i64 },
}

/// What the queue run forward says about a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    pub due: Timestamp,
    pub quote: Quote,
    pub obstacle: Option<Obstacle>,
}

/// None for an order wanted now or that a person starts, and while nobody can tell.
pub fn judge(
    snapshot: &Snapshot,
    cooking: &[Cooking],
    new: &Waiting,
    now: Timestamp,
) -> Option<Verdict> {
    let Due::At(due) = new.due else { return None };
    if !new.intake.is_automatic() {
        return None;
    }
    let told = quote(snapshot, cooking, new, now)?;
    let obstacle = if told.minutes_late > 0 {
        let wanted_now = |waiting: &&Waiting| waiting.due == Due::AsSoonAsPossible;
        let waiting = snapshot.waiting.iter().filter(wanted_now).cloned().collect();
        let alone = quote(&Snapshot { waiting, ..snapshot.clone() }, cooking, new, now)?;
        (told.minutes_late > alone.minutes_late).then_some(Obstacle::Crowded)
    } else {
        broken_by(snapshot, cooking, new, now)
    };
    Some(Verdict { due, quote: told, obstacle })
}

/// The promise in time that suffers most from a new one.
fn broken_by(
    snapshot: &Snapshot,
    cooking: &[Cooking],
    new: &Waiting,
    now: Timestamp,
) -> Option<Obstacle> {
    let before = lateness(snapshot, cooking, now);
    let mut with = snapshot.clone();
    with.waiting.push(new.clone());
    lateness(&with, cooking, now)
        .into_iter()
        .filter(|(order, late)| *late > 0 && before.get(order) == Some(&0))
        .max_by_key(|(_, late)| *late)
        .map(|(order, minutes_late)| Obstacle::Breaks { order, minutes_late })
}

/// By how many minutes each waiting promise would be missed.
fn lateness(snapshot: &Snapshot, cooking: &[Cooking], now: Timestamp) -> BTreeMap<OrderId, i64> {
    let due: BTreeMap<OrderId, Timestamp> = snapshot
        .waiting
        .iter()
        .filter_map(|waiting| Some((waiting.id, waiting.due.instant()?)))
        .collect();
    project(snapshot, cooking, now)
        .into_iter()
        .filter_map(|run| Some((run.order, minutes_after(*due.get(&run.order)?, run.ready))))
        .collect()
}

#[cfg(test)]
mod tests {
    use engine::Capacity;
    use proptest::prelude::*;

    use super::*;
    use crate::model::{Intake, Order, later_by_minutes};
    use crate::policy::{PriorityPolicy, Unit};
    use crate::rules::samples::{at, order, scheduled, today};

    fn snapshot(limit: u32, in_use: u32, orders: &[Order]) -> Snapshot {
        Snapshot {
            capacity: Capacity::new(limit, in_use),
            unit: Unit::Orders,
            priority: PriorityPolicy::Strict,
            ageing_minutes: 15,
            paused: None,
            today: today(),
            waiting: orders.iter().map(Waiting::from).collect(),
        }
    }

    fn promised(id: i64, due: &str) -> Order {
        scheduled(id, "19:00:00", due, 10)
    }

    #[test]
    fn forty_promises_for_nine_are_not_all_kept() {
        let mut taken: Vec<Order> = Vec::new();
        let mut refused = 0;
        for id in 1..=40 {
            let new = promised(id, "21:00:00");
            let verdict = judge(&snapshot(8, 0, &taken), &[], &(&new).into(), at("19:00:00"));
            let verdict = verdict.unwrap();
            if verdict.obstacle == Some(Obstacle::Crowded) {
                refused += 1;
                assert_eq!(verdict.quote.minutes_late, 10, "the next round is ready at 21:10");
            } else {
                taken.push(new);
            }
        }
        assert_eq!((taken.len(), refused), (8, 32));
    }

    #[test]
    fn a_full_kitchen_is_told_and_not_refused() {
        let cooking = [Cooking { expected_finish: at("21:00:00"), effort: 7 }; 8];
        let new = promised(9, "20:30:00");
        let verdict = judge(&snapshot(8, 8, &[]), &cooking, &(&new).into(), at("20:00:00"));
        let verdict = verdict.unwrap();
        assert_eq!((verdict.quote.minutes_late, verdict.obstacle), (40, None));
    }

    #[test]
    fn a_long_order_does_not_break_what_is_promised() {
        let taken: Vec<_> = (1..=8).map(|id| promised(id, "21:00:00")).collect();
        let mut long = promised(9, "21:05:00");
        long.estimate_minutes = 30;
        let verdict = judge(&snapshot(8, 0, &taken), &[], &(&long).into(), at("19:00:00")).unwrap();
        assert_eq!(verdict.quote.minutes_late, 0);
        let broken = Obstacle::Breaks { order: OrderId(8), minutes_late: 10 };
        assert_eq!(verdict.obstacle, Some(broken));
    }

    #[test]
    fn wanted_now_and_held_orders_promise_nothing() {
        let mut held = promised(1, "20:00:00");
        held.intake = Intake::Manual;
        for none in [order(1), held] {
            assert_eq!(judge(&snapshot(1, 0, &[]), &[], &(&none).into(), at("20:00:00")), None);
        }
    }

    proptest! {
        /// Promises taken one by one as the verdict says are all kept, as long as nobody wants
        /// anything at once.
        #[test]
        fn promises_that_were_not_refused_are_kept(
            wanted in prop::collection::vec((40_i64..180, 5_i64..40), 1..25), limit in 1_u32..5,
        ) {
            let now = at("20:00:00");
            let mut taken: Vec<Order> = Vec::new();
            for ((minutes, estimate), id) in wanted.into_iter().zip(1..) {
                let mut new = promised(id, "21:00:00");
                (new.received_at, new.estimate_minutes) = (now, estimate);
                new.due = Due::At(later_by_minutes(now, minutes));
                let verdict = judge(&snapshot(limit, 0, &taken), &[], &(&new).into(), now).unwrap();
                if verdict.obstacle.is_none() {
                    taken.push(new);
                }
                let late = lateness(&snapshot(limit, 0, &taken), &[], now);
                prop_assert!(late.values().all(|late| *late == 0), "{:?}", late);
            }
        }
    }
}
