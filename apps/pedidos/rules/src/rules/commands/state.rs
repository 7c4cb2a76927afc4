//! Moving an order along its life.

use engine::{Capacity, Roles as _, allows};
use jiff::Timestamp;

use super::{Answer, Cause, Change, Refusal, Times, permit, required};
use crate::model::{Intake, Order, OrderState, Role, later_by_minutes};
use crate::policy::{Action, Unit};
use crate::rules::intake::fits;
use crate::rules::payment::{awaits_payment, may_hand_over};

/// The room in the kitchen, read under the same lock the start is committed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kitchen {
    pub capacity: Capacity,
    pub unit: Unit,
}

/// *Cambiar estado*: whatever state is asked for. The state it already has is a success without
/// changes, so that a repeated request is harmless.
pub fn change_state(
    order: &Order,
    to: OrderState,
    reason: Option<&str>,
    kitchen: Kitchen,
    role: Role,
    now: Timestamp,
) -> Answer {
    permit(role, Action::ChangeState)?;
    if order.state == to {
        return Ok(Vec::new());
    }
    legal(order, to)?;
    match (order.state, to) {
        (OrderState::Ready, OrderState::Preparing) => recall(order, role, now),
        (_, OrderState::Received) => send_back(order, role, now),
        (_, OrderState::Preparing) => start(order, kitchen, role, now),
        (_, OrderState::Ready) => ready(order, role, now),
        (_, OrderState::Delivered) => deliver(order, role, now),
        (_, OrderState::Cancelled) => cancel(order, reason.unwrap_or_default(), role, now),
    }
}

/// *Preparar ya*: a person starts the order, due or not, held or not. From then on it is theirs:
/// should it come back to the queue, the planner leaves it alone.
///
/// It obeys capacity. Only for a held order may a manager exceed it (S-10); for any other there is
/// the forced change, which asks for a reason.
pub fn start(order: &Order, kitchen: Kitchen, role: Role, now: Timestamp) -> Answer {
    permit(role, Action::ChangeState)?;
    match order.state {
        OrderState::Received => {}
        OrderState::Cancelled => return Err(Refusal::Cancelled),
        state @ (OrderState::Preparing | OrderState::Ready | OrderState::Delivered) => {
            return Err(Refusal::AlreadyProcessed { state });
        }
    }
    let needs = kitchen.unit.cost(order.effort);
    let over = order.intake == Intake::Manual && role.can(Action::ExceedCapacity);
    if !over && !fits(kitchen.capacity, needs) {
        let Capacity { limit, in_use: used } = kitchen.capacity;
        return Err(Refusal::KitchenFull { used, limit, needs });
    }
    let mut changes = enter(order, Cause::Manual, None, now)?;
    if order.intake == Intake::Automatic {
        changes.push(Change::SetIntake { order: order.id, intake: Intake::Manual, reason: None });
    }
    Ok(changes)
}

/// The bump of a whole order: the cook or the counter says it is prepared.
pub fn ready(order: &Order, role: Role, now: Timestamp) -> Answer {
    permit(role, Action::ChangeState)?;
    if order.state == OrderState::Ready {
        return Ok(Vec::new());
    }
    legal(order, OrderState::Ready)?;
    Ok(vec![finish(order, Cause::Manual, None, now)])
}

pub fn deliver(order: &Order, role: Role, now: Timestamp) -> Answer {
    permit(role, Action::ChangeState)?;
    if order.state == OrderState::Delivered {
        return Ok(Vec::new());
    }
    legal(order, OrderState::Delivered)?;
    Ok(vec![hand_over(order, Cause::Manual, None, now)?])
}

/// *Cancelar*: a state like any other, with a reason; the stock goes back once.
pub fn cancel(order: &Order, reason: &str, role: Role, now: Timestamp) -> Answer {
    permit(role, Action::WriteOrders)?;
    if order.state == OrderState::Cancelled {
        return Ok(Vec::new());
    }
    legal(order, OrderState::Cancelled)?;
    if order.state == OrderState::Ready {
        permit(role, Action::CancelReady)?;
    }
    Ok(withdraw(order, Cause::Manual, required(reason)?, now))
}

/// *Recuperar*: ready food goes back to the cook. It takes its place again even in a full kitchen,
/// because the food is physically there: refusing would make the figure true and the kitchen wrong.
/// The first start and the expected finish stay, so lateness and learning see the whole time.
pub fn recall(order: &Order, role: Role, _now: Timestamp) -> Answer {
    permit(role, Action::ChangeState)?;
    if order.state == OrderState::Preparing {
        return Ok(Vec::new());
    }
    if order.state != OrderState::Ready {
        return Err(Refusal::Transition { from: order.state, to: OrderState::Preparing });
    }
    Ok(vec![cook_again(order, Cause::Recalled, None)])
}

