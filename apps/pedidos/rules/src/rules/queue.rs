//! The kitchen run forward in time: the same ranking and the same test for room as the planner,
//! with durations assumed. Projection and replay both stand on it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use engine::Capacity;
use jiff::Timestamp;

use crate::model::{OrderId, later_by_minutes};
use crate::rules::intake::{Rank, fits};

/// Something that will want to enter.
pub(super) struct Job {
    pub(super) id: OrderId,
    pub(super) rank: Rank,
    /// Not before: wanted since, or planned start.
    pub(super) available_at: Timestamp,
    pub(super) needs: u32,
    pub(super) minutes: i64,
}

/// Someone already inside, and when the places come free.
pub(super) struct Busy {
    pub(super) until: Timestamp,
    pub(super) places: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) id: OrderId,
    pub(super) entry: Timestamp,
    pub(super) ready: Timestamp,
    pub(super) places: u32,
}

/// Runs in order of entry. A job that can never enter (no capacity at all) has no run.
pub(super) fn run_forward(
    limit: u32,
    busy: &[Busy],
    mut jobs: Vec<Job>,
    from: Timestamp,
) -> Vec<Run> {
    jobs.sort_unstable_by_key(|job| Reverse((job.available_at, job.rank)));
    let mut capacity = Capacity::new(limit, 0);
    let mut kitchen = Kitchen::with_capacity(busy.len() + jobs.len());
    for Busy { until, places } in busy {
        kitchen.push(Reverse((*until, *places)));
        capacity = capacity.taking(*places);
    }
    let mut queue: BTreeMap<Rank, Job> = BTreeMap::new();
    let mut runs = Vec::with_capacity(jobs.len());
    let mut clock = from;
    loop {
        while let Some(places) = leave(&mut kitchen, clock) {
            capacity.in_use = capacity.in_use.saturating_sub(places);
        }
        while let Some(job) = jobs.pop_if(|job| job.available_at <= clock) {
            queue.insert(job.rank, job);
        }
        while let Some(first) =
            queue.first_entry().filter(|first| fits(capacity, first.get().needs))
        {
            let Job { id, needs: places, minutes, .. } = first.remove();
            let ready = later_by_minutes(clock, minutes);
            capacity = capacity.taking(places);
            kitchen.push(Reverse((ready, places)));
            runs.push(Run { id, entry: clock, ready, places });
        }
        let freed = kitchen.peek().filter(|_| !queue.is_empty()).map(|Reverse((until, _))| *until);
        let arrives = jobs.last().map(|job| job.available_at);
        match [freed, arrives].into_iter().flatten().min() {
            Some(next) => clock = next.max(clock),
            None => return runs,
        }
    }
}

type Kitchen = BinaryHeap<Reverse<(Timestamp, u32)>>;

/// The places of the next one to leave by `clock`, if any.
fn leave(kitchen: &mut Kitchen, clock: Timestamp) -> Option<u32> {
    let due = kitchen.peek().is_some_and(|Reverse((until, _))| *until <= clock);
    if due { kitchen.pop().map(|Reverse((_, places))| places) } else { None }
}
