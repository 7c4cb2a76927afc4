//! What the dispatcher looks at, as one read of the database: only whoever is ready, whatever runs,
//! and the starts of the last minute.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use crate::{
    model::{
        Backoff, Cadence, Cause, Interval, JobType, Node, NodeId, Olt, OltId, Priority, RunId,
        Switch,
    },
    policy::Policy,
};

#[derive(Debug, Clone)]
pub struct World {
    pub policy: Policy,
    /// Of every node and run below; one that is missing admits nobody.
    pub olts: HashMap<OltId, Site>,
    /// Masters whose next run is due, or that have none.
    pub due: Vec<Due>,
    /// PENDING runs.
    pub waiting: Vec<Waiting>,
    /// RUNNING runs, all of them.
    pub running: Vec<Running>,
    /// Starts of any cause since the clock minute began and in the last 60 seconds.
    pub starts: Vec<Started>,
    /// Planned starts per minute (since the epoch) of the next two hours, for jumps to land
    /// between.
    pub loads: BTreeMap<i64, u32>,
    /// The first planned start after now.
    pub upcoming: Option<Timestamp>,
}

impl World {
    pub fn new(policy: Policy) -> Self {
        Self {
            policy,
            olts: HashMap::new(),
            due: Vec::new(),
            waiting: Vec::new(),
            running: Vec::new(),
            starts: Vec::new(),
            loads: BTreeMap::new(),
            upcoming: None,
        }
    }
}

/// What the dispatcher knows of an OLT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site {
    pub enabled: bool,
    pub workflow_active: bool,
    pub backoff: Option<Backoff>,
}

impl From<&Olt> for Site {
    fn from(olt: &Olt) -> Self {
        Self { enabled: olt.enabled, workflow_active: olt.workflow_active, backoff: olt.backoff }
    }
}

/// What must hold of a node before anything of it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Able {
    pub switch: Switch,
    /// True for a node without a template.
    pub template_active: bool,
    pub has_oid: bool,
}

/// A master that wants to run by plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    pub node: NodeId,
    pub olt: OltId,
    pub job: JobType,
    pub priority: Priority,
    pub able: Able,
    pub cadence: Cadence,
    pub next_run_at: Option<Timestamp>,
    /// Starts of its runs that count for the quota, of the last hour, oldest first.
    pub recent: Vec<Timestamp>,
    /// That this slot was put off for another run of its type was said already.
    pub told: bool,
}

impl Due {
    /// None for chain nodes.
    pub fn of(node: &Node, template_active: bool, recent: Vec<Timestamp>) -> Option<Self> {
        Some(Self {
            node: node.id,
            olt: node.olt,
            job: node.job,
            priority: node.priority,
            able: Able { switch: node.switch, template_active, has_oid: node.oid.is_some() },
            cadence: node.role.cadence()?,
            next_run_at: node.role.next_run_at(),
            recent,
            told: true,
        })
    }
}

/// A manual or chained run that waits for its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    pub run: RunId,
    pub node: NodeId,
    pub olt: OltId,
    pub job: JobType,
    pub priority: Priority,
    pub able: Able,
    pub cause: Cause,
    pub asked_at: Timestamp,
    /// Its own, or its master's.
    pub interval: Interval,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    pub run: RunId,
    pub node: NodeId,
    pub olt: OltId,
    pub job: JobType,
    pub cause: Cause,
    pub started_at: Timestamp,
    /// The process that carried it out is gone.
    pub lost: bool,
    /// It is asked together with another run, which holds the permits for both.
    pub rides: bool,
}

/// One start, whoever it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Started {
    pub at: Timestamp,
    /// It was a short node.
    pub short: bool,
}
