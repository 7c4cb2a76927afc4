//! Doing what messages ask. The foreman takes them from the queue and records what came of them;
//! hands, one per thread, do the work; calls to other services run beside them.

mod call;
mod classify;
mod extract;
mod finish;
mod foreman;
mod hands;
mod opened;
mod pulse;
mod read;
mod report;
mod split;
mod tray;

pub use finish::settle;
pub use foreman::{idle, run};
use jiff::Timestamp;
pub(crate) use opened::kind_word;
use page::PageText;
pub use pulse::{Worker, give_back_silent, workers};
use serde_json::{Map, Value as Json};

use crate::{
    model::FieldValue,
    rules::{continuity::Place, retry::Trouble},
    store::{jobs::Job, messages::Claim, pages::Leaf, requests::FileRow},
};

/// What the screens ask about this process's work.
#[derive(Debug, Default)]
pub struct Desk {
    /// Messages in this process's hands.
    pub in_hand: std::sync::atomic::AtomicUsize,
    /// The foreman's name in the database.
    pub worker: std::sync::OnceLock<String>,
    pub opened: opened::Opened,
    /// The second at which the foreman last said that it lives.
    pub beaten: std::sync::atomic::AtomicI64,
}

/// What a stage found out. Facts only: what follows from them is the planner's.
#[derive(Debug)]
pub enum Fact {
    Routed,
    Split {
        files: Vec<FileRow>,
        leaves: Vec<Leaf>,
    },
    Read {
        text: PageText,
        place: Place,
        identity: Option<String>,
    },
    Classified {
        scores: Vec<(String, f64)>,
    },
    Extracted(Box<Extracted>),
    /// A service outside answered something that concerns the request as a whole.
    Answered,
}

#[derive(Debug)]
pub struct Extracted {
    pub fields: Vec<FieldValue>,
    pub data: Map<String, Json>,
    pub confidence: f64,
    pub missing_required: bool,
}

/// One stage that ran.
#[derive(Debug)]
pub struct Step {
    pub at: i32,
    pub facts: Vec<Fact>,
    pub started: Timestamp,
    pub finished: Timestamp,
    pub took: std::time::Duration,
}

/// What came of a message: the stages that ran, and what stopped the next one.
#[derive(Debug)]
pub struct Outcome {
    pub claim: Claim,
    pub job: Job,
    pub steps: Vec<Step>,
    pub trouble: Option<Trouble>,
}
