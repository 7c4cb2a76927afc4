//! The life of an order under the hands of people.

use engine::{Capacity, Roles as _, Word as _};
use proptest::prelude::*;

use super::*;
use crate::model::{Channel, Intake, Mode, Order, OrderState, PaymentMethod, PaymentState, Role};
use crate::policy::Unit;
use crate::rules::samples::{at, order, preparing};

fn kitchen(limit: u32, in_use: u32) -> Kitchen {
    Kitchen { capacity: Capacity::new(limit, in_use), unit: Unit::Orders }
}

fn in_state(state: OrderState) -> Order {
    let mut order = preparing(1, "20:00:00");
    order.state = state;
    order.payment_state = PaymentState::Paid;
    if state == OrderState::Received {
        order.started_at = None;
        order.expected_finish = None;
    }
    order
}

fn code(answer: Answer) -> &'static str {
    answer.expect_err("refused").code()
}

fn new_times(changes: &[Change]) -> Times {
    match changes {
        [Change::SetState { times, .. }, ..] => *times,
        other => panic!("no state change first: {other:?}"),
    }
}

#[test]
fn every_move_is_allowed_or_refused_as_the_lifecycle_says() {
    for from in OrderState::ALL {
        for to in OrderState::ALL {
            let order = in_state(*from);
            let now = at("20:05:00");
            let answer = change_state(&order, *to, Some("x"), kitchen(8, 0), Role::Admin, now);
            let forced = force(&order, *to, "x", Role::Admin, now);
            if from == to {
                assert_eq!((answer, forced), (Ok(vec![]), Ok(vec![])));
            } else if engine::allows(*from, *to) {
                assert!(answer.is_ok() && forced.is_ok(), "{from:?} to {to:?}");
            } else {
                assert_eq!(code(answer), "TRANSICION_INVALIDA", "{from:?} to {to:?}");
                assert_eq!(code(forced), "TRANSICION_INVALIDA", "{from:?} to {to:?}");
            }
        }
    }
}

#[test]
fn s8_a_manual_start_enters_and_keeps_the_hold() {
    let mut held = order(1);
    held.intake = Intake::Manual;
    let changes = start(&held, kitchen(8, 0), Role::Cashier, at("20:01:00")).unwrap();
    assert_eq!(changes.len(), 2, "state and ticket; the flag is already manual");
    let times = new_times(&changes);
    assert_eq!(times.started_at, Some(at("20:01:00")));
    assert_eq!(times.expected_finish, Some(at("20:11:00")));
    let own = start(&order(2), kitchen(8, 0), Role::Cashier, at("20:01:00")).unwrap();
    assert!(matches!(own[2], Change::SetIntake { intake: Intake::Manual, .. }));
}

#[test]
fn s9_force_exceeds_capacity_with_role_and_reason() {
    let (order, to, now) = (order(1), OrderState::Preparing, at("20:01:00"));
    assert_eq!(code(force(&order, to, "vip", Role::Cashier, now)), "ROL_INSUFICIENTE");
    assert_eq!(code(force(&order, to, "  ", Role::Manager, now)), "MOTIVO_REQUERIDO");
    let changes = force(&order, to, "vip", Role::Manager, now).unwrap();
    let Change::SetState { cause, reason, .. } = &changes[0] else { panic!("{changes:?}") };
    assert_eq!((*cause, reason.as_deref()), (Cause::Forced, Some("vip")));
    assert_eq!(changes[1], Change::OpenTicket { order: order.id });
}

#[test]
fn s10_a_held_order_is_no_free_pass() {
    let mut held = order(1);
    held.intake = Intake::Manual;
    let (full, now) = (kitchen(8, 8), at("20:01:00"));
    for role in [Role::Kitchen, Role::Cashier] {
        assert_eq!(code(start(&held, full, role, now)), "CAPACIDAD_COCINA_LLENA");
    }
    assert!(start(&held, full, Role::Manager, now).is_ok());
    assert_eq!(code(start(&order(2), full, Role::Manager, now)), "CAPACIDAD_COCINA_LLENA");
}

#[test]
fn s16_the_loser_of_a_race_is_told() {
    let (room, now) = (kitchen(8, 1), at("20:01:00"));
    let taken = in_state(OrderState::Preparing);
    assert_eq!(code(start(&taken, room, Role::Cashier, now)), "PEDIDO_YA_PROCESADO");
    let gone = in_state(OrderState::Cancelled);
    assert_eq!(code(start(&gone, room, Role::Cashier, now)), "PEDIDO_CANCELADO");
}

