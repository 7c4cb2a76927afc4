//! How much of the queue the planner has to see.

use engine::Capacity;
use jiff::Timestamp;

use super::{Snapshot, gates, rank};
use crate::model::Priority;

/// How many orders of each kind (wanted now; scheduled and due) are enough.
///
/// Every start takes at least one place, so at most `free` orders start, and they are the first
/// `free` of the queue. Those lie among the first `free` of either kind. The store loads only
/// these, which keeps an evaluation fast however long the queue is.
pub const fn bound(capacity: Capacity) -> u32 {
    capacity.free()
}

/// The snapshot reduced to the bound: what the store's query has to return.
#[must_use]
pub fn bounded(snapshot: &Snapshot, now: Timestamp) -> Snapshot {
    let key = |waiting: &_| rank(waiting, snapshot.priority, snapshot.ageing_minutes);
    let head = |priority| {
        let mut rows: Vec<_> = snapshot
            .waiting
            .iter()
            .filter(|waiting| Priority::of(waiting.due) == priority)
            .filter(|waiting| gates(snapshot, waiting, now).next().is_none())
            .collect();
        rows.sort_unstable_by_key(|waiting| key(waiting));
        rows.truncate(bound(snapshot.capacity) as usize);
        rows
    };
    let mut waiting = head(Priority::High);
    waiting.extend(head(Priority::Normal));
    let waiting = waiting.into_iter().cloned().collect();
    Snapshot { waiting, paused: snapshot.paused.clone(), ..*snapshot }
}
