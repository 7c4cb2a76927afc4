//! How late an order is, for the kitchen and for the customer (§4.3.4, R-9).

use std::collections::BTreeSet;

use engine::{Standing, Window};
use jiff::Timestamp;

use crate::model::{Due, Order, OrderId, OrderState, later_by_minutes};

engine::words! {
    /// *Nivel de atraso*, from good to bad.
    pub enum Level {
        OnTime = "A_TIEMPO",
        AtRisk = "EN_RIESGO",
        LateInKitchen = "ATRASADO_COCINA",
        LateToCustomer = "ATRASADO_CLIENTE",
    }
}

impl Level {
    pub const fn is_late(self) -> bool {
        match self {
            Self::LateInKitchen | Self::LateToCustomer => true,
            Self::OnTime | Self::AtRisk => false,
        }
    }
}

/// The promise to the customer counts in every state until the food is handed over; the kitchen's
/// own estimate only while it cooks.
pub fn level(order: &Order, now: Timestamp) -> Level {
    if order.state.is_final() {
        Level::OnTime
    } else if promised(order).is_some_and(|due| now > due) {
        Level::LateToCustomer
    } else {
        match order.state {
            OrderState::Received if now >= must_start_by(order) => Level::AtRisk,
            OrderState::Preparing => in_kitchen(order, now),
            OrderState::Received
            | OrderState::Ready
            | OrderState::Delivered
            | OrderState::Cancelled => Level::OnTime,
        }
    }
}

fn in_kitchen(order: &Order, now: Timestamp) -> Level {
    let Some(window) = kitchen_window(order) else {
        return Level::OnTime;
    };
    match window.standing(now) {
        Standing::Late => Level::LateInKitchen,
        Standing::AtRisk => Level::AtRisk,
        Standing::OnTime if breaks_promise(order, window) => Level::AtRisk,
        Standing::OnTime => Level::OnTime,
    }
}

/// Started so late that it will miss the promise. A minute of grace: an order that entered a few
/// seconds after its planned start is no news.
fn breaks_promise(order: &Order, window: Window) -> bool {
    promised(order).is_some_and(|due| window.until >= later_by_minutes(due, 1))
}

/// A scheduled order should start at its planned start. One wanted now has no promise; it has
/// waited too long when it waited longer than it takes to prepare.
fn must_start_by(order: &Order) -> Timestamp {
    let planned = order.due.planned_start(order.estimate_minutes);
    planned.unwrap_or_else(|| later_by_minutes(order.received_at, order.estimate_minutes))
}

const fn promised(order: &Order) -> Option<Timestamp> {
    match order.due {
        Due::AsSoonAsPossible => None,
        Due::At(at) => Some(at),
    }
}

fn kitchen_window(order: &Order) -> Option<Window> {
    Some(Window { from: order.started_at?, until: order.expected_finish? })
}

/// Whole minutes late by the reference of its level. Once ready and not late to the customer: by
/// how much the kitchen overran, for the record.
pub fn minutes_late(order: &Order, now: Timestamp) -> i64 {
    let since = |reference: Option<Timestamp>, end: Timestamp| {
        reference.map_or(0, |reference| end.duration_since(reference).as_secs().max(0) / 60)
    };
    match level(order, now) {
        Level::LateToCustomer => since(promised(order), now),
        Level::LateInKitchen => since(order.expected_finish, now),
        Level::OnTime | Level::AtRisk => match order.ready_at {
            Some(ready_at) => since(order.expected_finish, ready_at),
            None => 0,
        },
    }
}

/// What was last announced about late orders.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Announced {
    pub late: BTreeSet<OrderId>,
    pub at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Occasion {
    /// An order became late or ceased to be.
    Changed,
    /// The same orders are still late.
    Reminder,
}

/// What to say now; an empty list tells the screens that nobody is late any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    pub late: BTreeSet<OrderId>,
    pub occasion: Occasion,
}

