//! The application's own state in a process: one socket, the runs it carries, when to spread again.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use jiff::{SignedDuration, Timestamp};
use snmp::CancellationToken;
use tokio::sync::OnceCell;

use crate::model::RunId;

/// What routes, ticks and drivers of a process share.
#[derive(Default)]
pub struct Runtime {
    socket: OnceCell<Arc<snmp::Fleet>>,
    carried: Mutex<HashMap<RunId, CancellationToken>>,
    spread: Mutex<Spread>,
    /// What was told of each kind of trouble, and when.
    said: Mutex<HashMap<&'static str, (String, Timestamp)>>,
}

/// The same trouble is told again after this: the house decides whether that is a reminder.
const REMIND: SignedDuration = SignedDuration::from_mins(5);

/// Where this process stands with spreading.
#[derive(Debug, Clone, Copy, Default)]
pub enum Spread {
    /// It has not looked at the plan yet.
    #[default]
    Starting,
    /// Nothing is planned.
    Idle,
    /// The next pass is due then.
    Due(Timestamp),
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runtime").field("carried", &self.carrying()).finish_non_exhaustive()
    }
}

impl Runtime {
    /// The one socket, opened at its first use.
    pub async fn socket(&self) -> io::Result<Arc<snmp::Fleet>> {
        let open = || async { snmp::Fleet::bind().map(Arc::new) };
        self.socket.get_or_try_init(open).await.cloned()
    }

    fn carried(&self) -> MutexGuard<'_, HashMap<RunId, CancellationToken>> {
        self.carried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This process carries a run: what stops it from outside.
    pub fn carry(&self, run: RunId, stopping: &CancellationToken) -> CancellationToken {
        let token = stopping.child_token();
        self.carried().insert(run, token.clone());
        token
    }

    pub fn put_down(&self, run: RunId) {
        self.carried().remove(&run);
    }

    pub fn carrying(&self) -> Vec<RunId> {
        self.carried().keys().copied().collect()
    }

    /// Not one more packet for these.
    pub fn stop(&self, runs: impl IntoIterator<Item = RunId>) {
        let carried = self.carried();
        for token in runs.into_iter().filter_map(|run| carried.get(&run)) {
            token.cancel();
        }
    }

    fn said(&self) -> MutexGuard<'_, HashMap<&'static str, (String, Timestamp)>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this was not said of the trouble yet, or long ago.
    pub fn is_news(&self, trouble: &'static str, text: &str, now: Timestamp) -> bool {
        let mut said = self.said();
        let old = said
            .get(trouble)
            .is_some_and(|(known, at)| known == text && now.duration_since(*at) < REMIND);
        if !old {
            said.insert(trouble, (text.to_owned(), now));
        }
        !old
    }

    pub fn quiet(&self, trouble: &'static str) {
        self.said().remove(trouble);
    }

    pub fn spread(&self) -> Spread {
        *self.spread.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn spread_again(&self, next: Option<Timestamp>) {
        let spread = next.map_or(Spread::Idle, Spread::Due);
        *self.spread.lock().unwrap_or_else(PoisonError::into_inner) = spread;
    }
}
