//! The nouns of the application: orders, their lines, kitchen tickets and the closed word lists.
//!
//! Every enum knows its word of the outside contract (`word`) and can be read back from it
//! (`from_word`); `ALL` feeds validation messages and database checks.

use engine::Lifecycle;
use jiff::{SignedDuration, Timestamp};

/// Gives an enum its list, its wire words and the way back from them.
macro_rules! wire_words {
    ($name:ident { $($variant:ident => $word:literal),+ $(,)? }) => {
        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }

            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

/// The number people call an order by; it never restarts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrderId(pub i64);

impl std::fmt::Display for OrderId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// *Estado del pedido* (seed §3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OrderState {
    Received,
    Preparing,
    Ready,
    Delivered,
    Cancelled,
}

wire_words!(OrderState {
    Received => "RECIBIDO",
    Preparing => "EN_PREPARACION",
    Ready => "LISTO",
    Delivered => "ENTREGADO",
    Cancelled => "CANCELADO",
});

impl OrderState {
    /// Nothing more happens to it.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Delivered | Self::Cancelled)
    }
}

impl engine::Word for OrderState {
    const ALL: &'static [Self] = Self::ALL;

    fn word(self) -> &'static str {
        self.word()
    }
}

impl Lifecycle for OrderState {
    /// The moves anyone may ask for, recalls included; who may is a matter of `policy::can`.
    fn successors(self) -> &'static [Self] {
        match self {
            Self::Received => &[Self::Preparing, Self::Cancelled],
            Self::Preparing => &[Self::Ready, Self::Received, Self::Cancelled],
            Self::Ready => &[Self::Delivered, Self::Preparing, Self::Cancelled],
            Self::Delivered | Self::Cancelled => &[],
        }
    }
}

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

/// *Prioridad*: derived from the due time, never stored by hand, so an edit cannot leave it stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    High,
    Normal,
}

wire_words!(Priority { High => "ALTA", Normal => "NORMAL" });

impl Priority {
    pub const fn of(due: Due) -> Self {
        match due {
            Due::AsSoonAsPossible => Self::High,
            Due::At(_) => Self::Normal,
        }
    }
}

/// *Transición automática*: whether the planner may start the order or a person must.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Intake {
    Automatic,
    Manual,
}

impl Intake {
    pub const fn from_flag(automatic: bool) -> Self {
        if automatic { Self::Automatic } else { Self::Manual }
    }

    pub const fn is_automatic(self) -> bool {
        matches!(self, Self::Automatic)
    }
}

wire_words!(Intake { Automatic => "AUTOMATICA", Manual => "MANUAL" });

/// *Modalidad*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    Delivery,
    PickUp,
}

wire_words!(Mode { Delivery => "DELIVERY", PickUp => "RETIRO" });

/// *Origen del pedido*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    Counter,
    Phone,
    WhatsApp,
    Web,
}

wire_words!(Channel {
    Counter => "MOSTRADOR",
    Phone => "TELEFONO",
    WhatsApp => "WHATSAPP",
    Web => "WEB",
});

/// *Medio de pago*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PaymentMethod {
    Cash,
    Debit,
    Credit,
    Transfer,
    InvoicedTransfer,
    MercadoPago,
}

wire_words!(PaymentMethod {
    Cash => "EFECTIVO",
    Debit => "DEBITO",
    Credit => "CREDITO",
    Transfer => "TRANSFERENCIA",
    InvoicedTransfer => "TRANSFERENCIA_FACTURADA",
    MercadoPago => "MERCADOPAGO",
});

/// *Estado del pago*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PaymentState {
    Pending,
    Paid,
    Rejected,
    Cancelled,
}

wire_words!(PaymentState {
    Pending => "PENDIENTE",
    Paid => "PAGADO",
    Rejected => "RECHAZADO",
    Cancelled => "CANCELADO",
});

impl PaymentState {
    /// Like `from_word`, and accepts the older word *DEBE* that existing clients still send.
    pub fn from_input(word: &str) -> Option<Self> {
        if word == "DEBE" { Some(Self::Pending) } else { Self::from_word(word) }
    }
}

