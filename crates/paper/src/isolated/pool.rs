//! The children of this process, handed out one question at a time.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::worker::RenderWorker;

/// As many children as are needed, up to a number; whoever comes then waits for one.
pub struct Pool {
    program: PathBuf,
    most: usize,
    state: Mutex<State>,
    freed: Condvar,
    next: AtomicU64,
}

#[derive(Default)]
struct State {
    /// The one that was used last is at the end.
    idle: Vec<RenderWorker>,
    /// Those that are out, and those that are idle.
    alive: usize,
}

/// A child in use. Dropped without being given back it is gone.
pub(super) struct Taken<'p> {
    pool: &'p Pool,
    worker: Option<RenderWorker>,
}

impl Pool {
    pub(super) fn new(program: PathBuf, most: usize) -> Self {
        let (state, freed) = (Mutex::default(), Condvar::new());
        Self { program, most: most.max(1), state, freed, next: AtomicU64::new(1) }
    }

    /// A name for a file, for all children.
    pub(super) fn name(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// A child, one that has the file open if there is one; a `fresh` one has seen nothing yet.
    pub(super) fn take(&self, id: u64, fresh: bool) -> io::Result<Taken<'_>> {
        let mut state = self.state();
        loop {
            if fresh && !state.idle.is_empty() {
                state.idle.remove(0);
                state.alive -= 1;
            } else if let Some(at) = state.idle.iter().position(|worker| worker.holds(id)) {
                let worker = Some(state.idle.remove(at));
                return Ok(Taken { pool: self, worker });
            } else if let Some(worker) = state.idle.pop() {
                return Ok(Taken { pool: self, worker: Some(worker) });
            }
            if state.alive < self.most {
                state.alive += 1;
                drop(state);
                let mut taken = Taken { pool: self, worker: None };
                taken.worker = Some(RenderWorker::start(&self.program)?);
                return Ok(taken);
            }
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken<'_> {
    pub(super) fn worker(&mut self) -> io::Result<&mut RenderWorker> {
        self.worker.as_mut().ok_or_else(|| io::Error::other("the child is gone"))
    }

    /// It may be asked again, by anybody.
    pub(super) fn give_back(mut self) {
        if let Some(worker) = self.worker.take() {
            self.pool.state().idle.push(worker);
            self.pool.freed.notify_one();
        }
        // Nothing is left to be counted as gone.
        std::mem::forget(self);
    }

    /// It is of no use any more.
    pub(super) fn gone(mut self) -> Option<RenderWorker> {
        self.worker.take()
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.pool.state().alive -= 1;
        self.pool.freed.notify_one();
    }
}
