//! *Rejilla*: when a node runs next (R-2, F-2.3). The next run comes from the grid,
//! never from the last run: nothing drifts and nothing is caught up.

use jiff::{SignedDuration, Timestamp};

use crate::model::{Cadence, Interval, Node, NodeId};

/// Instants beyond the calendar are its end: a rule cannot fail.
pub fn later(at: Timestamp, by: SignedDuration) -> Timestamp {
    let end = if by.is_negative() { Timestamp::MIN } else { Timestamp::MAX };
    at.checked_add(by).unwrap_or(end)
}

/// The first slot after now.
pub fn next_after(cadence: &Cadence, now: Timestamp) -> Timestamp {
    slot(cadence, now, 1)
}

/// The last slot at or before now.
pub fn last_until(cadence: &Cadence, now: Timestamp) -> Timestamp {
    slot(cadence, now, 0)
}

fn slot(cadence: &Cadence, now: Timestamp, ahead: i128) -> Timestamp {
    let first = cadence.grid.as_nanosecond() + cadence.phase.as_nanos();
    let step = cadence.interval.duration().as_nanos();
    let slots = (now.as_nanosecond() - first).div_euclid(step) + ahead;
    let end = if ahead > 0 { Timestamp::MAX } else { Timestamp::MIN };
    Timestamp::from_nanosecond(first + slots * step).unwrap_or(end)
}

/// The slot after a run that starts now. One that a jump or an overflow put off its grid stands for
/// the slot nearest to it: a slot that would follow too soon is skipped, because it would cost the
/// node its quota an hour later, and then another jump.
pub fn after_start(
    cadence: &Cadence,
    planned: Timestamp,
    wait_in_place: SignedDuration,
    now: Timestamp,
) -> Timestamp {
    if is_on_grid(cadence, planned) {
        return next_after(cadence, now);
    }
    let pause = cadence.interval.duration().saturating_sub(wait_in_place).max(SignedDuration::ZERO);
    next_after(cadence, later(now, pause))
}

/// Whether this is one of the slots: a jump or an overflow is not.
pub fn is_on_grid(cadence: &Cadence, at: Timestamp) -> bool {
    last_until(cadence, at) == at
}

/// A node made or enabled now: a new grid, one whole interval away.
pub fn enabled(interval: Interval, now: Timestamp) -> (Cadence, Timestamp) {
    first(interval, later(now, interval.duration()))
}

/// A new grid for each of these masters, and the run it begins with.
pub fn begin_anew<'a>(
    nodes: impl IntoIterator<Item = &'a Node>,
    now: Timestamp,
) -> Vec<(NodeId, Cadence, Timestamp)> {
    let begin = |node: &Node| {
        let (cadence, next) = enabled(node.role.cadence()?.interval, now);
        Some((node.id, cadence, next))
    };
    nodes.into_iter().filter_map(begin).collect()
}

/// A grid that begins with this run.
pub fn first(interval: Interval, at: Timestamp) -> (Cadence, Timestamp) {
    (Cadence { interval, grid: at, phase: SignedDuration::ZERO }, at)
}

/// Another interval: the planned run stays, the new interval counts from it.
pub fn changed(cadence: &Cadence, next: Option<Timestamp>, interval: Interval) -> Cadence {
    let back = cadence.phase.checked_neg().unwrap_or(SignedDuration::MAX);
    let grid = next.map_or(cadence.grid, |next| later(next, back));
    Cadence { interval, grid, phase: cadence.phase }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn every(seconds: i64) -> Interval {
        Interval::new(seconds).unwrap()
    }

    #[test]
    fn scenario_17_slots_missed_are_not_caught_up() {
        let (cadence, _) = first(every(900), at("2026-03-02T10:00:00Z"));
        let next = next_after(&cadence, at("2026-03-02T11:40:00Z"));
        assert_eq!(next, at("2026-03-02T11:45:00Z"));
        assert_eq!(next_after(&cadence, next), at("2026-03-02T12:00:00Z"));
    }

    #[test]
    fn scenario_20_enabled_at_noon_is_due_an_interval_later() {
        let (_, next) = enabled(every(900), at("2026-03-02T12:00:00Z"));
        assert_eq!(next, at("2026-03-02T12:15:00Z"));
    }

    #[test]
    fn after_a_jump_the_slot_that_follows_too_soon_is_skipped() {
        let (cadence, _) = first(every(900), at("2026-03-02T10:05:00Z"));
        let wait_in_place = SignedDuration::from_secs(180);
        let next = |planned: &str| after_start(&cadence, at(planned), wait_in_place, at(planned));
        assert_eq!(next("2026-03-02T12:02:00Z"), at("2026-03-02T12:20:00Z"));
        assert_eq!(next("2026-03-02T12:05:00Z"), at("2026-03-02T12:20:00Z"));
        assert_eq!(next("2026-03-02T12:07:00Z"), at("2026-03-02T12:20:00Z"));
    }

    #[test]
    fn a_new_interval_counts_from_the_planned_run() {
        let (old, next) = first(every(900), at("2026-03-02T10:00:00Z"));
        let shifted = Cadence { phase: SignedDuration::from_secs(60), ..old };
        let next = later(next, shifted.phase);
        let new = changed(&shifted, Some(next), every(300));
        assert!(is_on_grid(&new, next));
        assert_eq!(next_after(&new, next), at("2026-03-02T10:06:00Z"));
    }

    proptest! {
        #[test]
        fn the_next_slot_is_on_the_grid_and_nearest(
            seconds in 1_i64..=Interval::MOST,
            grid in -1_000_000_000_i64..4_000_000_000,
            phase in -180_i64..=180,
            now in 0_i64..4_000_000_000_000,
        ) {
            let cadence = Cadence {
                interval: every(seconds),
                grid: Timestamp::from_second(grid).unwrap(),
                phase: SignedDuration::from_secs(phase),
            };
            let now = Timestamp::from_millisecond(now).unwrap();
            let next = next_after(&cadence, now);
            prop_assert!(next > now);
            prop_assert!(next.duration_since(now) <= cadence.interval.duration());
            prop_assert_eq!((next.as_second() - grid - phase).rem_euclid(seconds), 0);
            prop_assert!(is_on_grid(&cadence, next));
            prop_assert_eq!(last_until(&cadence, next), next);
        }

        #[test]
        fn no_instant_is_too_far(now in any::<i64>(), phase in any::<i64>()) {
            let now = Timestamp::from_second(now % 377_000_000_000).unwrap_or(Timestamp::MAX);
            let cadence = Cadence {
                interval: every(Interval::MOST),
                grid: Timestamp::MAX,
                phase: SignedDuration::from_secs(phase),
            };
            let _ = (next_after(&cadence, now), changed(&cadence, Some(now), every(1)));
        }
    }
}
