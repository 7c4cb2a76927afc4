//! Nodes, their grids and chains.

use jiff::{SignedDuration, Timestamp};

use super::{Column, Interval, JobType, NodeId, Oid, OltId, Priority, TemplateNodeId};

/// *Nodo*: one recurring job on one OLT (F-1.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub id: NodeId,
    pub olt: OltId,
    /// The template node it was made from.
    pub template: Option<TemplateNodeId>,
    /// Unique on its OLT.
    pub key: String,
    pub name: String,
    pub job: JobType,
    /// Without one it never runs.
    pub oid: Option<Oid>,
    /// What a get writes.
    pub column: Option<Column>,
    pub priority: Priority,
    pub switch: Switch,
    pub role: Role,
    pub overrides: Overrides,
    pub last_run_at: Option<Timestamp>,
    pub last_success_at: Option<Timestamp>,
    pub last_failure_at: Option<Timestamp>,
    pub version: i64,
}

impl Node {
    /// One that is switched on, known by its key, and never ran.
    pub fn new(olt: OltId, key: String, job: JobType, role: Role) -> Self {
        Self {
            id: NodeId(0),
            olt,
            template: None,
            name: key.clone(),
            key,
            job,
            oid: None,
            column: None,
            priority: Priority::default(),
            switch: Switch::On,
            role,
            overrides: Overrides::NONE,
            last_run_at: None,
            last_success_at: None,
            last_failure_at: None,
            version: 1,
        }
    }
}

/// *Nodo maestro* or *nodo de cadena*.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// Owns a grid. `next_run_at` is the next planned start; a quota jump or an overflow puts it
    /// off the grid once.
    Master { cadence: Cadence, next_run_at: Option<Timestamp> },
    /// Runs only after its master.
    Chain { master: NodeId, after: After },
}

impl Role {
    pub const fn cadence(&self) -> Option<Cadence> {
        match self {
            Self::Master { cadence, .. } => Some(*cadence),
            Self::Chain { .. } => None,
        }
    }

    pub const fn next_run_at(&self) -> Option<Timestamp> {
        match self {
            Self::Master { next_run_at, .. } => *next_run_at,
            Self::Chain { .. } => None,
        }
    }
}

/// The planned starts of a master: `grid + k·interval + phase`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cadence {
    pub interval: Interval,
    pub grid: Timestamp,
    /// The stable shift that spreading gave, within its window.
    pub phase: SignedDuration,
}

engine::words! {
    /// What the operator says about a node. A pause keeps the grid, being disabled ends it.
    #[derive(Default)]
    pub enum Switch {
        #[default]
        On = "HABILITADO",
        /// *Pausado*.
        Paused = "PAUSADO",
        Off = "DESHABILITADO",
    }
}

engine::words! {
    /// When a chain goes on after its master.
    #[derive(Default)]
    pub enum After {
        #[default]
        Success = "EXITO",
        SuccessOrFailure = "EXITO_O_FALLO",
    }
}

/// What a person changed on one OLT and a push of the template leaves alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Override {
    Interval,
    Priority,
    Enabled,
    Oid,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Overrides(u8);

impl Overrides {
    pub const NONE: Self = Self(0);

    const fn bit(what: Override) -> u8 {
        match what {
            Override::Interval => 1,
            Override::Priority => 2,
            Override::Enabled => 4,
            Override::Oid => 8,
        }
    }

    /// As stored; unknown bits are dropped.
    pub const fn from_bits(bits: i64) -> Self {
        Self((bits & 15) as u8)
    }

    pub const fn bits(self) -> i64 {
        self.0 as i64
    }

    pub const fn has(self, what: Override) -> bool {
        self.0 & Self::bit(what) != 0
    }

    #[must_use]
    pub const fn with(self, what: Override) -> Self {
        Self(self.0 | Self::bit(what))
    }
}
