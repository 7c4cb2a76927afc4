//! Who occupies a place in the kitchen (§4.3.2, S-21).

use jiff::{SignedDuration, Timestamp};

use crate::model::{Order, OrderState};
use crate::policy::Unit;
use crate::rules::business_day::{BusinessDay, reference};

/// In preparation, and either of the current business day or started less than `stale_hours` ago.
///
/// The second part keeps the kitchen honest across the cut-off; the pair forgets an order that
/// someone left in preparation days ago, which would otherwise take a place for ever.
pub fn occupies(order: &Order, today: &BusinessDay, stale_hours: i64, now: Timestamp) -> bool {
    match order.state {
        OrderState::Preparing => {
            today.contains(reference(order.due, order.received_at))
                || order.started_at.is_none_or(|at| started_recently(at, stale_hours, now))
        }
        OrderState::Received
        | OrderState::Ready
        | OrderState::Delivered
        | OrderState::Cancelled => false,
    }
}

fn started_recently(started_at: Timestamp, stale_hours: i64, now: Timestamp) -> bool {
    now.duration_since(started_at) < SignedDuration::from_hours(stale_hours)
}

/// When orders of earlier days stop taking a place by themselves, the first of them.
pub fn next_release(
    preparing: &[Order],
    today: &BusinessDay,
    stale_hours: i64,
    now: Timestamp,
) -> Option<Timestamp> {
    preparing
        .iter()
        .filter(|order| !today.contains(reference(order.due, order.received_at)))
        .filter_map(|order| Some(order.started_at? + SignedDuration::from_hours(stale_hours)))
        .filter(|at| *at > now)
        .min()
}

/// Places taken, in the unit in force.
pub fn in_use<'a>(
    orders: impl IntoIterator<Item = &'a Order>,
    unit: Unit,
    today: &BusinessDay,
    stale_hours: i64,
    now: Timestamp,
) -> u32 {
    orders
        .into_iter()
        .filter(|order| occupies(order, today, stale_hours, now))
        .map(|order| unit.cost(order.effort))
        .fold(0, u32::saturating_add)
}

#[cfg(test)]
mod tests {
    use engine::Word as _;

    use super::*;
    use crate::rules::samples::{at, instant, order, preparing, today};

    #[test]
    fn only_preparation_takes_a_place() {
        for state in OrderState::ALL {
            let mut order = preparing(1, "20:00:00");
            order.state = *state;
            let expected = *state == OrderState::Preparing;
            assert_eq!(occupies(&order, &today(), 6, at("20:05:00")), expected, "{state:?}");
        }
    }

    #[test]
    fn yesterdays_order_counts_while_it_is_fresh() {
        let mut order = preparing(1, "20:00:00");
        order.received_at = instant("2026-06-19T03:30:00-03:00");
        order.started_at = Some(instant("2026-06-19T03:30:00-03:00"));
        assert!(occupies(&order, &today(), 6, instant("2026-06-19T09:29:59-03:00")));
        assert!(!occupies(&order, &today(), 6, instant("2026-06-19T09:30:00-03:00")));
        let next = |now| next_release(std::slice::from_ref(&order), &today(), 6, now);
        assert_eq!(next(at("09:29:59")), Some(at("09:30:00")));
        assert_eq!(next(at("09:30:00")), None);
    }

    #[test]
    fn todays_order_counts_however_long_it_cooks() {
        let order = preparing(1, "12:00:00");
        assert!(occupies(&order, &today(), 6, at("23:59:59")));
    }

    #[test]
    fn the_unit_decides_what_a_place_is() {
        let mut giant = preparing(1, "20:00:00");
        giant.effort = 24;
        let orders = [giant, preparing(2, "20:01:00"), order(3)];
        let count = |unit| in_use(&orders, unit, &today(), 6, at("20:05:00"));
        assert_eq!(count(Unit::Orders), 2);
        assert_eq!(count(Unit::Effort), 24 + 7);
    }
}
