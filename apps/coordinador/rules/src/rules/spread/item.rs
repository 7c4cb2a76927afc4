//! A node as arithmetic: seconds since the minute that now is in.

use jiff::{SignedDuration, Timestamp};

use super::Placed;
use crate::{
    model::{NodeId, Priority},
    policy::Policy,
    rules::{
        due::{self, later},
        quota::{self, Level, Usage},
    },
};

/// Slots move by this many seconds.
pub(super) const STEP: i64 = 60;

/// Whether the slots after the next run move with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Course {
    Grid,
    /// A jump or an overflow put it off its grid.
    Once,
}

/// One node, or the short gets of an OLT that start together: they are one run.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) node: NodeId,
    pub(super) priority: Priority,
    /// The next run, and the one after it.
    pub(super) at: i64,
    pub(super) after: i64,
    pub(super) step: i64,
    phase: i64,
    moved: i64,
    course: Course,
    /// It fits nowhere in its window and waits once.
    pub(super) waits: bool,
    pub(super) short: bool,
    pub(super) movable: bool,
    /// At 80 % of its quota or more.
    pub(super) wants_later: bool,
    /// How far its phase may go, either way.
    window: i64,
    /// Not before: nobody is moved into the next minute, nor to where its quota blocks it.
    earliest: i64,
    significant: i64,
}

impl Item {
    pub(super) fn new(placed: &Placed, policy: &Policy, now: Timestamp) -> Self {
        let origin = now.as_second().div_euclid(60) * 60;
        let (cadence, next) = (&placed.cadence, placed.next_run_at);
        let since = |at: Timestamp| at.as_second() - origin;
        let step = cadence.interval.seconds();
        let on_grid = due::is_on_grid(cadence, next);
        let soon = later(now, policy.spread.settled);
        let max = quota::max_per_hour(cadence.interval);
        let recent = &placed.recent;
        let free = if recent.is_empty() { soon } else { frees(recent, max).max(soon) };
        let usage = Usage { used: quota::used(recent, now), max };
        let window = policy.spread.window.as_secs().min(step / 2).max(0);
        Self {
            node: placed.node,
            priority: placed.priority,
            at: since(next),
            after: if on_grid { since(next) + step } else { since(due::next_after(cadence, next)) },
            step,
            phase: cadence.phase.as_secs(),
            moved: 0,
            course: if on_grid { Course::Grid } else { Course::Once },
            waits: placed.overflow && !on_grid,
            short: policy.limits.is_short(cadence.interval),
            movable: next > soon,
            wants_later: usage.level(&policy.quota) >= Level::Warn,
            window: window / STEP * STEP,
            earliest: since(free) + i64::from(free.subsec_nanosecond() > 0),
            significant: policy.spread.significant.as_secs(),
        }
    }

    /// Whoever starts with it is as urgent as the most urgent, and as bound as the most bound.
    pub(super) fn join(&mut self, other: &Self) {
        self.priority = self.priority.min(other.priority);
        self.earliest = self.earliest.max(other.earliest);
        self.movable &= other.movable;
        self.wants_later |= other.wants_later;
        self.waits |= other.waits;
    }

    pub(super) fn is_on_grid(&self) -> bool {
        self.course == Course::Grid
    }

    pub(super) fn moved(&self) -> SignedDuration {
        SignedDuration::from_secs(self.moved)
    }

    pub(super) fn phase(&self) -> SignedDuration {
        SignedDuration::from_secs(self.phase)
    }

    /// To one of its [`Self::shifts`].
    pub(super) fn shift(&mut self, shift: i64) {
        self.at += shift;
        self.moved += shift;
        match self.course {
            Course::Grid => {
                self.after += shift;
                self.phase += shift;
            }
            Course::Once => {}
        }
    }

    /// This run only; the slots after it stay where they are.
    pub(super) fn wait(&mut self, shift: i64) {
        self.at += shift;
        self.moved += shift;
        self.course = Course::Once;
        self.waits = true;
    }

    /// Every place it may have. A run that a jump or an overflow put off its grid goes
    /// later only: it was put there for a reason.
    pub(super) fn shifts(&self) -> impl Iterator<Item = i64> {
        let reach = 2 * self.window / STEP;
        (-reach..=reach).map(|step| step * STEP).filter(|shift| {
            let within = match self.course {
                Course::Grid => (self.phase + shift).abs() <= self.window,
                Course::Once => (0..=self.window).contains(shift) && self.at + shift < self.after,
            };
            let worth = *shift == 0 || shift.abs() > self.significant;
            within && worth && (*shift >= 0 || self.at + shift >= self.earliest)
        })
    }

    /// The minutes it starts in, of so many from now; one that is overdue starts in the first.
    pub(super) fn minutes(&self, shift: i64, count: usize) -> impl Iterator<Item = usize> {
        let rest = match self.course {
            Course::Grid => self.after + shift,
            Course::Once => self.after,
        };
        let end = count as i64 * 60;
        // An overdue node has slots behind it that will not be caught up.
        let skipped = (-rest).max(0).unsigned_abs().div_ceil(self.step.unsigned_abs());
        let mut next = rest + skipped as i64 * self.step;
        let mut first = Some((self.at + shift).max(0));
        std::iter::from_fn(move || {
            let at = first.take().unwrap_or_else(|| {
                let at = next;
                next += self.step;
                at
            });
            (at < end).then_some((at / 60) as usize)
        })
    }
}

/// The first instant at which all the starts that count leave room for one more.
fn frees(recent: &[Timestamp], max: u32) -> Timestamp {
    let last = recent.iter().copied().max().unwrap_or(Timestamp::MIN);
    quota::frees_at(recent, max, last)
}
