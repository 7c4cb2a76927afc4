//! The evening told in scenarios, S-1 to S-23 where they concern entering.

use super::*;
use crate::rules::samples::{CUTOFF, at, instant, order, scheduled, today, zone};

fn snapshot(limit: u32, in_use: u32, orders: &[Order]) -> Snapshot {
    Snapshot {
        capacity: Capacity::new(limit, in_use),
        unit: Unit::Orders,
        priority: PriorityPolicy::Strict,
        ageing_minutes: 15,
        paused: None,
        today: today(),
        waiting: orders.iter().map(Waiting::from).collect(),
    }
}

fn asap(id: i64, received: &str) -> Order {
    let mut order = order(id);
    order.received_at = at(received);
    order
}

fn started(snapshot: &Snapshot, now: Timestamp) -> Vec<i64> {
    plan(snapshot, now).changes.iter().map(|start| start.order.0).collect()
}

fn reason(snapshot: &Snapshot, id: i64, now: Timestamp) -> Reason {
    why(snapshot, OrderId(id), now).into_iter().next().expect("held")
}

#[test]
fn s1_wanted_now_enters_an_empty_kitchen_at_once() {
    let plan = plan(&snapshot(8, 0, &[order(1)]), at("20:00:00"));
    let expected =
        Start { order: OrderId(1), started_at: at("20:00:00"), expected_finish: at("20:10:00") };
    assert_eq!(plan.changes, [expected]);
    assert!(plan.held.is_empty());
}

#[test]
fn s2_a_full_kitchen_holds_with_numbers() {
    let full = snapshot(8, 8, &[asap(9, "20:05:00"), asap(10, "20:05:30")]);
    assert_eq!(started(&full, at("20:06:00")), [0_i64; 0]);
    let expected = Reason::KitchenFull { used: 8, limit: 8, needs: 1, position: 2 };
    assert_eq!(reason(&full, 10, at("20:06:00")), expected);
    let freed = Snapshot { capacity: Capacity::new(8, 7), ..full };
    assert_eq!(started(&freed, at("20:06:10")), [9]);
}

#[test]
fn s3_the_policy_decides_between_a_promise_and_asap() {
    let promise = scheduled(1, "19:00:00", "20:30:00", 15);
    let mut snapshot = snapshot(8, 7, &[promise, asap(2, "20:10:00")]);
    assert_eq!(started(&snapshot, at("20:16:00")), [2]);
    snapshot.priority = PriorityPolicy::Promise;
    assert_eq!(started(&snapshot, at("20:16:00")), [1]);
}

#[test]
fn ageing_lets_an_old_order_wanted_now_pass_a_younger_promise() {
    let promise = scheduled(1, "19:00:00", "20:30:00", 15);
    let mut snapshot = snapshot(8, 7, &[promise, asap(2, "19:59:59")]);
    snapshot.priority = PriorityPolicy::Promise;
    assert_eq!(started(&snapshot, at("20:16:00")), [2]);
    snapshot.ageing_minutes = 16;
    assert_eq!(started(&snapshot, at("20:16:00")), [1]);
}

#[test]
fn s4_oldest_first_then_the_lowest_number() {
    let orders = [asap(12, "20:01:00"), asap(11, "20:01:00"), asap(13, "20:00:59")];
    assert_eq!(started(&snapshot(8, 6, &orders), at("20:02:00")), [13, 11]);
}

#[test]
fn s5_the_planned_start_is_inclusive() {
    let snapshot = snapshot(8, 0, &[scheduled(1, "12:00:00", "15:00:00", 15)]);
    let held = Reason::NotYetDue { start_at: at("14:45:00") };
    assert_eq!(reason(&snapshot, 1, at("14:44:59")), held);
    let plan = plan(&snapshot, at("14:45:00"));
    assert_eq!(plan.changes[0].expected_finish, at("15:00:00"));
}

#[test]
fn s7_orders_not_yet_due_do_not_use_up_the_places() {
    let orders = [
        scheduled(1, "18:00:00", "22:30:00", 15),
        scheduled(2, "18:05:00", "23:00:00", 15),
        scheduled(3, "18:10:00", "20:30:00", 15),
    ];
    assert_eq!(started(&snapshot(8, 6, &orders), at("20:16:00")), [3]);
}

#[test]
fn s8_a_held_order_waits_for_a_person() {
    let mut held = order(1);
    held.intake = Intake::Manual;
    held.hold_reason = Some("avisa cuando sale".into());
    let snapshot = snapshot(8, 0, &[held]);
    let expected = Reason::OnHold { reason: Some("avisa cuando sale".into()) };
    assert_eq!(reason(&snapshot, 1, at("23:00:00")), expected);
}

#[test]
fn s9_s11_over_the_limit_nobody_enters_and_nobody_leaves() {
    for in_use in 5..=9 {
        let over = snapshot(5, in_use, &[order(1)]);
        assert!(plan(&over, at("20:00:00")).is_settled(), "{in_use} of 5");
    }
    let raised = snapshot(20, 7, &[order(1), order(2), order(3)]);
    assert_eq!(started(&raised, at("20:00:00")), [1, 2, 3]);
}

