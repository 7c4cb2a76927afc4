//! How many started lately: in this clock minute and in the last 60 seconds.

use jiff::{SignedDuration, Timestamp};

use crate::rules::{due::later, quota::minute_of};

const MINUTE: SignedDuration = SignedDuration::from_mins(1);

#[derive(Debug, Clone)]
pub(super) struct Rate {
    max: u32,
    /// Oldest first.
    starts: Vec<Timestamp>,
}

impl Rate {
    pub(super) fn new(max: u32, starts: impl Iterator<Item = Timestamp>) -> Self {
        let mut starts: Vec<Timestamp> = starts.collect();
        starts.sort_unstable();
        Self { max, starts }
    }

    pub(super) const fn max(&self) -> u32 {
        self.max
    }

    pub(super) fn start(&mut self, now: Timestamp) {
        let at = self.starts.partition_point(|start| *start <= now);
        self.starts.insert(at, now);
    }

    /// When there is room again; none if there is room now.
    pub(super) fn full_until(&self, now: Timestamp) -> Option<Timestamp> {
        let max = self.max as usize;
        let minute = minute_of(now);
        let before = self.starts.partition_point(|start| minute_of(*start) < minute);
        let in_minute = self.starts.len() - before;
        let next_minute = Timestamp::from_second((minute + 1) * 60).unwrap_or(Timestamp::MAX);
        let clock = (in_minute >= max).then_some(next_minute);
        let since = self.starts.partition_point(|start| *start <= later(now, -MINUTE));
        let recent = &self.starts[since..];
        // With a limit of zero nobody ever has permits: look again when the minute is over.
        let sliding = (recent.len() >= max).then(|| {
            recent.get(recent.len() - max).map_or(next_minute, |start| later(*start, MINUTE))
        });
        clock.max(sliding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> Timestamp {
        format!("2026-03-02T{time}Z").parse().unwrap()
    }

    fn rate(max: u32, starts: &[&str]) -> Rate {
        Rate::new(max, starts.iter().map(|start| at(start)))
    }

    #[test]
    fn both_the_clock_and_any_sixty_seconds_are_bounded() {
        let two = rate(2, &["10:00:50", "10:00:10"]);
        assert_eq!(two.full_until(at("10:00:55")), Some(at("10:01:10")));
        assert_eq!(two.full_until(at("10:01:05")), Some(at("10:01:10")));
        assert_eq!(two.full_until(at("10:01:10")), None, "half-open");
        let early = rate(2, &["10:00:00", "10:00:00"]);
        assert_eq!(early.full_until(at("10:00:59.999")), Some(at("10:01:00")));
        assert_eq!(early.full_until(at("10:01:00")), None);
        assert_eq!(rate(0, &[]).full_until(at("10:00:30")), Some(at("10:01:00")));
    }

    #[test]
    fn starts_from_a_clock_set_back_still_count() {
        let ahead = rate(1, &["10:05:00"]);
        assert_eq!(ahead.full_until(at("10:00:00")), Some(at("10:06:00")));
    }
}
