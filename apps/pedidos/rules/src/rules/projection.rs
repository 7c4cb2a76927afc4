//! When will it enter, when will it be ready: the queue run forward (§8.3.3).
//!
//! An estimate, told as such: it assumes that everything takes as long as estimated and that the
//! capacity stays what it is.

use jiff::Timestamp;

use crate::model::{Order, OrderId, OrderState, later_by_minutes};
use crate::rules::intake::{Snapshot, Waiting, rank};
use crate::rules::payment::awaits_payment;
use crate::rules::queue::{Busy, Job, Run, run_forward};

/// An order in the kitchen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cooking {
    pub expected_finish: Timestamp,
    pub effort: i64,
}

impl Cooking {
    /// None when the order is not in preparation.
    pub fn of(order: &Order) -> Option<Self> {
        let cooking = order.state == OrderState::Preparing;
        let expected_finish = order.expected_finish.filter(|_| cooking)?;
        Some(Self { expected_finish, effort: order.effort })
    }
}

/// What a waiting order may expect. Position 1 enters next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Projected {
    pub order: OrderId,
    pub position: u32,
    pub entry: Timestamp,
    pub ready: Timestamp,
}

/// *Cotización*: what a new order may expect, with the numbers that explain it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quote {
    pub estimate_minutes: i64,
    pub entry: Timestamp,
    pub ready: Timestamp,
    pub position: u32,
    /// Waiting orders that enter before it.
    pub ahead: u32,
    /// Those that enter after it: promised for later, or of lower priority.
    pub after: u32,
    /// Those that nobody can place: held, unpaid, left over from another day.
    pub unknown: u32,
    pub in_use: u32,
    pub limit: u32,
    /// Minutes past the asked-for time, when there is one and it cannot be kept.
    pub minutes_late: i64,
}

/// Every waiting order the automation will start, in order of entry. Held, unpaid and leftover
/// orders are missing: nobody knows when a person will decide. So is everything during a pause
/// without an end.
pub fn project(snapshot: &Snapshot, cooking: &[Cooking], now: Timestamp) -> Vec<Projected> {
    runs(snapshot, cooking, None, now)
        .into_iter()
        .zip(1..)
        .map(|(Run { id, entry, ready, .. }, position)| Projected {
            order: id,
            position,
            entry,
            ready,
        })
        .collect()
}

/// None during a pause without an end, or when the kitchen has no capacity at all.
pub fn quote(
    snapshot: &Snapshot,
    cooking: &[Cooking],
    new: &Waiting,
    now: Timestamp,
) -> Option<Quote> {
    let runs = runs(snapshot, cooking, Some(new), now);
    let ahead = runs.iter().position(|run| run.id == new.id)?;
    let Run { entry, ready, .. } = runs[ahead];
    let minutes_late = new.due.instant().map_or(0, |due| minutes_after(due, ready));
    // Held and unpaid ones have no run: nobody knows when a person will decide.
    let unknown = snapshot.waiting.len() + 1 - runs.len().min(snapshot.waiting.len() + 1);
    Some(Quote {
        estimate_minutes: new.estimate_minutes,
        entry,
        ready,
        position: ahead as u32 + 1,
        ahead: ahead as u32,
        after: (runs.len() - ahead - 1) as u32,
        unknown: unknown as u32,
        in_use: snapshot.capacity.in_use,
        limit: snapshot.capacity.limit,
        minutes_late,
    })
}

/// Minutes that have begun between a promise and what came later; none before it.
pub fn minutes_after(due: Timestamp, ready: Timestamp) -> i64 {
    let seconds = ready.duration_since(due).as_secs().max(0);
    seconds / 60 + i64::from(seconds % 60 != 0)
}

fn runs(
    snapshot: &Snapshot,
    cooking: &[Cooking],
    new: Option<&Waiting>,
    now: Timestamp,
) -> Vec<Run> {
    let opens_at = match snapshot.paused.as_ref().filter(|pause| pause.holds(now)) {
        None => now,
        Some(pause) => match pause.until {
            Some(until) => until,
            None => return Vec::new(),
        },
    };
    let automatic = snapshot.waiting.iter().filter(|waiting| will_start(snapshot, waiting));
    let jobs = automatic
        .chain(new)
        .map(|waiting| Job {
            id: waiting.id,
            rank: rank(waiting, snapshot.priority, snapshot.ageing_minutes),
            available_at: waiting.start_at().max(opens_at),
            needs: snapshot.unit.cost(waiting.effort),
            minutes: waiting.estimate_minutes,
        })
        .collect();
    // An overdue order is somewhere near its end; nobody knows where. One minute is the least that
    // does not pretend the place is already free.
    let soonest = later_by_minutes(now, 1);
    let busy: Vec<Busy> = cooking
        .iter()
        .map(|cooking| Busy {
            until: cooking.expected_finish.max(soonest),
            places: snapshot.unit.cost(cooking.effort),
        })
        .collect();
    run_forward(snapshot.capacity.limit, &busy, jobs, now)
}

