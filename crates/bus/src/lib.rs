//! Wake-ups between those who commit and those who act on it.
//!
//! A bus carries *hints*, never truth: a topic and the highest number committed under it. Whoever
//! hears a hint claims the work in the database, so a lost, late or repeated hint costs time and
//! nothing else. Hints may be merged; a slow listener hears the latest.

mod local;

pub use local::LocalBus;

/// The part of a transport that Turno relies on. `tests/conformance.rs` says what it promises.
pub trait Bus: std::fmt::Debug + Send + Sync + 'static {
    /// Tells every listener of `topic`, here and in other processes, that numbers up to `mark` are
    /// committed. Never waits: a transport that is slow or away sends later, or not at all.
    fn announce(&self, topic: &str, mark: i64);

    /// Hears what is announced from now on.
    fn listen(&self, topic: &str) -> Listener;

    /// Hears what this process announces from now on, and nothing of the others.
    fn listen_here(&self, topic: &str) -> Listener;

    /// Ends every listener.
    fn close(&self);
}

/// One ear on one topic.
#[derive(Debug)]
pub struct Listener(tokio::sync::watch::Receiver<i64>);

impl Listener {
    /// The next mark, or `None` once the bus is closed. Marks announced meanwhile are merged.
    pub async fn next(&mut self) -> Option<i64> {
        self.0.changed().await.ok()?;
        Some(*self.0.borrow_and_update())
    }

    /// Whether anything was announced since the last look; does not wait.
    pub fn heard(&mut self) -> bool {
        let heard = self.0.has_changed().unwrap_or(false);
        if heard {
            self.0.mark_unchanged();
        }
        heard
    }
}
