//! Doing what messages ask. The dispatcher takes them from the queue and records what came of them;
//! hands, one per thread, do the work; calls to other services run beside them.

mod ahead;
mod call;
mod classify;
mod dispatcher;
mod extract;
mod job_queue;
mod opened;
mod read;
pub(crate) mod report;
mod split;
mod worker;

pub use crate::store::messages::WORK;
pub use dispatcher::{idle, run};
use jiff::Timestamp;
pub(crate) use opened::kind_word;
use page::PageText;
pub(crate) use read::engine_of;

use crate::{
    model::Item,
    rules::{continuity::PagePosition, retry::Trouble},
    store::{documents::Reading, jobs::Job, messages::Claim, pages::Leaf, requests::FileRow},
};

/// What the screens ask about this process's work.
#[derive(Debug, Default)]
pub struct WorkerStatus {
    /// Messages in this process's hands.
    pub in_hand: std::sync::atomic::AtomicUsize,
    pub opened: opened::Opened,
    /// The second, in real time, at which the dispatcher last looked at the queue.
    pub looked: std::sync::atomic::AtomicI64,
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
        place: PagePosition,
        identity: Option<String>,
    },
    Classified {
        scores: Vec<(String, f64)>,
    },
    Extracted(Box<Reading>),
    /// A service outside answered something that concerns the request as a whole.
    Answered,
}

impl Fact {
    fn text(&self) -> Option<&PageText> {
        match self {
            Self::Read { text, .. } => Some(text),
            Self::Routed
            | Self::Split { .. }
            | Self::Classified { .. }
            | Self::Extracted(_)
            | Self::Answered => None,
        }
    }
}

/// One stage that ran on an item.
#[derive(Debug)]
pub struct Step {
    pub item: Item,
    pub at: i32,
    pub facts: Vec<Fact>,
    pub started: Timestamp,
    pub finished: Timestamp,
    pub took: std::time::Duration,
}

/// What came of a message: the stages that ran, and what stopped the next one. Behind those of its
/// own item stand those that were done ahead of being asked.
#[derive(Debug)]
pub struct Outcome {
    pub claim: Claim,
    pub job: Job,
    pub steps: Vec<Step>,
    pub trouble: Option<Trouble>,
}
