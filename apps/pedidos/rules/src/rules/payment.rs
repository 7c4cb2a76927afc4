//! What money has to do with cooking and handing over.

use crate::model::{Channel, Mode, Order, PaymentMethod, PaymentState};

/// An order from the web that is to be paid online waits for the money; at the counter and on the
/// telephone there is a person to ask, so those cook unpaid.
pub const fn awaits_payment(
    channel: Channel,
    method: Option<PaymentMethod>,
    state: PaymentState,
) -> bool {
    let online = match channel {
        Channel::Web => match method {
            Some(PaymentMethod::MercadoPago | PaymentMethod::Transfer) => true,
            Some(
                PaymentMethod::Cash
                | PaymentMethod::Debit
                | PaymentMethod::Credit
                | PaymentMethod::InvoicedTransfer,
            )
            | None => false,
        },
        Channel::Counter | Channel::Phone | Channel::WhatsApp => false,
    };
    online && !matches!(state, PaymentState::Paid)
}

/// Food leaves the shop when it is paid, or with a rider who will collect the cash.
pub const fn may_hand_over(order: &Order) -> bool {
    matches!(order.payment_state, PaymentState::Paid)
        || (matches!(order.mode, Mode::Delivery) && order.cash_on_delivery)
}

#[cfg(test)]
mod tests {
    use engine::Word as _;

    use super::*;
    use crate::rules::samples::order;

    #[test]
    fn only_online_payment_on_the_web_is_waited_for() {
        for channel in Channel::ALL {
            for method in PaymentMethod::ALL {
                let online = *channel == Channel::Web
                    && [PaymentMethod::MercadoPago, PaymentMethod::Transfer].contains(method);
                for state in PaymentState::ALL {
                    let expected = online && *state != PaymentState::Paid;
                    assert_eq!(awaits_payment(*channel, Some(*method), *state), expected);
                }
            }
            assert!(!awaits_payment(*channel, None, PaymentState::Pending));
        }
    }

    #[test]
    fn unpaid_food_leaves_only_with_a_rider_who_collects() {
        let mut order = order(1);
        assert!(!may_hand_over(&order));
        order.cash_on_delivery = true;
        assert!(!may_hand_over(&order), "nobody collects at pick-up");
        order.mode = Mode::Delivery;
        assert!(may_hand_over(&order));
        order.cash_on_delivery = false;
        assert!(!may_hand_over(&order));
        order.payment_state = PaymentState::Paid;
        assert!(may_hand_over(&order));
    }
}