fn will_start(snapshot: &Snapshot, waiting: &Waiting) -> bool {
    let reference = waiting.due.instant().unwrap_or(waiting.received_at);
    waiting.intake.is_automatic()
        && !awaits_payment(waiting.channel, waiting.payment_method, waiting.payment_state)
        && reference >= snapshot.today.begins
}

#[cfg(test)]
mod tests {
    use engine::Capacity;
    use proptest::prelude::*;

    use super::*;
    use crate::model::Due;
    use crate::policy::{Pause, PriorityPolicy, Unit};
    use crate::rules::intake::plan;
    use crate::rules::samples::{at, order, scheduled, today};

    fn snapshot(limit: u32, cooking: &[Cooking], orders: &[Order]) -> Snapshot {
        Snapshot {
            capacity: Capacity::new(limit, cooking.len() as u32),
            unit: Unit::Orders,
            priority: PriorityPolicy::Strict,
            ageing_minutes: 15,
            paused: None,
            today: today(),
            waiting: orders.iter().map(Waiting::from).collect(),
        }
    }

    fn until(clock: &str) -> Cooking {
        Cooking { expected_finish: at(clock), effort: 7 }
    }

    #[test]
    fn the_queue_takes_places_as_they_come_free() {
        let cooking = [until("20:06:00"), until("20:04:00")];
        let snapshot = snapshot(2, &cooking, &[order(1), order(2), order(3)]);
        let entries: Vec<_> = project(&snapshot, &cooking, at("20:00:00"))
            .iter()
            .map(|p| (p.order.0, p.position, p.entry, p.ready))
            .collect();
        let expected = [
            (1, 1, at("20:04:00"), at("20:14:00")),
            (2, 2, at("20:06:00"), at("20:16:00")),
            (3, 3, at("20:14:00"), at("20:24:00")),
        ];
        assert_eq!(entries, expected);
    }

    #[test]
    fn scheduled_orders_enter_at_their_planned_start() {
        let snapshot = snapshot(8, &[], &[scheduled(1, "19:00:00", "21:00:00", 15), order(2)]);
        let projected = project(&snapshot, &[], at("20:00:00"));
        assert_eq!((projected[0].order.0, projected[0].entry), (2, at("20:00:00")));
        assert_eq!((projected[1].order.0, projected[1].entry), (1, at("20:45:00")));
    }

    #[test]
    fn a_quote_explains_itself() {
        let cooking = [until("20:04:00")];
        let snapshot = snapshot(1, &cooking, &[order(1)]);
        let mut new = order(99);
        new.received_at = at("20:01:00");
        new.due = Due::At(at("20:20:00"));
        let quote = quote(&snapshot, &cooking, &Waiting::from(&new), at("20:01:00")).unwrap();
        assert_eq!((quote.entry, quote.ready), (at("20:14:00"), at("20:24:00")));
        assert_eq!((quote.ahead, quote.position, quote.in_use, quote.limit), (1, 2, 1, 1));
        assert_eq!((quote.after, quote.unknown, quote.minutes_late), (0, 0, 4));
    }

    #[test]
    fn a_quote_accounts_for_everyone_who_waits() {
        let mut held = order(1);
        held.intake = crate::model::Intake::Manual;
        let later = scheduled(2, "19:00:00", "21:00:00", 15);
        let snapshot = snapshot(1, &[until("20:04:00")], &[held, later, order(3)]);
        let mut new = order(99);
        new.received_at = at("20:01:00");
        let quote = quote(&snapshot, &[until("20:04:00")], &Waiting::from(&new), at("20:01:00"));
        let quote = quote.unwrap();
        assert_eq!((quote.ahead, quote.after, quote.unknown), (1, 1, 1));
    }