#[test]
fn s20_online_payment_is_waited_for() {
    let mut web = order(1);
    web.channel = Channel::Web;
    web.payment_method = Some(PaymentMethod::MercadoPago);
    let unpaid = snapshot(8, 0, &[web.clone()]);
    assert_eq!(reason(&unpaid, 1, at("20:00:00")).code(), "PEDIDO_BLOQUEADO_POR_PAGO");
    web.payment_state = PaymentState::Paid;
    assert_eq!(started(&snapshot(8, 0, &[web]), at("20:20:00")), [1]);
}

#[test]
fn s21_midnight_changes_nothing() {
    let snapshot = snapshot(8, 7, &[asap(1, "23:50:00")]);
    assert_eq!(started(&snapshot, instant("2026-06-20T00:03:00-03:00")), [1]);
}

#[test]
fn s22_an_order_for_tomorrow_enters_tomorrow() {
    let mut tomorrow = order(1);
    tomorrow.received_at = instant("2026-06-18T22:00:00-03:00");
    tomorrow.due = Due::At(at("20:00:00"));
    tomorrow.estimate_minutes = 15;
    let mut snapshot = snapshot(8, 0, &[tomorrow]);
    let thursday = instant("2026-06-18T22:01:00-03:00");
    snapshot.today = BusinessDay::containing(thursday, &zone(), CUTOFF);
    let held = Reason::OtherDay { start_at: at("19:45:00"), due: at("20:00:00") };
    assert_eq!(reason(&snapshot, 1, thursday), held);
    snapshot.today = today();
    assert_eq!(started(&snapshot, at("19:44:59")), [0_i64; 0]);
    assert_eq!(started(&snapshot, at("19:45:00")), [1]);
}

#[test]
fn an_order_for_just_after_the_cutoff_starts_before_it() {
    let mut early = order(1);
    early.due = Due::At(instant("2026-06-20T04:10:00-03:00"));
    early.estimate_minutes = 35;
    let snapshot = snapshot(8, 0, &[early]);
    assert_eq!(started(&snapshot, instant("2026-06-20T03:35:00-03:00")), [1]);
}

#[test]
fn leftovers_of_earlier_days_are_exceptions() {
    let mut yesterday = order(1);
    yesterday.received_at = instant("2026-06-19T03:59:59-03:00");
    let mut promised = order(2);
    promised.due = Due::At(instant("2026-06-18T21:00:00-03:00"));
    let snapshot = snapshot(8, 0, &[yesterday, promised]);
    for id in [1, 2] {
        assert_eq!(reason(&snapshot, id, at("12:00:00")).code(), "OTRA_JORNADA_VENCIDA");
    }
}

#[test]
fn a_pause_is_named_first_and_ends_by_itself() {
    let mut held = order(1);
    held.intake = Intake::Manual;
    let mut snapshot = snapshot(8, 0, &[held, order(2)]);
    let until = Some(at("20:30:00"));
    snapshot.paused = Some(Pause { reason: "sin gas".into(), until, by: "ana".into() });
    let codes: Vec<_> =
        why(&snapshot, OrderId(1), at("20:05:00")).iter().map(Reason::code).collect();
    assert_eq!(codes, ["AUTOMATIZACION_PAUSADA", "PEDIDO_RETENIDO"]);
    assert_eq!(started(&snapshot, at("20:29:59")), [0_i64; 0]);
    assert_eq!(started(&snapshot, at("20:30:00")), [2]);
}

#[test]
fn by_effort_a_small_order_does_not_overtake_a_large_one() {
    let mut large = asap(1, "20:00:00");
    large.effort = 12;
    let mut small = asap(2, "20:01:00");
    small.effort = 1;
    let mut snapshot = snapshot(20, 10, &[large, small]);
    snapshot.unit = Unit::Effort;
    assert_eq!(started(&snapshot, at("20:02:00")), [0_i64; 0]);
    let expected = Reason::KitchenFull { used: 10, limit: 20, needs: 12, position: 1 };
    assert_eq!(reason(&snapshot, 1, at("20:02:00")), expected);
    snapshot.capacity = Capacity::new(20, 7);
    assert_eq!(started(&snapshot, at("20:02:00")), [1, 2]);
}

#[test]
fn an_order_larger_than_the_kitchen_enters_an_empty_one() {
    let mut giant = order(1);
    giant.effort = 60;
    let mut snapshot = snapshot(20, 1, &[giant]);
    snapshot.unit = Unit::Effort;
    assert!(plan(&snapshot, at("20:02:00")).is_settled());
    snapshot.capacity = Capacity::new(20, 0);
    assert_eq!(started(&snapshot, at("20:02:00")), [1]);
    snapshot.capacity = Capacity::new(0, 0);
    assert!(plan(&snapshot, at("20:02:00")).is_settled(), "unreadable capacity admits nobody");
}
