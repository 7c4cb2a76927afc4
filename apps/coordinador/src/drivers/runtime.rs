//! The application's own state in a process: one socket, the runs it carries, when to look again.

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use host::Context;
use jiff::Timestamp;
use snmp::CancellationToken;
use tokio::sync::OnceCell;

use crate::model::RunId;

/// What routes, ticks and drivers of a process share.
pub struct Runtime {
    /// Names this process among those that carry out runs.
    pub worker: String,
    socket: OnceCell<Arc<snmp::Fleet>>,
    carried: Mutex<HashMap<RunId, CancellationToken>>,
    /// Something changed that may let somebody start.
    woken: AtomicBool,
    /// Nothing was planned by this process yet.
    begins: AtomicBool,
    /// When time alone changes the dispatcher's plan.
    next: Mutex<Option<Timestamp>>,
}

impl Default for Runtime {
    fn default() -> Self {
        Self {
            worker: format!("{:032x}", rand::random::<u128>()),
            socket: OnceCell::new(),
            carried: Mutex::default(),
            woken: AtomicBool::new(true),
            begins: AtomicBool::new(true),
            next: Mutex::default(),
        }
    }
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runtime").field("worker", &self.worker).finish_non_exhaustive()
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

    /// Whether this is the first pass since the process started; true once.
    pub fn begins(&self) -> bool {
        self.begins.swap(false, Ordering::SeqCst)
    }

    /// Begins a look: what wakes it from here on asks for another.
    pub fn look(&self) {
        self.woken.store(false, Ordering::SeqCst);
    }

    pub fn remember(&self, next: Option<Timestamp>) {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = next;
    }

    /// When the dispatcher has to look again.
    pub fn next(&self, now: Timestamp) -> Option<Timestamp> {
        if self.woken.load(Ordering::SeqCst) {
            return Some(now);
        }
        *self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Something changed: the dispatcher looks at once.
pub fn wake(context: &Context) {
    context.shared::<Runtime>().woken.store(true, Ordering::SeqCst);
    context.wake(crate::decisions::dispatch::TICK);
}