#[test]
fn s17_stock_goes_back_once() {
    let now = at("20:01:00");
    let mut order = order(1);
    let changes = cancel(&order, "se arrepintió", Role::Cashier, now).unwrap();
    assert_eq!(changes[1], Change::RestoreStock { order: order.id });
    assert_eq!(new_times(&changes).cancelled_at, Some(now));
    order.stock_restored = true;
    assert_eq!(cancel(&order, "otra vez", Role::Cashier, now).unwrap().len(), 1);
    assert_eq!(code(cancel(&order, "", Role::Cashier, now)), "MOTIVO_REQUERIDO");
    assert_eq!(code(cancel(&order, "x", Role::Kitchen, now)), "ROL_INSUFICIENTE");
    let ready = in_state(OrderState::Ready);
    assert_eq!(code(cancel(&ready, "x", Role::Cashier, now)), "ROL_INSUFICIENTE");
    assert!(cancel(&ready, "x", Role::Manager, now).is_ok());
}

#[test]
fn s20_unpaid_online_orders_do_not_start_by_hand_nor_by_force() {
    let mut web = order(1);
    web.channel = Channel::Web;
    web.payment_method = Some(PaymentMethod::MercadoPago);
    let now = at("20:01:00");
    let blocked = "PEDIDO_BLOQUEADO_POR_PAGO";
    assert_eq!(code(start(&web, kitchen(8, 0), Role::Admin, now)), blocked);
    assert_eq!(code(force(&web, OrderState::Preparing, "x", Role::Admin, now)), blocked);
    web.channel = Channel::Counter;
    assert!(start(&web, kitchen(8, 0), Role::Cashier, now).is_ok());
}

#[test]
fn food_is_handed_over_when_paid_or_collected_by_the_rider() {
    let now = at("20:15:00");
    let mut order = in_state(OrderState::Ready);
    order.payment_state = PaymentState::Pending;
    assert_eq!(code(deliver(&order, Role::Cashier, now)), "PEDIDO_NO_COBRADO");
    let forced = force(&order, OrderState::Delivered, "x", Role::Admin, now);
    assert_eq!(code(forced), "PEDIDO_NO_COBRADO");
    order.mode = Mode::Delivery;
    order.cash_on_delivery = true;
    let changes = deliver(&order, Role::Cashier, now).unwrap();
    assert_eq!(new_times(&changes).delivered_at, Some(now));
}

#[test]
fn a_recall_keeps_the_first_start_and_ignores_capacity() {
    let mut order = in_state(OrderState::Ready);
    order.ready_at = Some(at("20:08:00"));
    let (to, now) = (OrderState::Preparing, at("20:09:00"));
    let changes = change_state(&order, to, None, kitchen(8, 8), Role::Kitchen, now).unwrap();
    let times = new_times(&changes);
    assert_eq!((times.started_at, times.ready_at), (Some(at("20:00:00")), None));
    assert_eq!(times.expected_finish, Some(at("20:10:00")));
    assert_eq!(changes.len(), 1, "the ticket is still there");
}

#[test]
fn sending_back_to_the_queue_is_privileged_and_leaves_it_to_people() {
    let order = in_state(OrderState::Preparing);
    let now = at("20:03:00");
    assert_eq!(code(send_back(&order, Role::Kitchen, now)), "ROL_INSUFICIENTE");
    let changes = send_back(&order, Role::Manager, now).unwrap();
    assert_eq!(new_times(&changes), Times::default());
    assert!(matches!(changes[1], Change::SetIntake { intake: Intake::Manual, .. }));
}

fn any_of<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(all)
}

proptest! {
    #[test]
    fn no_command_leaves_the_lifecycle_nor_cooks_over_capacity_unforced(
        from in any_of(OrderState::ALL),
        to in any_of(OrderState::ALL),
        role in any_of(Role::ALL),
        held in any::<bool>(),
        limit in 1_u32..10,
        in_use in 0_u32..12,
    ) {
        let mut order = in_state(from);
        order.intake = Intake::from_flag(!held);
        let now = at("20:05:00");
        let answer = change_state(&order, to, Some("x"), kitchen(limit, in_use), role, now);
        for change in answer.unwrap_or_default() {
            if let Change::SetState { from: expected, to: reached, .. } = change {
                prop_assert_eq!((expected, reached), (from, to));
                prop_assert!(engine::allows(from, to));
                let entering = from == OrderState::Received && to == OrderState::Preparing;
                let privileged = held && role.can(Action::ExceedCapacity);
                prop_assert!(!entering || in_use < limit || privileged);
            }
        }
    }
}
