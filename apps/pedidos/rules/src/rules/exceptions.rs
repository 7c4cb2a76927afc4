//! *Excepciones*: leftovers of older days that need a person, so that nothing vanishes.

use jiff::Timestamp;

use crate::model::{Order, OrderState};
use crate::rules::business_day::{BusinessDay, reference};
use crate::rules::used::occupies;

/// An unfinished order of an earlier business day that the automation no longer looks after: it
/// waits for nobody, cooks for longer than anything cooks, or was never handed over.
pub fn is_leftover(order: &Order, today: &BusinessDay, stale_hours: i64, now: Timestamp) -> bool {
    let earlier = reference(order.due, order.received_at) < today.begins;
    match order.state {
        OrderState::Received | OrderState::Ready => earlier,
        OrderState::Preparing => earlier && !occupies(order, today, stale_hours, now),
        OrderState::Delivered | OrderState::Cancelled => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Due;
    use crate::rules::samples::{at, instant, order, preparing, today};

    #[test]
    fn waiting_past_the_cutoff_makes_a_leftover() {
        let mut waiting = order(1);
        waiting.received_at = instant("2026-06-19T03:59:59-03:00");
        assert!(is_leftover(&waiting, &today(), 6, at("04:00:00")));
        waiting.received_at = at("04:00:00");
        assert!(!is_leftover(&waiting, &today(), 6, at("04:00:00")));
    }

    #[test]
    fn an_old_order_promised_for_today_or_later_is_not_one() {
        let mut scheduled = order(1);
        scheduled.received_at = instant("2026-06-10T12:00:00-03:00");
        scheduled.due = Due::At(at("20:30:00"));
        assert!(!is_leftover(&scheduled, &today(), 6, at("12:00:00")));
        scheduled.due = Due::At(instant("2026-06-18T20:30:00-03:00"));
        assert!(is_leftover(&scheduled, &today(), 6, at("12:00:00")));
    }

    #[test]
    fn cooking_is_a_leftover_only_once_it_no_longer_holds_a_place() {
        let mut cooking = preparing(1, "03:30:00");
        assert!(!is_leftover(&cooking, &today(), 6, at("05:00:00")));
        assert!(is_leftover(&cooking, &today(), 6, at("09:30:00")));
        cooking.state = OrderState::Delivered;
        assert!(!is_leftover(&cooking, &today(), 6, at("09:30:00")));
    }
}
