//! A past day run again under other settings: would it have gone better?

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::model::{Channel, Due, Intake, OrderId, PaymentState, later_by_minutes};
use crate::policy::{PriorityPolicy, Unit};
use crate::rules::intake::{Waiting, rank};
use crate::rules::queue::{Job, Run, run_forward};
use crate::rules::stats::percentile;

/// An order of the day; `actual_minutes` is how long it really cooked, none if never recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastOrder {
    pub id: OrderId,
    pub received_at: Timestamp,
    pub due: Due,
    pub estimate_minutes: i64,
    pub effort: i64,
    pub actual_minutes: Option<i64>,
}

/// The settings to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setup {
    pub capacity: u32,
    pub unit: Unit,
    pub priority: PriorityPolicy,
    pub ageing_minutes: i64,
}

/// How the day would have gone. Waits are minutes from when an order could have entered.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub orders: usize,
    pub wait_p50: f64,
    pub wait_p90: f64,
    /// Scheduled orders ready after their promise, and orders wanted now that waited longer than
    /// they take to prepare.
    pub late: usize,
    /// Percent of the places taken, by local hour of the day.
    pub utilisation: [f64; 24],
}

/// Runs the day with everything that is not the setup left as it was: arrivals, promises and the
/// time each order really took.
pub fn replay(orders: &[PastOrder], setup: Setup, zone: &TimeZone) -> Outcome {
    let jobs = orders.iter().map(|order| job(order, setup)).collect();
    let runs = run_forward(setup.capacity, &[], jobs, Timestamp::MIN);
    let mut entered: Vec<(&PastOrder, Run)> = Vec::with_capacity(runs.len());
    let by_id: std::collections::BTreeMap<_, _> = orders.iter().map(|o| (o.id, o)).collect();
    for run in runs {
        if let Some(order) = by_id.get(&run.id) {
            entered.push((order, run));
        }
    }
    let waits: Vec<f64> = entered
        .iter()
        .map(|(order, run)| run.entry.duration_since(available_at(order)).as_secs_f64() / 60.0)
        .collect();
    let late = entered.iter().filter(|(order, run)| was_late(order, *run)).count();
    Outcome {
        orders: entered.len(),
        wait_p50: percentile(&waits, 50.0).unwrap_or(0.0),
        wait_p90: percentile(&waits, 90.0).unwrap_or(0.0),
        late,
        utilisation: utilisation(&entered, setup.capacity, zone),
    }
}

fn job(order: &PastOrder, setup: Setup) -> Job {
    let waiting = Waiting {
        id: order.id,
        received_at: order.received_at,
        due: order.due,
        estimate_minutes: order.estimate_minutes,
        intake: Intake::Automatic,
        hold_reason: None,
        channel: Channel::Counter,
        payment_method: None,
        payment_state: PaymentState::Paid,
        effort: order.effort,
    };
    Job {
        id: order.id,
        rank: rank(&waiting, setup.priority, setup.ageing_minutes),
        available_at: available_at(order),
        needs: setup.unit.cost(order.effort),
        minutes: order.actual_minutes.unwrap_or(order.estimate_minutes).max(1),
    }
}

fn available_at(order: &PastOrder) -> Timestamp {
    let planned = order.due.planned_start(order.estimate_minutes);
    planned.map_or(order.received_at, |planned| planned.max(order.received_at))
}

fn was_late(order: &PastOrder, run: Run) -> bool {
    match order.due {
        Due::At(due) => run.ready > due,
        Due::AsSoonAsPossible => {
            run.entry > later_by_minutes(order.received_at, order.estimate_minutes)
        }
    }
}

/// A run longer than this is a forgotten tap, not work; it bounds the walk below.
const LONGEST_RUN_MINUTES: i64 = 24 * 60;

fn utilisation(entered: &[(&PastOrder, Run)], capacity: u32, zone: &TimeZone) -> [f64; 24] {
    let mut taken = [0_u64; 24];
    for (_, run) in entered {
        let minutes = run.ready.duration_since(run.entry).as_mins().min(LONGEST_RUN_MINUTES);
        for minute in 0..minutes {
            let hour = zone.to_datetime(later_by_minutes(run.entry, minute)).hour();
            taken[hour as usize] += u64::from(run.places);
        }
    }
    let whole = f64::from(capacity.max(1)) * 60.0;
    taken.map(|places| places as f64 * 100.0 / whole)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::samples::{at, zone};

    const SETUP: Setup = Setup {
        capacity: 1,
        unit: Unit::Orders,
        priority: PriorityPolicy::Strict,
        ageing_minutes: 15,
    };

    fn past(id: i64, received: &str, due: Option<&str>) -> PastOrder {
        PastOrder {
            id: OrderId(id),
            received_at: at(received),
            due: Due::from_instant(due.map(at)),
            estimate_minutes: 10,
            effort: 7,
            actual_minutes: Some(12),
        }
    }

    #[test]
    fn more_places_mean_less_waiting() {
        let day = [past(1, "20:00:00", None), past(2, "20:00:00", None), past(3, "20:00:00", None)];
        let narrow = replay(&day, SETUP, &zone());
        assert_eq!((narrow.orders, narrow.late), (3, 2));
        assert!((narrow.wait_p50 - 12.0).abs() < 1e-9);
        assert!((narrow.utilisation[20] - 60.0).abs() < 1e-9, "36 of 60 minutes");
        let wide = replay(&day, Setup { capacity: 3, ..SETUP }, &zone());
        assert_eq!((wide.orders, wide.late), (3, 0));
        assert!(wide.wait_p90.abs() < 1e-9);
    }

    #[test]
    fn the_policy_decides_whether_a_promise_is_kept() {
        let promised = PastOrder { estimate_minutes: 12, ..past(3, "19:00:00", Some("20:36:00")) };
        let day = [
            past(1, "20:00:00", None),
            past(2, "20:01:00", None),
            promised,
            past(4, "20:10:00", None),
        ];
        let strict = replay(&day, SETUP, &zone());
        let promise = Setup { priority: PriorityPolicy::Promise, ageing_minutes: 30, ..SETUP };
        let kept = replay(&day, promise, &zone());
        assert_eq!((strict.late, kept.late), (3, 2));
        assert_eq!((strict.orders, kept.orders), (4, 4));
    }

    #[test]
    fn an_empty_day_has_quiet_figures() {
        let outcome = replay(&[], SETUP, &zone());
        assert_eq!((outcome.orders, outcome.late), (0, 0));
        assert!(outcome.utilisation.iter().all(|percent| percent.abs() < 1e-9));
    }

    proptest! {
        #[test]
        fn every_order_runs_and_the_kitchen_is_never_overfull(
            arrivals in prop::collection::vec((0_i64..240, prop::option::of(0_i64..240)), 0..40),
            capacity in 1_u32..6,
        ) {
            let base = at("19:00:00");
            let day: Vec<_> = arrivals
                .into_iter()
                .zip(1..)
                .map(|((received, due), id)| PastOrder {
                    received_at: later_by_minutes(base, received),
                    due: Due::from_instant(due.map(|due| later_by_minutes(base, due))),
                    ..past(id, "19:00:00", None)
                })
                .collect();
            let outcome = replay(&day, Setup { capacity, ..SETUP }, &zone());
            prop_assert_eq!(outcome.orders, day.len());
            prop_assert!(outcome.utilisation.iter().all(|percent| *percent <= 100.0 + 1e-9));
            let wider = replay(&day, Setup { capacity: 100, ..SETUP }, &zone());
            prop_assert!(wider.wait_p90.abs() < 1e-9);
        }
    }
}
