//! *Comanda*: the kitchen's ticket and its lines.

use super::{LineState, OrderId};

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
