//! Templates that are pushed to OLTs.

use super::{After, Interval, JobType, Oid, Priority, Space, TemplateId, TemplateNodeId};

/// *Plantilla*: nodes that are pushed to the OLTs it is linked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    pub id: TemplateId,
    pub name: String,
    pub active: bool,
    pub nodes: Vec<TemplateNode>,
    pub version: i64,
}

/// A node of a template. `master` is the key of another node of the same template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateNode {
    pub id: TemplateNodeId,
    pub key: String,
    pub name: String,
    pub job: JobType,
    /// Looked up in the catalogue by brand and model of each OLT when there is no OID here.
    pub space: Option<Space>,
    pub oid: Option<Oid>,
    pub interval: Interval,
    pub priority: Priority,
    pub enabled: bool,
    pub master: Option<(String, After)>,
}
