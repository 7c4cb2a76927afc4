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
pub(crate) use read::engine_of;

/// What the screens ask about this process's work.
#[derive(Debug, Default)]
pub struct WorkerStatus {
    /// Messages that this process holds.
    pub in_hand: std::sync::atomic::AtomicUsize,
    pub opened: opened::Opened,
    /// The second, in real time, at which the dispatcher last looked at the queue.
    pub looked: std::sync::atomic::AtomicI64,
}
