//! The bus inside one process.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use tokio::sync::watch;

use crate::{Bus, Listener};

/// The bus inside one process.
#[derive(Debug, Default)]
pub struct LocalBus {
    /// `None` once closed. Topics are few and named in code, so the map stays small.
    topics: Mutex<State>,
}

#[derive(Debug)]
struct State(Option<HashMap<String, watch::Sender<i64>>>);

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
                sender.send_modify(|known| *known = mark.max(*known));
            }
        });
    }

    fn listen(&self, topic: &str) -> Listener {
        self.with(|state| {
            let Some(topics) = state.0.as_mut() else {
                let (_, closed) = watch::channel(0);
                return Listener(closed);
            };
            let sender = topics.entry(topic.to_owned()).or_insert_with(|| watch::channel(0).0);
            Listener(sender.subscribe())
        })
    }

    /// There is nobody else.
    fn listen_here(&self, topic: &str) -> Listener {
        self.listen(topic)
    }

    fn close(&self) {
        self.with(|state| state.0 = None);
    }
}
