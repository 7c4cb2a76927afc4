//! What holds for every queue, not only for the ones of the scenarios.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::rules::samples::{at, order, today};

const NOW: &str = "21:00:00";

fn waiting() -> impl Strategy<Value = Waiting> {
    // Minutes around the present, coarse on purpose: ties must happen.
    let due = prop_oneof![
        3 => Just(None),
        3 => (-30_i64..90).prop_map(Some),
        1 => prop_oneof![Just(-2_000_i64), Just(2_000)].prop_map(Some),
    ];
    let received = prop_oneof![9 => -90_i64..=0, 1 => Just(-2_000_i64)];
    (received, due, 1_i64..8, 0_u8..10, 0_u8..10, 0_i64..30).prop_map(
        |(received, due, steps, held, web, effort)| {
            let mut order = order(0);
            order.received_at = later_by_minutes(at(NOW), received);
            order.due = Due::from_instant(due.map(|minutes| later_by_minutes(at(NOW), minutes)));
            order.estimate_minutes = steps * 5;
            order.effort = effort;
            order.intake = Intake::from_flag(held > 0);
            if web == 0 {
                order.channel = Channel::Web;
                order.payment_method = Some(PaymentMethod::Transfer);
            }
            Waiting::from(&order)
        },
    )
}

fn snapshot() -> impl Strategy<Value = Snapshot> {
    (
        prop::collection::vec(waiting(), 0..40),
        0_u32..=24,
        0_u32..=26,
        any::<bool>(),
        any::<bool>(),
        0_i64..40,
        0_u8..12,
    )
        .prop_map(|(mut waiting, limit, in_use, effort, promise, ageing_minutes, paused)| {
            for (index, waiting) in waiting.iter_mut().enumerate() {
                waiting.id = OrderId(index as i64 + 1);
            }
            Snapshot {
                capacity: Capacity::new(limit, in_use),
                unit: if effort { Unit::Effort } else { Unit::Orders },
                priority: if promise { PriorityPolicy::Promise } else { PriorityPolicy::Strict },
                ageing_minutes,
                paused: (paused == 0).then(|| Pause {
                    reason: "prueba".into(),
                    until: None,
                    by: "ana".into(),
                }),
                today: today(),
                waiting,
            }
        })
}

fn cost(snapshot: &Snapshot, order: OrderId) -> u32 {
    let waiting = snapshot.waiting.iter().find(|waiting| waiting.id == order);
    snapshot.unit.cost(waiting.expect("planned from the snapshot").effort)
}

fn after(snapshot: &Snapshot, plan: &Plan<Start, Held>) -> Snapshot {
    let started: BTreeSet<_> = plan.changes.iter().map(|start| start.order).collect();
    let mut next = snapshot.clone();
    for start in &plan.changes {
        next.capacity = next.capacity.taking(cost(snapshot, start.order));
    }
    next.waiting.retain(|waiting| !started.contains(&waiting.id));
    next
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn never_above_capacity(snapshot in snapshot()) {
        let plan = plan(&snapshot, at(NOW));
        let end = after(&snapshot, &plan).capacity;
        let alone = snapshot.capacity.in_use == 0 && plan.changes.len() == 1;
        prop_assert!(plan.changes.is_empty() || end.in_use <= end.limit || alone);
        prop_assert!(snapshot.capacity.limit > 0 || plan.changes.is_empty());
    }

    #[test]
    fn every_order_starts_or_is_held_exactly_once(snapshot in snapshot()) {
        let plan = plan(&snapshot, at(NOW));
        let mut named: Vec<_> = plan.changes.iter().map(|start| start.order).collect();
        named.extend(plan.held.iter().map(|held| held.order));
        named.sort_unstable();
        let all: Vec<_> = snapshot.waiting.iter().map(|waiting| waiting.id).collect();
        prop_assert_eq!(named, all);
    }

    #[test]
    fn the_order_of_rows_does_not_matter(
        (snapshot, shuffled) in snapshot().prop_flat_map(|snapshot| {
            let rows = Just(snapshot.waiting.clone()).prop_shuffle();
            (Just(snapshot), rows)
        }),
    ) {
        let other = Snapshot { waiting: shuffled, ..snapshot.clone() };
        prop_assert_eq!(plan(&snapshot, at(NOW)), plan(&other, at(NOW)));
    }

    #[test]
    fn planning_again_changes_nothing(snapshot in snapshot()) {
        let first = plan(&snapshot, at(NOW));
        let again = plan(&after(&snapshot, &first), at(NOW));
        prop_assert!(again.is_settled());
        prop_assert_eq!(again.held, first.held);
    }

    #[test]
    fn no_place_stays_free_while_the_next_could_take_it(snapshot in snapshot()) {
        let plan = plan(&snapshot, at(NOW));
        let end = after(&snapshot, &plan).capacity;
        for held in &plan.held {
            if let Reason::KitchenFull { position: 1, needs, .. } = held.reason {
                prop_assert!(!fits(end, needs));
            }
        }
        if snapshot.unit == Unit::Orders {
            let candidates = snapshot
                .waiting
                .iter()
                .filter(|waiting| gates(&snapshot, waiting, at(NOW)).next().is_none())
                .count();
            prop_assert_eq!(
                plan.changes.len(),
                candidates.min(snapshot.capacity.free() as usize)
            );
        }
    }

    #[test]
    fn reasons_are_truthful(snapshot in snapshot()) {
        let now = at(NOW);
        let plan = plan(&snapshot, now);
        let end = after(&snapshot, &plan).capacity;
        for held in &plan.held {
            let waiting =
                snapshot.waiting.iter().find(|waiting| waiting.id == held.order).expect("known");
            let holds = match &held.reason {
                Reason::Paused { .. } => snapshot.paused.is_some(),
                Reason::OnHold { .. } => !waiting.intake.is_automatic(),
                Reason::AwaitingPayment { .. } => waiting.payment_state != PaymentState::Paid,
                Reason::Stale { reference } => *reference < snapshot.today.begins,
                Reason::OtherDay { start_at, due } => {
                    *start_at > now && *due >= snapshot.today.ends
                }
                Reason::NotYetDue { start_at } => *start_at > now,
                Reason::KitchenFull { used, limit, .. } => {
                    (*used, *limit) == (end.in_use, end.limit)
                }
            };
            prop_assert!(holds, "{held:?}");
            let told = why(&snapshot, held.order, now);
            prop_assert_eq!(told.first(), Some(&held.reason));
        }
    }

    #[test]
    fn the_bounded_snapshot_starts_the_same_orders(snapshot in snapshot()) {
        let reduced = bounded(&snapshot, at(NOW));
        prop_assert!(reduced.waiting.len() <= 2 * bound(snapshot.capacity) as usize);
        prop_assert_eq!(plan(&reduced, at(NOW)).changes, plan(&snapshot, at(NOW)).changes);
    }

    #[test]
    fn nobody_enters_ahead_of_the_queue(snapshot in snapshot()) {
        let plan = plan(&snapshot, at(NOW));
        let key = |order| {
            let waiting = snapshot.waiting.iter().find(|waiting| waiting.id == order);
            rank(waiting.expect("known"), snapshot.priority, snapshot.ageing_minutes)
        };
        let no_room = |held: &&Held| matches!(held.reason, Reason::KitchenFull { .. });
        let full = plan.held.iter().filter(no_room);
        let queue: Vec<_> = plan
            .changes
            .iter()
            .map(|start| start.order)
            .chain(full.map(|held| held.order))
            .map(key)
            .collect();
        prop_assert!(queue.is_sorted());
    }
}
