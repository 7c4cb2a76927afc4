//! Messages in hand, most urgent on top. One that comes later overtakes what nobody began.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    sync::{Condvar, Mutex, PoisonError},
};

use engine::Word as _;
use jiff::Timestamp;

use crate::{model::Component, store::jobs::Job};

#[derive(Debug, Default)]
pub(super) struct JobQueue {
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    /// Pages to be read from pictures take seconds, everything else milliseconds.
    slow: BinaryHeap<Reverse<Urgent>>,
    quick: BinaryHeap<Reverse<Urgent>>,
    closed: bool,
}

#[derive(Debug)]
struct Urgent {
    rank: (i64, Timestamp, i64),
    job: Job,
}

impl PartialEq for Urgent {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}

impl Eq for Urgent {}

impl PartialOrd for Urgent {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Urgent {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

impl JobQueue {
    pub(super) fn put(&self, job: Job) {
        let rank = (job.claim.priority, job.claim.deadline, job.claim.id);
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let slow = Load::of(&job) == Load::Slow;
        let heap = if slow { &mut inner.slow } else { &mut inner.quick };
        heap.push(Reverse(Urgent { rank, job }));
        drop(inner);
        // Not every worker takes everything, so all are asked.
        self.changed.notify_all();
    }

    /// Waits for the most urgent job; `None` when the queue is closed. One worker leaves slow
    /// jobs to the others, so that a quick one never waits behind pictures.
    pub(super) fn take(&self, quick_only: bool) -> Option<Job> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if inner.closed {
                return None;
            }
            if let Some(urgent) = inner.next(quick_only) {
                return Some(urgent.job);
            }
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the workers after what they are doing; gives back what nobody began.
    pub(super) fn close(&self) -> Vec<Job> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.closed = true;
        let (slow, quick) = (std::mem::take(&mut inner.slow), std::mem::take(&mut inner.quick));
        let left = slow.into_iter().chain(quick).map(|Reverse(one)| one.job).collect();
        drop(inner);
        self.changed.notify_all();
        left
    }
}

impl Inner {
    fn next(&mut self, quick_only: bool) -> Option<Urgent> {
        let slow_first = match (self.slow.peek(), self.quick.peek()) {
            (Some(slow), Some(quick)) => slow.0 < quick.0,
            (slow, _) => slow.is_some(),
        };
        let heap = if slow_first && !quick_only { &mut self.slow } else { &mut self.quick };
        heap.pop().map(|Reverse(urgent)| urgent)
    }
}

/// How a job weighs on this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Load {
    Quick,
    /// May have to read a picture.
    Slow,
    /// Waits for somebody else.
    Call,
}

impl Load {
    pub(super) fn of(job: &Job) -> Self {
        Self::weigh(job.stage().map(|stage| stage.component))
    }

    pub(super) fn of_component(name: &str) -> Self {
        Self::weigh(Component::from_word(name))
    }

    fn weigh(component: Option<Component>) -> Self {
        match component {
            Some(Component::Ocr) => Self::Slow,
            Some(Component::Http) => Self::Call,
            _ => Self::Quick,
        }
    }
}