    #[test]
    fn an_overdue_cook_frees_a_place_soon() {
        let cooking = [until("19:50:00")];
        let snapshot = snapshot(1, &cooking, &[order(1)]);
        let projected = project(&snapshot, &cooking, at("20:00:00"));
        assert_eq!(projected[0].entry, at("20:01:00"));
    }

    #[test]
    fn nobody_can_tell_during_an_endless_pause_nor_for_held_orders() {
        let mut held = order(1);
        held.intake = crate::model::Intake::Manual;
        let mut snapshot = snapshot(8, &[], &[held, order(2)]);
        assert_eq!(project(&snapshot, &[], at("20:00:00")).len(), 1);
        let mut pause = Pause { reason: "gas".into(), until: None, by: "ana".into() };
        snapshot.paused = Some(pause.clone());
        assert!(project(&snapshot, &[], at("20:00:00")).is_empty());
        pause.until = Some(at("20:30:00"));
        snapshot.paused = Some(pause);
        assert_eq!(project(&snapshot, &[], at("20:00:00"))[0].entry, at("20:30:00"));
    }

    proptest! {
        /// What is quoted is what the queue says once the order is in it.
        #[test]
        fn quote_and_queue_agree(
            ages in prop::collection::vec((0_i64..60, prop::option::of(-20_i64..60)), 0..20),
            due in prop::option::of(0_i64..90), limit in 1_u32..6, held in any::<bool>(),
        ) {
            let now = at("21:00:00");
            let dated = |id: i64, age: i64, due: Option<i64>| {
                let mut order = order(id);
                order.received_at = later_by_minutes(now, -age);
                order.due = Due::from_instant(due.map(|due| later_by_minutes(now, due)));
                order
            };
            let mut orders: Vec<_> =
                ages.into_iter().zip(1..).map(|((age, due), id)| dated(id, age, due)).collect();
            if let Some(first) = orders.first_mut().filter(|_| held) {
                first.intake = crate::model::Intake::Manual;
            }
            let new = dated(99, 0, due);
            let told = quote(&snapshot(limit, &[], &orders), &[], &Waiting::from(&new), now);
            let told = told.unwrap();
            let waiting = orders.len() as u32;
            prop_assert_eq!(told.ahead + told.after + told.unknown, waiting);
            orders.push(new);
            let queue = project(&snapshot(limit, &[], &orders), &[], now);
            let mine = queue.iter().find(|one| one.order.0 == 99).unwrap();
            prop_assert_eq!((mine.position, mine.entry), (told.position, told.entry));
            prop_assert_eq!(mine.ready, told.ready);
        }

        #[test]
        fn whoever_the_planner_starts_is_projected_to_enter_at_once(
            ages in prop::collection::vec((0_i64..60, prop::option::of(-20_i64..60)), 0..20),
            finishes in prop::collection::vec(-10_i64..40, 0..10),
            limit in 1_u32..12,
            promise in any::<bool>(),
        ) {
            let now = at("21:00:00");
            let orders: Vec<_> = ages
                .into_iter()
                .zip(1..)
                .map(|((age, due), id)| {
                    let mut order = order(id);
                    order.received_at = later_by_minutes(now, -age);
                    order.due = Due::from_instant(due.map(|due| later_by_minutes(now, due)));
                    order
                })
                .collect();
            let cooking: Vec<_> = finishes
                .iter()
                .map(|minutes| Cooking {
                    expected_finish: later_by_minutes(now, *minutes),
                    effort: 7,
                })
                .collect();
            let mut snapshot = snapshot(limit, &cooking, &orders);
            if promise {
                snapshot.priority = PriorityPolicy::Promise;
            }
            let projected = project(&snapshot, &cooking, now);
            prop_assert_eq!(projected.len(), orders.len());
            prop_assert!(projected.iter().map(|p| p.entry).is_sorted());
            let entering: Vec<_> =
                projected.iter().filter(|p| p.entry == now).map(|p| p.order).collect();
            let started: Vec<_> = plan(&snapshot, now).changes.iter().map(|s| s.order).collect();
            prop_assert_eq!(entering, started);
            for (_, instant) in projected.iter().map(|p| (p.order, p.entry)) {
                let inside = |from: Timestamp, to: Timestamp| from <= instant && instant < to;
                let theirs = projected.iter().filter(|p| inside(p.entry, p.ready)).count();
                let before = cooking
                    .iter()
                    .filter(|c| instant < c.expected_finish.max(later_by_minutes(now, 1)))
                    .count();
                prop_assert!(theirs + before <= (limit as usize).max(before));
            }
        }
    }
}
