//! What holds of every plan.

use counter::rules::{CALL_TIMEOUT, Call, Change, Snapshot, TicketId, plan};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

proptest! {
    #[test]
    fn everybody_is_called_or_held_and_no_window_twice(
        open in 0_i64..6, called in 0_i64..6, waiting in 0_i64..20, seconds in 0_i64..300,
    ) {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds);
        let call = |n| Call { ticket: TicketId(n), window: n, at: Timestamp::UNIX_EPOCH };
        let snapshot = Snapshot {
            open: (0..open).collect(),
            called: (0..called).map(call).collect(),
            waiting: (100..100 + waiting).map(TicketId).collect(),
        };
        let plan = plan(&snapshot, now);
        let mut windows: Vec<i64> = plan.changes.iter().filter_map(|change| match change {
            Change::Call { window, .. } => Some(*window),
            Change::Miss { .. } => None,
        }).collect();
        prop_assert_eq!(windows.len() + plan.held.len(), waiting as usize);
        prop_assert!(plan.held.is_empty() || windows.len() <= open as usize);
        if now.duration_since(Timestamp::UNIX_EPOCH) < CALL_TIMEOUT {
            windows.extend(0..called);
        }
        let count = windows.len();
        windows.sort_unstable();
        windows.dedup();
        prop_assert_eq!(windows.len(), count);
    }
}
