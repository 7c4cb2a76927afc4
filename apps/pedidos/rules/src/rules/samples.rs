//! Orders and instants of the evening the scenarios are told in: Friday 2026-06-19, UTC−3.

use jiff::Timestamp;
use jiff::civil::{Time, time};
use jiff::tz::TimeZone;

use crate::model::{
    Channel, Customer, Due, Intake, Line, Mode, Order, OrderId, OrderState, PaymentState,
};
use crate::rules::business_day::BusinessDay;

pub(crate) const CUTOFF: Time = time(4, 0, 0, 0);

pub(crate) fn zone() -> TimeZone {
    TimeZone::get("America/Argentina/Buenos_Aires").unwrap()
}

pub(crate) fn instant(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(crate) fn at(clock: &str) -> Timestamp {
    instant(&format!("2026-06-19T{clock}-03:00"))
}

pub(crate) fn today() -> BusinessDay {
    BusinessDay::containing(at("12:00:00"), &zone(), CUTOFF)
}

/// Wanted now, received at 20:00, two burgers and a drink: effort 7, ten minutes.
pub(crate) fn order(id: i64) -> Order {
    Order {
        id: OrderId(id),
        state: OrderState::Received,
        received_at: at("20:00:00"),
        due: Due::AsSoonAsPossible,
        estimate_minutes: 10,
        planned_start: None,
        started_at: None,
        expected_finish: None,
        ready_at: None,
        delivered_at: None,
        cancelled_at: None,
        intake: Intake::Automatic,
        mode: Mode::PickUp,
        channel: Channel::Counter,
        payment_method: None,
        payment_state: PaymentState::Pending,
        cash_on_delivery: false,
        effort: 7,
        total_cents: 700_000,
        customer: Customer::default(),
        note: None,
        version: 1,
        stock_restored: false,
        hold_reason: None,
        cancel_reason: None,
    }
}

/// Received and started at the given time of the day.
pub(crate) fn preparing(id: i64, clock: &str) -> Order {
    let started_at = at(clock);
    let mut order = order(id);
    order.state = OrderState::Preparing;
    order.received_at = started_at;
    order.started_at = Some(started_at);
    order.expected_finish =
        Some(crate::model::later_by_minutes(started_at, order.estimate_minutes));
    order
}

pub(crate) fn scheduled(id: i64, received: &str, due: &str, estimate_minutes: i64) -> Order {
    let mut order = order(id);
    order.received_at = at(received);
    order.due = Due::At(at(due));
    order.estimate_minutes = estimate_minutes;
    order.planned_start = order.due.planned_start(estimate_minutes);
    order
}

pub(crate) fn line(name: &str, weight: i64, quantity: i64) -> Line {
    Line {
        n: 1,
        article: None,
        name: name.to_owned(),
        weight,
        quantity,
        price_cents: 100_000,
        note: None,
        extras: None,
        station: None,
    }
}