/// Speaks when the set of late orders changes, and every `reminder_minutes` while it does not:
/// a warning repeated at every tick is one nobody reads (S-13). Leave out leftovers of earlier
/// days; they have their own list.
pub fn announce<'a>(
    previous: &Announced,
    orders: impl IntoIterator<Item = &'a Order>,
    now: Timestamp,
    reminder_minutes: i64,
) -> Option<Announcement> {
    let late: BTreeSet<OrderId> = orders
        .into_iter()
        .filter(|order| level(order, now).is_late())
        .map(|order| order.id)
        .collect();
    if late != previous.late {
        return Some(Announcement { late, occasion: Occasion::Changed });
    }
    let due = previous.at.is_none_or(|at| now >= later_by_minutes(at, reminder_minutes));
    (due && !late.is_empty()).then_some(Announcement { late, occasion: Occasion::Reminder })
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::rules::samples::{at, order, preparing, scheduled};

    #[test]
    fn s13_late_is_strict_said_once_and_recorded() {
        let mut order = preparing(1, "20:00:00");
        assert_eq!(level(&order, at("20:07:59")), Level::OnTime);
        assert_eq!(level(&order, at("20:08:00")), Level::AtRisk);
        assert_eq!(level(&order, at("20:10:00")), Level::AtRisk);
        let mut last = Announced::default();
        assert_eq!(announce(&last, [&order], at("20:10:00"), 5), None);
        let first = announce(&last, [&order], at("20:10:01"), 5).unwrap();
        assert_eq!(first.occasion, Occasion::Changed);
        last = Announced { late: first.late, at: Some(at("20:10:01")) };
        assert_eq!(announce(&last, [&order], at("20:10:31"), 5), None);
        let again = announce(&last, [&order], at("20:15:01"), 5).unwrap();
        assert_eq!(again.occasion, Occasion::Reminder);
        order.state = OrderState::Ready;
        order.ready_at = Some(at("20:12:00"));
        assert_eq!(level(&order, at("20:12:00")), Level::OnTime);
        assert_eq!(minutes_late(&order, at("20:40:00")), 2);
        let cleared = announce(&last, [&order], at("20:12:00"), 5).unwrap();
        assert!(cleared.late.is_empty());
    }

    #[test]
    fn s14_a_waiting_promise_can_be_late() {
        let order = scheduled(1, "19:00:00", "20:30:00", 15);
        assert_eq!(level(&order, at("20:14:59")), Level::OnTime);
        assert_eq!(level(&order, at("20:15:00")), Level::AtRisk);
        assert_eq!(level(&order, at("20:30:00")), Level::AtRisk);
        assert_eq!(level(&order, at("20:30:01")), Level::LateToCustomer);
        assert_eq!(minutes_late(&order, at("20:31:59")), 1);
    }

    #[test]
    fn the_promise_outlives_the_kitchen() {
        let mut order = scheduled(1, "19:00:00", "20:30:00", 15);
        order.state = OrderState::Preparing;
        order.started_at = Some(at("20:28:00"));
        order.expected_finish = Some(at("20:43:00"));
        assert_eq!(level(&order, at("20:28:30")), Level::AtRisk, "it will break the promise");
        assert_eq!(level(&order, at("20:30:01")), Level::LateToCustomer);
        order.state = OrderState::Ready;
        order.ready_at = Some(at("20:40:00"));
        assert_eq!(level(&order, at("20:41:00")), Level::LateToCustomer);
        order.state = OrderState::Delivered;
        assert_eq!(level(&order, at("23:00:00")), Level::OnTime);
    }

    #[test]
    fn s21_lateness_does_not_stop_at_midnight() {
        let mut order = preparing(1, "23:40:00");
        order.expected_finish = Some(crate::rules::samples::instant("2026-06-20T00:05:00-03:00"));
        let after = crate::rules::samples::instant("2026-06-20T00:05:01-03:00");
        assert_eq!(level(&order, after), Level::LateInKitchen);
    }

    #[test]
    fn wanted_now_is_at_risk_after_waiting_its_own_estimate() {
        let order = order(1);
        assert_eq!(level(&order, at("20:09:59")), Level::OnTime);
        assert_eq!(level(&order, at("20:10:00")), Level::AtRisk);
    }
}