/// *Rol* of a person in this application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    Admin,
    Manager,
    Cashier,
    Kitchen,
}

wire_words!(Role {
    Admin => "ADMIN",
    Manager => "GERENTE",
    Cashier => "CAJERO",
    Kitchen => "COCINA",
});

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

/// *Comanda*: what the kitchen works from. One per order, grown by revisions, never rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KitchenTicket {
    pub id: i64,
    pub order: OrderId,
    /// 1 when opened; each edit while cooking adds one.
    pub revision: i64,
    /// The last revision the cook has confirmed seeing.
    pub acknowledged_revision: i64,
}

/// State of one ticket line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineState {
    Pending,
    Done,
    Voided,
}

wire_words!(LineState { Pending => "PENDIENTE", Done => "LISTA", Voided => "ANULADA" });

/// One line of a ticket. `revision` is the revision that added or voided it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TicketLine {
    pub n: i64,
    pub name: String,
    pub quantity: i64,
    pub note: Option<String>,
    pub extras: Option<String>,
    pub station: Option<String>,
    pub revision: i64,
    pub state: LineState,
}

/// Saturates at the ends of time: an absurd estimate must not stop the planner.
pub(crate) fn later_by_minutes(instant: Timestamp, minutes: i64) -> Timestamp {
    let span = SignedDuration::from_secs(minutes.saturating_mul(60));
    instant.saturating_add(span).unwrap_or(instant)
}

pub(crate) fn earlier_by_minutes(instant: Timestamp, minutes: i64) -> Timestamp {
    later_by_minutes(instant, minutes.saturating_neg())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_can_be_read_back() {
        macro_rules! check {
            ($($name:ident),+) => {
                $(for value in $name::ALL {
                    assert_eq!($name::from_word(value.word()), Some(*value));
                    assert_eq!($name::from_word(&value.word().to_lowercase()), None);
                })+
            };
        }
        check!(OrderState, Priority, Intake, Mode, Channel, PaymentMethod, PaymentState, Role);
        check!(LineState);
        assert_eq!(PaymentState::from_input("DEBE"), Some(PaymentState::Pending));
        assert_eq!(PaymentState::from_word("DEBE"), None);
    }

    #[test]
    fn the_life_of_an_order_is_as_published() {
        let diagram = engine::mermaid::<OrderState>();
        let moves: Vec<&str> = diagram.lines().skip(1).map(str::trim).collect();
        let expected = [
            "[*] --> RECIBIDO",
            "RECIBIDO --> EN_PREPARACION",
            "RECIBIDO --> CANCELADO",
            "EN_PREPARACION --> LISTO",
            "EN_PREPARACION --> RECIBIDO",
            "EN_PREPARACION --> CANCELADO",
            "LISTO --> ENTREGADO",
            "LISTO --> EN_PREPARACION",
            "LISTO --> CANCELADO",
            "ENTREGADO --> [*]",
            "CANCELADO --> [*]",
        ];
        assert_eq!(moves, expected);
    }

    #[test]
    fn s6_the_planned_start_is_the_promise_less_the_estimate() {
        let due: Timestamp = "2026-06-19T21:30:00-03:00".parse().unwrap();
        let start: Timestamp = "2026-06-19T20:55:00-03:00".parse().unwrap();
        assert_eq!(Due::At(due).planned_start(35), Some(start));
        assert_eq!(Due::AsSoonAsPossible.planned_start(35), None);
        assert_eq!(Priority::of(Due::At(due)), Priority::Normal);
        assert_eq!(Priority::of(Due::AsSoonAsPossible), Priority::High);
    }

    #[test]
    fn an_absurd_estimate_saturates() {
        assert_eq!(later_by_minutes(Timestamp::UNIX_EPOCH, i64::MAX), Timestamp::MAX);
        assert_eq!(earlier_by_minutes(Timestamp::UNIX_EPOCH, i64::MAX), Timestamp::MIN);
    }
}
