//! Carries committed events to everyone in this process who listens.
//!
//! Truth is the table of events; the relay reads it after a hint and at every poll, in order, and
//! hands each event on exactly once per listener. A listener that falls behind reads the table. Where
//! nobody listens nothing is read: a worker beside ten others has no use for what they all commit.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use db::events::{self, Event};
use tokio::sync::{Mutex, broadcast};

use crate::Context;

/// Events kept for slow listeners before they must read the table.
const BACKLOG: usize = 1_024;
/// How soon another process's commit is seen when its hint was lost.
const POLL: Duration = Duration::from_secs(5);
/// Whoever cannot read the table tries again this soon.
const RETRY: Duration = Duration::from_millis(250);
const REST: Duration = Duration::from_millis(5);
/// Every commit with events says so here.
pub(crate) const TOPIC: &str = "events";

#[derive(Debug)]
pub(crate) struct Relay {
    sender: broadcast::Sender<Arc<Event>>,
    /// The last number handed on; held while handing on, so that order is kept.
    delivered: Mutex<i64>,
}

/// A position in the stream of events, and the live end of it.
#[derive(Debug)]
pub struct Subscription {
    context: Context,
    receiver: broadcast::Receiver<Arc<Event>>,
    seen: i64,
    backlog: std::collections::VecDeque<Arc<Event>>,
    behind: bool,
}

impl Relay {
    pub(crate) fn new() -> Self {
        Self { sender: broadcast::channel(BACKLOG).0, delivered: Mutex::new(0) }
    }
}

impl Context {
    /// Listens to events after `since`, or from now on.
    pub async fn subscribe(&self, since: Option<i64>) -> Result<Subscription, db::Error> {
        let mut delivered = self.relay.delivered.lock().await;
        let first = self.relay.sender.receiver_count() == 0;
        let receiver = self.relay.sender.subscribe();
        let seen = match since {
            Some(seq) if !first => seq,
            _ => {
                let newest = events::bounds(&mut self.store.read().await?).await?.1;
                if first {
                    // Nothing was handed on while nobody listened: from here on everything is, and
                    // what came before is in the table.
                    *delivered = newest;
                }
                since.unwrap_or(newest)
            }
        };
        drop(delivered);
        Ok(Subscription {
            context: self.clone(),
            receiver,
            seen,
            backlog: std::collections::VecDeque::new(),
            behind: true,
        })
    }

    /// Delivers until stopped. A failed read is tried again soon.
    pub(crate) async fn run_relay(self) {
        let mut hints = self.listen(TOPIC);
        let mut waits = false;
        loop {
            let began = Instant::now();
            let relayed = self.relay_once().await;
            // Once per outage: until it is over there is nothing new to say.
            if let Err(error) = &relayed
                && !waits
            {
                tracing::warn!(error = %error, "events wait: the database does not answer");
            }
            waits = relayed.is_err();
            // Commits that follow each other closely are read together.
            tokio::time::sleep(began.elapsed().min(REST)).await;
            tokio::select! {
                () = self.stopping.cancelled() => return,
                () = self.newer(&mut hints) => {}
                () = tokio::time::sleep(if relayed.is_ok() { POLL } else { RETRY }) => {}
            }
        }
    }

    /// Waits for a hint of something not handed on yet.
    async fn newer(&self, hints: &mut bus::Listener) {
        while let Some(mark) = hints.next().await {
            if mark > *self.relay.delivered.lock().await {
                return;
            }
        }
        std::future::pending::<()>().await;
    }

    /// Hands on everything committed so far.
    pub(crate) async fn relay_once(&self) -> Result<(), db::Error> {
        let mut delivered = self.relay.delivered.lock().await;
        while self.relay.sender.receiver_count() > 0 {
            let batch = events::since(&mut self.store.read().await?, *delivered).await?;
            let Some(last) = batch.last().map(|event| event.seq) else {
                return Ok(());
            };
            let whole = (batch.len() as i64) < events::BATCH;
            for event in batch {
                crate::metrics::event_relayed(&event.app);
                // No listener is not an error: the table keeps the event.
                let _ = self.relay.sender.send(Arc::new(event));
            }
            *delivered = last;
            if whole {
                break;
            }
        }
        Ok(())
    }
}

impl Subscription {
    /// The next event in order. Waits through outages of the database.
    pub async fn next(&mut self) -> Arc<Event> {
        loop {
            if let Some(event) = self.backlog.pop_front() {
                self.seen = event.seq;
                return event;
            }
            if self.behind {
                self.behind = !self.catch_up().await;
                continue;
            }
            match self.receiver.recv().await {
                Ok(event) if event.seq > self.seen => {
                    self.seen = event.seq;
                    return event;
                }
                Ok(_) => {}
                Err(broadcast::error::RecvError::Lagged(_)) => self.behind = true,
                Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
            }
        }
    }

    /// Reads a batch from the table; `true` once nothing newer is there.
    async fn catch_up(&mut self) -> bool {
        let read = async { events::since(&mut self.context.store.read().await?, self.seen).await };
        if let Ok(batch) = read.await {
            self.backlog = batch.into_iter().map(Arc::new).collect();
            self.backlog.is_empty()
        } else {
            tokio::time::sleep(RETRY).await;
            false
        }
    }
}
