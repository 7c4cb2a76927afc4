//! Wake-ups between those who commit and those who act on it.
//!
//! A bus carries *hints*, never truth: a topic and the highest number committed under it. Whoever
//! hears a hint claims the work in the database, so a lost, late or repeated hint costs time and
//! nothing else. Hints may be merged; a slow listener hears the latest.
//!
//! [`LocalBus`] stays inside a process. [`RemoteBus`] reaches the others too, through `PostgreSQL`
//! or `RabbitMQ`; all that differs between those two is a [`Transport`].

mod amqp;
mod letter;
mod local;
mod postgres;
mod remote;

pub use amqp::{AmqpBus, EXCHANGE};
pub use local::LocalBus;
pub use postgres::PostgresBus;
pub use remote::{RemoteBus, Transport, Wire};

/// The part of a transport that Turno relies on. `tests/conformance.rs` says what it promises.
pub trait Bus: std::fmt::Debug + Send + Sync + 'static {
    /// Tells every listener of `topic`, here and in other processes, that numbers up to `mark` are
    /// committed. Never waits: a transport that is slow or away sends later, or not at all.
    fn announce(&self, topic: &str, mark: i64);

    /// Hints of this topic stay in this process from now on: others need none, or have them from
    /// somewhere else.
    fn keep_here(&self, topic: &'static str);

    /// Hears what is announced from now on.
    fn listen(&self, topic: &str) -> Listener;

    /// Hears what this process announces from now on, and nothing of the others.
    fn listen_here(&self, topic: &str) -> Listener;

    /// Wakes every listener of this process, on whatever topic: hints may have been lost.
    fn wake_everyone(&self);

    /// The broker that carries hints to other processes, where one does.
    fn broker(&self) -> Option<&broker::Broker> {
        None
    }

    /// Ends every listener.
    fn close(&self);
}

/// The mark of a wake-up that stands for hints nobody counted: anything may be committed.
pub const ANYTHING: i64 = i64::MAX;

/// One ear on one topic.
#[derive(Debug)]
pub struct Listener {
    ear: tokio::sync::watch::Receiver<Known>,
    gaps: u64,
}

/// What is known of a topic: the highest number, and how often hints may have been lost.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    mark: i64,
    gaps: u64,
}

impl Listener {
    fn new(mut ear: tokio::sync::watch::Receiver<Known>) -> Self {
        let gaps = ear.borrow_and_update().gaps;
        Self { ear, gaps }
    }

    /// The next mark, or `None` once the bus is closed. Marks announced meanwhile are merged;
    /// [`ANYTHING`] where hints may have been lost.
    pub async fn next(&mut self) -> Option<i64> {
        self.ear.changed().await.ok()?;
        let known = *self.ear.borrow_and_update();
        let lost = std::mem::replace(&mut self.gaps, known.gaps) != known.gaps;
        Some(if lost { ANYTHING } else { known.mark })
    }

    /// Whether anything was announced since the last look; does not wait.
    pub fn heard(&mut self) -> bool {
        let heard = self.ear.has_changed().unwrap_or(false);
        if heard {
            self.gaps = self.ear.borrow_and_update().gaps;
        }
        heard
    }
}