/// *Devolver a la cola*: a start that should not have been. Its times are cleared, since it has not
/// started after all, and a person keeps it; else the planner would start it again at once.
pub fn send_back(order: &Order, role: Role, _now: Timestamp) -> Answer {
    permit(role, Action::RecallToQueue)?;
    if order.state == OrderState::Received {
        return Ok(Vec::new());
    }
    legal(order, OrderState::Received)?;
    Ok(requeue(order, Cause::Recalled, None))
}

/// *Forzar estado*: a manager overrides capacity and holds, never money nor the legal moves, and
/// says why. The overshoot shows (9 of 8); nobody else enters until there is room (S-9).
pub fn force(order: &Order, to: OrderState, reason: &str, role: Role, now: Timestamp) -> Answer {
    permit(role, Action::ForceState)?;
    let reason = required(reason)?;
    if order.state == to {
        return Ok(Vec::new());
    }
    legal(order, to)?;
    let (cause, because) = (Cause::Forced, Some(reason.clone()));
    match (order.state, to) {
        (OrderState::Ready, OrderState::Preparing) => Ok(vec![cook_again(order, cause, because)]),
        (_, OrderState::Preparing) => enter(order, cause, because, now),
        (_, OrderState::Received) => Ok(requeue(order, cause, because)),
        (_, OrderState::Ready) => Ok(vec![finish(order, cause, because, now)]),
        (_, OrderState::Delivered) => Ok(vec![hand_over(order, cause, because, now)?]),
        (_, OrderState::Cancelled) => Ok(withdraw(order, cause, reason, now)),
    }
}

fn legal(order: &Order, to: OrderState) -> Result<(), Refusal> {
    if allows(order.state, to) {
        Ok(())
    } else {
        Err(Refusal::Transition { from: order.state, to })
    }
}

fn set(
    order: &Order,
    to: OrderState,
    times: Times,
    cause: Cause,
    reason: Option<String>,
) -> Change {
    Change::SetState { order: order.id, from: order.state, to, times, cause, reason }
}

fn enter(order: &Order, cause: Cause, reason: Option<String>, now: Timestamp) -> Answer {
    if awaits_payment(order.channel, order.payment_method, order.payment_state) {
        return Err(Refusal::AwaitingPayment);
    }
    let times = Times {
        started_at: Some(now),
        expected_finish: Some(later_by_minutes(now, order.estimate_minutes)),
        ..Times::of(order)
    };
    let set = set(order, OrderState::Preparing, times, cause, reason);
    Ok(vec![set, Change::OpenTicket { order: order.id }])
}

fn finish(order: &Order, cause: Cause, reason: Option<String>, now: Timestamp) -> Change {
    let times = Times { ready_at: Some(now), ..Times::of(order) };
    set(order, OrderState::Ready, times, cause, reason)
}

fn hand_over(
    order: &Order,
    cause: Cause,
    reason: Option<String>,
    now: Timestamp,
) -> Result<Change, Refusal> {
    if !may_hand_over(order) {
        return Err(Refusal::NotPaid);
    }
    let times = Times { delivered_at: Some(now), ..Times::of(order) };
    Ok(set(order, OrderState::Delivered, times, cause, reason))
}

fn withdraw(order: &Order, cause: Cause, reason: String, now: Timestamp) -> Vec<Change> {
    let times = Times { cancelled_at: Some(now), ..Times::of(order) };
    let mut changes = vec![set(order, OrderState::Cancelled, times, cause, Some(reason))];
    if !order.stock_restored {
        changes.push(Change::RestoreStock { order: order.id });
    }
    changes
}

fn cook_again(order: &Order, cause: Cause, reason: Option<String>) -> Change {
    let times = Times { ready_at: None, ..Times::of(order) };
    set(order, OrderState::Preparing, times, cause, reason)
}

fn requeue(order: &Order, cause: Cause, reason: Option<String>) -> Vec<Change> {
    let times = Times { started_at: None, expected_finish: None, ..Times::of(order) };
    let mut changes = vec![set(order, OrderState::Received, times, cause, reason.clone())];
    if order.intake == Intake::Automatic {
        changes.push(Change::SetIntake { order: order.id, intake: Intake::Manual, reason });
    }
    changes
}
