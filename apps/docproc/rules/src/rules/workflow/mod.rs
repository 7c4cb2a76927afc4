//! Workflows (§6): which stages a request goes through, declared in YAML.
//!
//! A workflow that loads is one that can run: [`parse`] reads the words, [`check`] walks the
//! stages and proves that each finds what it needs. Nothing later asks again.

pub mod check;
mod diagram;
mod parse;
mod told;

use std::{collections::BTreeMap, time::Duration};

pub use diagram::mermaid;
pub use parse::{Fault, parse};
use understand::extract::Schema;

use crate::model::{Component, Engine, Unit};
use engine::Word as _;

/// The flow of the seed (§6.2), shipped with the binary.
pub const DEFAULT: &str = include_str!("../../../../../../config/workflows/default.yaml");
/// A shipped flow that leaves stages out.
pub const INVOICES: &str = include_str!("../../../../../../config/workflows/facturas.yaml");

/// A workflow that was read and checked.
#[derive(Clone, Debug)]
pub struct Workflow {
    pub name: String,
    pub description: String,
    /// What its author calls this version; the store tells versions apart by content.
    pub version: u32,
    pub sla: Sla,
    pub stages: Vec<Stage>,
    /// What to extract from each type of document; its keys are the types a page may have.
    pub schemas: BTreeMap<String, Schema>,
    /// Types that are recognised although nothing is extracted from them.
    pub other_types: Vec<String>,
    pub routes: Vec<Route>,
    pub retry: Retry,
    /// *Respuesta temprana* (§3.10): documents that are enough for a first answer. Empty: none
    /// is given early.
    pub sufficient: Vec<Needed>,
    /// How many days contents are kept after the end. Absent: for ever.
    pub retention_days: Option<u32>,
    pub promotion: Promotion,
}

/// *Promoción* (§11.5): how a version loaded from a file comes into force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Promotion {
    /// At once.
    #[default]
    Automatic,
    /// When somebody promotes it and its golden set agrees.
    Required,
}

/// A document that has to be there, with these of its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needed {
    pub doc_type: String,
    pub fields: Vec<String>,
}

/// *SLA* (§7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sla {
    /// Absent: the house's default.
    pub deadline: Option<Duration>,
    pub warn_pct: u8,
    pub escalation_pct: u8,
}

#[derive(Clone, Debug)]
pub struct Stage {
    pub name: String,
    pub component: Component,
    pub routing_key: String,
    /// What travels through this stage.
    pub unit: Unit,
    pub timeout: Duration,
    /// Whether pages of one request are worked on side by side, as they are unless it says no.
    pub parallel: Option<bool>,
    /// Below it a person decides. Absent: the house's threshold for the component.
    pub threshold: Option<f64>,
    /// *Cola del back office*; without one nothing of this stage goes to people.
    pub backoffice_queue: Option<String>,
    pub how: How,
}

/// What only some components need to know.
#[derive(Clone, Debug, PartialEq)]
pub enum How {
    Plain,
    /// Which engine reads pictures.
    Read {
        engine: Engine,
    },
    Classify {
        /// Whether the page before helps to decide a page that is unsure by itself.
        continuity: bool,
    },
    Group {
        boundaries: Boundaries,
        /// The type of every document, where no stage before classifies.
        doc_type: Option<String>,
    },
    Call {
        url: String,
        /// It is asked as a second reader, in the words of chat servers: the name of its model.
        model: Option<String>,
    },
    /// Somebody outside fetches its messages and brings results, under this name.
    Outside {
        component: String,
    },
}

impl Stage {
    /// Whether the pages of a request go through it one after the other.
    pub fn is_one_by_one(&self) -> bool {
        self.parallel == Some(false)
    }

    /// The component as queues, workers and messages call it.
    pub fn component_name(&self) -> &str {
        match &self.how {
            How::Outside { component } => component,
            How::Plain
            | How::Read { .. }
            | How::Classify { .. }
            | How::Group { .. }
            | How::Call { .. } => self.component.word(),
        }
    }
}

/// What opens a new document among pages of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundaries {
    /// Another type, or evidence of a first page: another number, another holder.
    Auto,
    /// Only another type.
    Type,
}

/// When a request without a workflow of its own takes this one: all conditions hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    pub channel: Option<String>,
    pub metadata: BTreeMap<String, String>,
}

/// How often a stage is tried, and how long it waits in between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retry {
    pub attempts: u32,
    pub base: Duration,
    pub cap: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self { attempts: 4, base: Duration::from_secs(1), cap: Duration::from_secs(30) }
    }
}

impl Workflow {
    /// The types a page of this workflow may have.
    pub fn types(&self) -> Vec<&str> {
        self.schemas.keys().chain(&self.other_types).map(String::as_str).collect()
    }

    pub fn position(&self, stage: &str) -> Option<usize> {
        self.stages.iter().position(|one| one.name == stage)
    }

    /// The first stage from `at` on that works on requests, pages or documents as such.
    pub fn next_for(&self, unit: Unit, at: usize) -> Option<usize> {
        (at..self.stages.len()).find(|n| self.stages[*n].unit == unit)
    }

    /// Whether what the stage at this position finds needs no judgement before the next one: after
    /// the router and after a reader the same worker goes straight on.
    pub fn goes_straight_on(&self, at: i32) -> bool {
        let stage = usize::try_from(at).ok().and_then(|at| self.stages.get(at));
        at < 0 || stage.is_some_and(|stage| stage.component == Component::Ocr)
    }

    /// Where documents are put together, if anywhere.
    pub fn grouping(&self) -> Option<usize> {
        self.stages.iter().position(|stage| stage.component == Component::ClassificationAggregator)
    }

    /// Components of somebody outside, each once.
    pub fn outside(&self) -> std::collections::BTreeSet<&str> {
        let outside = self.stages.iter().filter(|stage| stage.component == Component::Outside);
        outside.map(Stage::component_name).collect()
    }

    /// Whether somebody outside says something about whole requests.
    pub fn asks_about_requests(&self) -> bool {
        let asks = |stage: &Stage| stage.component.is_elsewhere() && stage.unit == Unit::Request;
        self.stages.iter().any(asks)
    }

    pub fn has(&self, component: Component) -> bool {
        self.stages.iter().any(|stage| stage.component == component)
    }
}
