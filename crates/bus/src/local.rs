//! The bus inside one process.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use tokio::sync::watch;

use crate::{Bus, Known, Listener};

/// The bus inside one process.
#[derive(Debug, Default)]
pub struct LocalBus {
    /// `None` once closed. Topics are few and named in code, so the map stays small.
    topics: Mutex<State>,
}

#[derive(Debug)]
struct State(Option<HashMap<String, watch::Sender<Known>>>);

impl Default for State {
    fn default() -> Self {
        Self(Some(HashMap::new()))
    }
}

impl LocalBus {
    pub fn new() -> Self {
        Self::default()
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.topics.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Bus for LocalBus {
    fn announce(&self, topic: &str, mark: i64) {
        self.with(|state| {
            let sender = state.0.as_ref().and_then(|topics| topics.get(topic));
            if let Some(sender) = sender {
                // A mark that arrives out of order still wakes; it never lowers what is known.
                sender.send_modify(|known| known.mark = mark.max(known.mark));
            }
        });
    }

    /// They all do.
    fn keep_here(&self, _: &'static str) {}

    fn listen(&self, topic: &str) -> Listener {
        self.with(|state| {
            let Some(topics) = state.0.as_mut() else {
                let (_, closed) = watch::channel(Known::default());
                return Listener::new(closed);
            };
            let fresh = || watch::channel(Known::default()).0;
            Listener::new(topics.entry(topic.to_owned()).or_insert_with(fresh).subscribe())
        })
    }

    /// There is nobody else.
    fn listen_here(&self, topic: &str) -> Listener {
        self.listen(topic)
    }

    fn wake_everyone(&self) {
        self.with(|state| {
            for sender in state.0.iter().flat_map(HashMap::values) {
                sender.send_modify(|known| known.gaps += 1);
            }
        });
    }

    fn close(&self) {
        self.with(|state| state.0 = None);
    }
}
