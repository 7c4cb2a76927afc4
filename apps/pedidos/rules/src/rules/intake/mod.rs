//! Which waiting orders enter the kitchen now, and what holds the others (§4.2, §4.3).
//!
//! Every path that may admit an order (tick, creation, payment, a place freed, a setting changed)
//! asks this one function, so that no path can jump the queue or overfill the kitchen.

mod bound;
#[cfg(test)]
mod properties;
mod rank;
#[cfg(test)]
mod scenarios;

use engine::{Capacity, Plan};
use jiff::Timestamp;

pub use bound::{bound, bounded};
pub use rank::{Rank, rank};

use crate::model::{
    Channel, Due, Intake, Order, OrderId, PaymentMethod, PaymentState, later_by_minutes,
};
use crate::policy::{Pause, PriorityPolicy, Unit};
use crate::rules::business_day::{BusinessDay, reference};
use crate::rules::payment::awaits_payment;

/// What the planner needs to know of an order in *RECIBIDO*.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    pub id: OrderId,
    pub received_at: Timestamp,
    pub due: Due,
    pub estimate_minutes: i64,
    pub intake: Intake,
    pub hold_reason: Option<String>,
    pub channel: Channel,
    pub payment_method: Option<PaymentMethod>,
    pub payment_state: PaymentState,
    pub effort: i64,
}

impl From<&Order> for Waiting {
    fn from(order: &Order) -> Self {
        Self {
            id: order.id,
            received_at: order.received_at,
            due: order.due,
            estimate_minutes: order.estimate_minutes,
            intake: order.intake,
            hold_reason: order.hold_reason.clone(),
            channel: order.channel,
            payment_method: order.payment_method,
            payment_state: order.payment_state,
            effort: order.effort,
        }
    }
}

impl Waiting {
    /// From when the clock lets it in: at once, or at its planned start (inclusive).
    pub fn start_at(&self) -> Timestamp {
        self.due.planned_start(self.estimate_minutes).unwrap_or(self.received_at)
    }
}

/// The kitchen and its queue at one instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    pub capacity: Capacity,
    pub unit: Unit,
    pub priority: PriorityPolicy,
    pub ageing_minutes: i64,
    /// Automatic entry stopped, by a pause in force or by the setting.
    pub paused: Option<Pause>,
    pub today: BusinessDay,
    pub waiting: Vec<Waiting>,
}

/// An order enters the kitchen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    pub order: OrderId,
    pub started_at: Timestamp,
    pub expected_finish: Timestamp,
}

/// An order stays where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub order: OrderId,
    pub reason: Reason,
}

/// Why an order waits, with the numbers a person needs. Listed in the order they are checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    Paused {
        reason: String,
        until: Option<Timestamp>,
    },
    OnHold {
        reason: Option<String>,
    },
    AwaitingPayment {
        method: Option<PaymentMethod>,
    },
    /// Left over from an earlier business day: a person must decide.
    Stale {
        reference: Timestamp,
    },
    /// Promised for a later business day.
    OtherDay {
        start_at: Timestamp,
        due: Timestamp,
    },
    NotYetDue {
        start_at: Timestamp,
    },
    /// `position` 1 is the next to enter; `needs` places, of which `limit - used` are free.
    KitchenFull {
        used: u32,
        limit: u32,
        needs: u32,
        position: u32,
    },
}

/// Starts what can start, in order, and says of every other order what holds it.
pub fn plan(snapshot: &Snapshot, now: Timestamp) -> Plan<Start, Held> {
    let mut plan = Plan::new();
    let mut queue = Vec::new();
    for waiting in &snapshot.waiting {
        match gates(snapshot, waiting, now).next() {
            Some(reason) => plan.held.push(Held { order: waiting.id, reason }),
            None => {
                queue.push((rank(waiting, snapshot.priority, snapshot.ageing_minutes), waiting));
            }
        }
    }
    plan.held.sort_unstable_by_key(|held| held.order);
    queue.sort_unstable_by_key(|(rank, _)| *rank);

    let mut capacity = snapshot.capacity;
    let mut position = 0;
    for (_, waiting) in queue {
        let needs = snapshot.unit.cost(waiting.effort);
        if position == 0 && fits(capacity, needs) {
            capacity = capacity.taking(needs);
            plan.changes.push(Start {
                order: waiting.id,
                started_at: now,
                expected_finish: later_by_minutes(now, waiting.estimate_minutes),
            });
        } else {
            position += 1;
            let Capacity { limit, in_use: used } = capacity;
            let reason = Reason::KitchenFull { used, limit, needs, position };
            plan.held.push(Held { order: waiting.id, reason });
        }
    }
    plan
}

