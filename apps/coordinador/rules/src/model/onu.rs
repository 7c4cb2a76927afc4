//! ONUs, their presence and inventory.

use super::{OltId, OnuId, SlotPort};
use jiff::Timestamp;

/// An ONU as the last walks saw it: index, state and presence (F-1.8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Onu {
    pub id: OnuId,
    pub olt: OltId,
    /// What follows the column in the name of its row, with dots.
    pub raw_index: String,
    /// None: no formula understands the index.
    pub place: Option<SlotPort>,
    pub presence: Presence,
    pub misses: u32,
    pub state: Option<i64>,
    pub last_seen_at: Option<Timestamp>,
    pub inventory: Inventory,
}

engine::words! {
    pub enum Presence {
        Enabled = "ENABLED",
        Disabled = "DISABLED",
    }
}

/// What gets read about an ONU.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inventory {
    pub description: Option<String>,
    pub mac: Option<String>,
    pub plan: Option<String>,
    /// Kilometres with three decimals, or the words for none.
    pub distance: Option<String>,
    pub model: Option<String>,
    pub serial: Option<String>,
    pub subscriber: Option<String>,
}
