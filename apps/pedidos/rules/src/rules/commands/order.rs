//! Holding, rescheduling and charging an order.

use super::{Answer, Change, Refusal, permit};
use crate::model::{Due, Intake, Order, OrderState, PaymentMethod, PaymentState, Role};
use crate::policy::Action;
use crate::rules::promise::Verdict;

/// *Retener*: the planner leaves the order alone until someone releases or starts it.
pub fn hold(order: &Order, reason: Option<&str>, role: Role) -> Answer {
    permit(role, Action::WriteOrders)?;
    waiting(order)?;
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty()).map(str::to_owned);
    if order.intake == Intake::Manual && order.hold_reason == reason {
        return Ok(Vec::new());
    }
    Ok(vec![Change::SetIntake { order: order.id, intake: Intake::Manual, reason }])
}

/// *Liberar*: back to the planner.
pub fn release(order: &Order, role: Role) -> Answer {
    permit(role, Action::WriteOrders)?;
    waiting(order)?;
    match order.intake {
        Intake::Automatic => Ok(Vec::new()),
        Intake::Manual => {
            Ok(vec![Change::SetIntake { order: order.id, intake: Intake::Automatic, reason: None }])
        }
    }
}

/// A hold is about entering the kitchen; once inside there is nothing to hold.
fn waiting(order: &Order) -> Result<(), Refusal> {
    match order.state {
        OrderState::Received => Ok(()),
        OrderState::Cancelled => Err(Refusal::Cancelled),
        state @ (OrderState::Preparing | OrderState::Ready | OrderState::Delivered) => {
            Err(Refusal::AlreadyProcessed { state })
        }
    }
}

/// *Cambiar horario de entrega*: the planned start follows; a start already made does not move.
/// `verdict` is what the queue says of a new promise, none when there is none to keep.
pub fn reschedule(order: &Order, due: Due, verdict: Option<Verdict>, role: Role) -> Answer {
    permit(role, Action::WriteOrders)?;
    if order.state.is_final() {
        return Err(Refusal::NotEditable { state: order.state });
    }
    if order.due == due {
        return Ok(Vec::new());
    }
    promised(verdict)?;
    let planned_start = due.planned_start(order.estimate_minutes);
    Ok(vec![Change::SetDue { order: order.id, due, planned_start }])
}

/// Whether a promise may be given; leave the verdict out for whoever insists.
pub fn promised(verdict: Option<Verdict>) -> Result<(), Refusal> {
    match verdict {
        Some(verdict) if verdict.obstacle.is_some() => Err(Refusal::Promise { verdict }),
        _ => Ok(()),
    }
}

/// *Cobrar*: charging twice charges once. A delivered order may still be charged: the rider comes
/// back with the cash.
pub fn pay(order: &Order, method: PaymentMethod, role: Role) -> Answer {
    permit(role, Action::WriteOrders)?;
    settle_payment(order, method, PaymentState::Paid)
}

/// What a payment provider reports. Money that has arrived is not unmade by a late message about
/// an earlier attempt.
pub fn settle_payment(order: &Order, method: PaymentMethod, state: PaymentState) -> Answer {
    if order.state == OrderState::Cancelled {
        return Err(Refusal::Cancelled);
    }
    let same = order.payment_method == Some(method) && order.payment_state == state;
    if same || order.payment_state == PaymentState::Paid {
        return Ok(Vec::new());
    }
    let (from, method) = (order.payment_state, Some(method));
    Ok(vec![Change::SetPayment { order: order.id, method, from, to: state }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::samples::{at, order, preparing};

    #[test]
    fn hold_and_release_are_for_waiting_orders_and_repeatable() {
        let mut order = order(1);
        assert_eq!(release(&order, Role::Cashier), Ok(vec![]));
        let held = Change::SetIntake {
            order: order.id,
            intake: Intake::Manual,
            reason: Some("llama antes".into()),
        };
        assert_eq!(hold(&order, Some(" llama antes "), Role::Cashier), Ok(vec![held]));
        order.intake = Intake::Manual;
        assert_eq!(hold(&order, Some("  "), Role::Cashier), Ok(vec![]));
        assert_eq!(release(&order, Role::Admin).map(|changes| changes.len()), Ok(1));
        assert_eq!(hold(&order, None, Role::Kitchen), Err(Refusal::Role { role: Role::Kitchen }));
        let state = OrderState::Preparing;
        let cooking = preparing(2, "20:00:00");
        assert_eq!(hold(&cooking, None, Role::Admin), Err(Refusal::AlreadyProcessed { state }));
    }

    #[test]
    fn rescheduling_moves_the_planned_start() {
        let mut order = order(1);
        order.estimate_minutes = 35;
        let due = Due::At(at("21:30:00"));
        let planned_start = Some(at("20:55:00"));
        let expected = Change::SetDue { order: order.id, due, planned_start };
        assert_eq!(reschedule(&order, due, None, Role::Cashier), Ok(vec![expected]));
        order.due = due;
        assert_eq!(reschedule(&order, due, None, Role::Cashier), Ok(vec![]));
        order.state = OrderState::Delivered;
        let refused = reschedule(&order, Due::AsSoonAsPossible, None, Role::Admin);
        assert_eq!(refused.unwrap_err().code(), "PEDIDO_NO_EDITABLE");
    }

    #[test]
    fn charging_twice_charges_once_and_cancelled_is_not_charged() {
        let mut order = order(1);
        let paid = pay(&order, PaymentMethod::Cash, Role::Cashier).unwrap();
        assert_eq!(paid.len(), 1);
        order.payment_state = PaymentState::Paid;
        assert_eq!(pay(&order, PaymentMethod::Debit, Role::Cashier), Ok(vec![]));
        let late = settle_payment(&order, PaymentMethod::MercadoPago, PaymentState::Rejected);
        assert_eq!(late, Ok(vec![]));
        order.state = OrderState::Cancelled;
        let refused = pay(&order, PaymentMethod::Cash, Role::Cashier).unwrap_err();
        assert_eq!(refused.code(), "PEDIDO_CANCELADO");
        assert!(pay(&order, PaymentMethod::Cash, Role::Kitchen).is_err());
    }
}
