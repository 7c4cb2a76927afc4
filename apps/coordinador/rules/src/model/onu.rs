//! ONUs, their presence and inventory.

use super::{OltId, OnuId, SlotPort};
use jiff::Timestamp;

/// An ONU as the last walks saw it: index, state and presence (F-1.8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Onu {
    pub id: OnuId,
    pub olt: OltId,
    /// The last two numbers of its OID, with a dot.
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

/// What a state number means, for a brand or for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateLabel {
    pub value: i64,
    pub label: String,
    pub brand: Option<String>,
}
