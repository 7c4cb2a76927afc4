//! Where an instant stands inside a window that should not be overrun.

use jiff::{SignedDuration, Timestamp};

/// The share of a window after which it is at risk.
const RISK_PERCENT: i64 = 80;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    OnTime,
    AtRisk,
    Late,
}

/// From the start of the work until the instant it should be finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Window {
    pub from: Timestamp,
    pub until: Timestamp,
}

impl Window {
    /// The first instant at which 80 % of the window is spent. A window that ends before it begins
    /// is at risk from its end.
    pub fn at_risk_from(self) -> Timestamp {
        let length = self.until.duration_since(self.from).as_nanos().max(0);
        let left = length * i128::from(100 - RISK_PERCENT) / 100;
        let left = i64::try_from(left).map_or(SignedDuration::MAX, SignedDuration::from_nanos);
        self.until.checked_sub(left).unwrap_or(self.until)
    }

    /// Late is strict: exactly on the deadline is still in time.
    pub fn standing(self, now: Timestamp) -> Standing {
        if now > self.until {
            Standing::Late
        } else if now >= self.at_risk_from() {
            Standing::AtRisk
        } else {
            Standing::OnTime
        }
    }

    /// Whole minutes past the end, rounded down; zero when not late.
    pub fn minutes_late(self, now: Timestamp) -> i64 {
        now.duration_since(self.until).as_secs().max(0) / 60
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_781_900_000 + second).expect("in range")
    }

    const fn window(from: Timestamp, until: Timestamp) -> Window {
        Window { from, until }
    }

    #[test]
    fn late_is_strict_and_risk_begins_at_four_fifths() {
        let ten_minutes = window(at(0), at(600));
        let cases = [
            (0, Standing::OnTime),
            (479, Standing::OnTime),
            (480, Standing::AtRisk),
            (600, Standing::AtRisk),
            (601, Standing::Late),
        ];
        for (second, expected) in cases {
            assert_eq!(ten_minutes.standing(at(second)), expected, "at {second} s");
        }
    }

    #[test]
    fn minutes_late_are_whole() {
        let ten_minutes = window(at(0), at(600));
        assert_eq!(ten_minutes.minutes_late(at(0)), 0);
        assert_eq!(ten_minutes.minutes_late(at(659)), 0);
        assert_eq!(ten_minutes.minutes_late(at(720)), 2);
    }

    #[test]
    fn a_reversed_window_is_at_risk_from_its_end() {
        let reversed = window(at(600), at(0));
        assert_eq!(reversed.at_risk_from(), at(0));
        assert_eq!(reversed.standing(at(-1)), Standing::OnTime);
        assert_eq!(reversed.standing(at(1)), Standing::Late);
    }
}
