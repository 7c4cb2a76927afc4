//! Who goes first (§4.3.1).

use jiff::Timestamp;

use super::Waiting;
use crate::model::{OrderId, Priority, later_by_minutes};
use crate::policy::PriorityPolicy;

/// The place of an order in the queue: smaller goes first.
///
/// It depends on the order and the policy and never on the present instant, so a queue sorted once
/// stays sorted. The store can therefore ask the database for its head, and the projection can
/// run through a whole evening without sorting again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    class: Priority,
    since: Timestamp,
    received_at: Timestamp,
    id: OrderId,
}

/// Strict: wanted now before scheduled, then the oldest, then the lowest number.
///
/// Promise: one queue by latest start. A promise must start at its planned start; an order wanted
/// now may be passed over for `ageing_minutes` after it came in, and by nothing later. So neither
/// kind can starve the other (S-3).
pub fn rank(waiting: &Waiting, policy: PriorityPolicy, ageing_minutes: i64) -> Rank {
    let Waiting { id, received_at, due, .. } = *waiting;
    let (class, since) = match policy {
        PriorityPolicy::Strict => (Priority::of(due), received_at),
        PriorityPolicy::Promise => {
            let latest_start = match Priority::of(due) {
                Priority::High => later_by_minutes(received_at, ageing_minutes),
                Priority::Normal => waiting.start_at(),
            };
            (Priority::High, latest_start)
        }
    };
    Rank { class, since, received_at, id }
}
