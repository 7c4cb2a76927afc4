//! Wake-ups between those who commit and those who act on it.
//!
//! A bus carries *hints*, never truth: a topic and the highest number committed under it. Whoever
//! hears a hint claims the work in the database, so a lost, late or repeated hint costs time and
//! nothing else. Hints may be merged; a slow listener hears the latest.

mod local;

use std::{future::Future, pin::Pin};

pub use local::LocalBus;

/// The part of a transport that Turno relies on. `tests/conformance.rs` says what it promises.
pub trait Bus: std::fmt::Debug + Send + Sync + 'static {
    /// Tells every listener of `topic`, here and in other processes, that numbers up to `mark` are
    /// committed. Resolves when the transport has accepted it.
    fn announce<'a>(
        &'a self,
        topic: &'a str,
        mark: i64,
    ) -> Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>>;

    /// Hears what is announced from now on.
    fn listen(&self, topic: &str) -> Listener;

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
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Error {
    #[error("the bus is closed")]
    Closed,
}
