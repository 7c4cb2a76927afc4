//! *Pedido*: an order, its lines and when the customer wants it.

use jiff::Timestamp;

use super::{
    Channel, Intake, Mode, OrderId, OrderState, PaymentMethod, PaymentState, Priority,
    earlier_by_minutes,
};

/// *Horario de entrega*: when the customer wants it; a missing time means *cuanto antes*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Due {
    AsSoonAsPossible,
    At(Timestamp),
}

impl Due {
    pub const fn from_instant(instant: Option<Timestamp>) -> Self {
        match instant {
            None => Self::AsSoonAsPossible,
            Some(at) => Self::At(at),
        }
    }

    pub const fn instant(self) -> Option<Timestamp> {
        match self {
            Self::AsSoonAsPossible => None,
            Self::At(at) => Some(at),
        }
    }

    /// The promised time less the estimate: the moment from which a scheduled order may enter.
    pub fn planned_start(self, estimate_minutes: i64) -> Option<Timestamp> {
        let at = self.instant()?;
        Some(earlier_by_minutes(at, estimate_minutes))
    }
}

/// The customer as written on the order; a later change of the customer does not rewrite it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Customer {
    pub name: Option<String>,
    pub phone: Option<String>,
    pub address: Option<String>,
    pub email: Option<String>,
}

/// *Pedido*.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    pub id: OrderId,
    pub state: OrderState,
    pub received_at: Timestamp,
    pub due: Due,
    pub estimate_minutes: i64,
    /// *Hora de inicio de preparación*, planned: promised time less estimate; none when wanted now.
    pub planned_start: Option<Timestamp>,
    /// The first actual start; a recall keeps it.
    pub started_at: Option<Timestamp>,
    pub expected_finish: Option<Timestamp>,
    pub ready_at: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
    pub cancelled_at: Option<Timestamp>,
    pub intake: Intake,
    pub mode: Mode,
    pub channel: Channel,
    pub payment_method: Option<PaymentMethod>,
    pub payment_state: PaymentState,
    pub cash_on_delivery: bool,
    /// Kitchen effort: Σ weight × quantity.
    pub effort: i64,
    pub total_cents: i64,
    pub customer: Customer,
    pub note: Option<String>,
    pub version: i64,
    pub stock_restored: bool,
    pub hold_reason: Option<String>,
    pub cancel_reason: Option<String>,
}

impl Order {
    pub const fn priority(&self) -> Priority {
        Priority::of(self.due)
    }
}

/// One line of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Position within the order, from 1.
    pub n: i64,
    /// The article, or none for a line written by hand.
    pub article: Option<i64>,
    pub name: String,
    /// *Peso*: kitchen effort points of one unit, 1 to 4.
    pub weight: i64,
    pub quantity: i64,
    /// Of one unit, extras included.
    pub price_cents: i64,
    pub note: Option<String>,
    /// *Personalizaciones*, the JSON text the client sent; the kitchen shows it, no rule reads it.
    pub extras: Option<String>,
    pub station: Option<String>,
}
