//! The changes that commands and the planner ask the store to write.

use jiff::Timestamp;

use crate::model::{
    Due, Intake, Line, LineState, Order, OrderId, OrderState, PaymentMethod, PaymentState,
};
use crate::rules::intake::Start;
use crate::rules::revise::Revision;

engine::words! {
    /// What made a state change; written in the history and published with the event.
    pub enum Cause {
        Automatic = "AUTOMATICA",
        Manual = "MANUAL",
        Forced = "FORZADA",
        Recalled = "RECUPERADA",
    }
}

/// The instants of an order as they are after a state change; the store writes all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Times {
    pub started_at: Option<Timestamp>,
    pub expected_finish: Option<Timestamp>,
    pub ready_at: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
    pub cancelled_at: Option<Timestamp>,
}

impl Times {
    pub const fn of(order: &Order) -> Self {
        Self {
            started_at: order.started_at,
            expected_finish: order.expected_finish,
            ready_at: order.ready_at,
            delivered_at: order.delivered_at,
            cancelled_at: order.cancelled_at,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Guarded by `from`: applied only while the order is still in that state.
    SetState {
        order: OrderId,
        from: OrderState,
        to: OrderState,
        times: Times,
        cause: Cause,
        reason: Option<String>,
    },
    /// Open the ticket from the order's lines if it has none: an order has one ticket for life.
    OpenTicket {
        order: OrderId,
    },
    ReviseTicket {
        order: OrderId,
        revision: Revision,
    },
    AcknowledgeTicket {
        ticket: i64,
        revision: i64,
    },
    /// What one press marks; it is taken back together.
    MarkLines {
        ticket: i64,
        lines: Vec<i64>,
        from: LineState,
        to: LineState,
    },
    /// Give back what the order's lines took, and mark the order so that it happens once.
    RestoreStock {
        order: OrderId,
    },
    /// Per article, units to take (positive) or to give back (negative).
    AdjustStock {
        order: OrderId,
        taken: Vec<(i64, i64)>,
    },
    SetIntake {
        order: OrderId,
        intake: Intake,
        reason: Option<String>,
    },
    SetDue {
        order: OrderId,
        due: Due,
        planned_start: Option<Timestamp>,
    },
    SetPayment {
        order: OrderId,
        method: Option<PaymentMethod>,
        from: PaymentState,
        to: PaymentState,
    },
    SetLines {
        order: OrderId,
        lines: Vec<Line>,
        effort: i64,
        total_cents: i64,
        estimate_minutes: i64,
        planned_start: Option<Timestamp>,
        expected_finish: Option<Timestamp>,
    },
}

impl Start {
    /// The changes an automatic entry consists of; the same as those of a manual one.
    pub fn changes(&self) -> Vec<Change> {
        let times = Times {
            started_at: Some(self.started_at),
            expected_finish: Some(self.expected_finish),
            ..Times::default()
        };
        let set = Change::SetState {
            order: self.order,
            from: OrderState::Received,
            to: OrderState::Preparing,
            times,
            cause: Cause::Automatic,
            reason: None,
        };
        vec![set, Change::OpenTicket { order: self.order }]
    }
}