/// Everything that holds one order, for the person who asks. Empty when it would start now.
pub fn why(snapshot: &Snapshot, order: OrderId, now: Timestamp) -> Vec<Reason> {
    let Some(waiting) = snapshot.waiting.iter().find(|waiting| waiting.id == order) else {
        return Vec::new();
    };
    let reasons: Vec<Reason> = gates(snapshot, waiting, now).collect();
    if !reasons.is_empty() {
        return reasons;
    }
    let held = plan(snapshot, now).held;
    held.into_iter().find(|held| held.order == order).map(|held| held.reason).into_iter().collect()
}

/// Whether an order that needs so many places may enter.
///
/// An order larger than the whole kitchen may enter an empty one, else it would wait for ever. A
/// limit of zero, the reading of a capacity that could not be read, admits nobody.
pub const fn fits(capacity: Capacity, needs: u32) -> bool {
    let alone = capacity.in_use == 0 && capacity.limit > 0;
    alone || needs <= capacity.free()
}

/// One rule that may hold an order, whatever the room in the kitchen.
type Gate = fn(&Snapshot, &Waiting, Timestamp) -> Option<Reason>;

fn gates<'a>(
    snapshot: &'a Snapshot,
    waiting: &'a Waiting,
    now: Timestamp,
) -> impl Iterator<Item = Reason> + 'a {
    let gates: [Gate; 5] = [paused, on_hold, unpaid, stale, not_yet_due];
    gates.into_iter().filter_map(move |gate| gate(snapshot, waiting, now))
}

fn paused(snapshot: &Snapshot, _: &Waiting, now: Timestamp) -> Option<Reason> {
    let pause = snapshot.paused.as_ref().filter(|pause| pause.holds(now))?;
    Some(Reason::Paused { reason: pause.reason.clone(), until: pause.until })
}

fn on_hold(_: &Snapshot, waiting: &Waiting, _: Timestamp) -> Option<Reason> {
    match waiting.intake {
        Intake::Automatic => None,
        Intake::Manual => Some(Reason::OnHold { reason: waiting.hold_reason.clone() }),
    }
}

fn unpaid(_: &Snapshot, waiting: &Waiting, _: Timestamp) -> Option<Reason> {
    let Waiting { channel, payment_method: method, payment_state, .. } = *waiting;
    awaits_payment(channel, method, payment_state).then_some(Reason::AwaitingPayment { method })
}

fn stale(snapshot: &Snapshot, waiting: &Waiting, _: Timestamp) -> Option<Reason> {
    let reference = reference(waiting.due, waiting.received_at);
    (reference < snapshot.today.begins).then_some(Reason::Stale { reference })
}

/// By instant and not by date: an order for ten past the cut-off starts before it.
fn not_yet_due(snapshot: &Snapshot, waiting: &Waiting, now: Timestamp) -> Option<Reason> {
    let Due::At(due) = waiting.due else {
        return None;
    };
    let start_at = waiting.start_at();
    if now >= start_at {
        None
    } else if due >= snapshot.today.ends {
        Some(Reason::OtherDay { start_at, due })
    } else {
        Some(Reason::NotYetDue { start_at })
    }
}

impl Reason {
    /// The word of the outside contract.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Paused { .. } => "AUTOMATIZACION_PAUSADA",
            Self::OnHold { .. } => "PEDIDO_RETENIDO",
            Self::AwaitingPayment { .. } => "PEDIDO_BLOQUEADO_POR_PAGO",
            Self::Stale { .. } => "OTRA_JORNADA_VENCIDA",
            Self::OtherDay { .. } => "OTRA_JORNADA",
            Self::NotYetDue { .. } => "AUN_NO_CORRESPONDE",
            Self::KitchenFull { .. } => "COCINA_LLENA",
        }
    }

    /// The instant at which this reason goes away by itself, when there is one.
    pub const fn until(&self) -> Option<Timestamp> {
        match self {
            Self::Paused { until, .. } => *until,
            Self::OtherDay { start_at, .. } | Self::NotYetDue { start_at } => Some(*start_at),
            Self::OnHold { .. }
            | Self::AwaitingPayment { .. }
            | Self::Stale { .. }
            | Self::KitchenFull { .. } => None,
        }
    }
}
