//! The nouns of Coordinador. Integers identify everything.

mod catalogue;
mod formula;
mod job;
mod node;
mod oid;
mod olt;
mod onu;
mod run;
mod template;

pub use catalogue::{CatalogueEntry, Column, Space};
pub use formula::{Dot, Formula, Mode, SlotPort};
pub use job::{Interval, JobType, Priority};
pub use node::{After, Cadence, Node, Override, Overrides, Role, Switch};
pub use oid::{Oid, OidFault};
pub use olt::{Backoff, Olt, SnmpVersion};
pub use onu::{Inventory, Onu, Presence};
pub use run::{Cause, Ending, Run, RunState};
pub use template::{Template, TemplateNode};

engine::ids! {
    OltId,
    /// *Nodo*.
    NodeId,
    /// *Ejecución*.
    RunId,
    /// *Plantilla*.
    TemplateId,
    TemplateNodeId,
    CatalogueId,
    FormulaId,
    OnuId,
}
