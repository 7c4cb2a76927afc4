//! OLTs and how long one that is silent is left alone.

use jiff::Timestamp;

use super::OltId;

/// *OLT*: the device that jobs run on. Communities and keys are not here: no rule reads them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Olt {
    pub id: OltId,
    /// *Abreviatura*, unique.
    pub name: String,
    /// *Marca*.
    pub brand: String,
    pub model: Option<String>,
    pub address: String,
    pub port: u16,
    pub version: SnmpVersion,
    /// *`habilitar_olt`*.
    pub enabled: bool,
    /// Its workflow, one per OLT, may run.
    pub workflow_active: bool,
    pub backoff: Option<Backoff>,
    pub row_version: i64,
}

impl Olt {
    /// Whether anything may be planned on it.
    pub const fn works(&self) -> bool {
        self.enabled && self.workflow_active
    }
}

engine::words! {
    #[derive(Default)]
    pub enum SnmpVersion {
        V1 = "1",
        #[default]
        V2c = "2c",
        V3 = "3",
    }
}

/// An OLT that does not answer: left alone until `until`, then tried by one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// How many in a row.
    pub failures: u32,
    pub since: Timestamp,
    pub until: Timestamp,
}
