//! Doing what messages ask. The dispatcher takes them from the queue and records what came of them;
//! workers, one per thread, do the work; calls to other services run beside them.

mod ahead;
mod blank;
mod call;
mod calls;
mod classify;
mod dispatcher;
mod extract;
mod job_queue;
mod opened;
mod pace;
mod read;
pub(crate) mod reply;
pub(crate) mod report;
mod second;
mod split;
mod worker;

pub use crate::store::messages::WORK;
pub use dispatcher::{idle, run};
pub(crate) use opened::kind_word;
use page::PageText;
pub(crate) use read::engine_of;

use crate::{
    rules::{course::Known, retry::Trouble},
    store::{documents::Reading, jobs::Job, pages::Leaf, progress::Ran, requests::FileRow},
};

/// What the screens ask about this process's work.
#[derive(Debug, Default)]
pub struct WorkerStatus {
    /// Messages that this process holds.
    pub in_hand: std::sync::atomic::AtomicUsize,
    pub opened: opened::Opened,
    /// The second, in real time, at which the dispatcher last looked at the queue.
    pub looked: std::sync::atomic::AtomicI64,
}

/// What was found out about an item. Facts only: what follows from them is the planner's.
pub type Finding = crate::rules::course::Finding<Kept>;

/// What is kept of a finding beside what plans depend on.
#[derive(Debug, Default)]
pub struct Kept {
    pub text: Option<PageText>,
    pub reading: Option<Box<Reading>>,
    pub files: Vec<FileRow>,
    pub leaves: Vec<Leaf>,
    /// What somebody outside said beside that.
    pub said: Option<serde_json::Map<String, serde_json::Value>>,
    /// The stages that ran, in a row.
    pub ran: Vec<Ran>,
    /// Nobody asked yet: its message was about to be sent.
    pub ahead: bool,
}

impl Kept {
    /// Together with what a later stage found about the same item.
    pub(super) fn add(&mut self, later: Self) {
        self.text = later.text.or(self.text.take());
        self.reading = later.reading.or(self.reading.take());
        self.files.extend(later.files);
        self.leaves.extend(later.leaves);
        self.said = later.said.or(self.said.take());
        self.ran.extend(later.ran);
    }
}

/// What came of a message: what the stages that ran found, and what stopped the next one. Behind
/// the finding about its own item stand those that were made ahead of being asked.
#[derive(Debug)]
pub struct Outcome {
    pub job: Job,
    pub findings: Vec<Finding>,
    pub trouble: Option<Trouble>,
}

/// What one stage found.
type Found = (Known, Kept);
