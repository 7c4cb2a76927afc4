//! `AdaptiveCapacity`: whether the kitchen could take more or should take less (§8.3.2).

use crate::policy::capacity_bounds;
use crate::rules::stats::mean;

/// How far back the orders may lie that are given as evidence.
pub const HOURS: i64 = 4;
const PLAUSIBLE_MINUTES: std::ops::RangeInclusive<f64> = 5.0..=60.0;
const LEAST_SAMPLE: usize = 5;
const QUICK_MINUTES: f64 = 10.0;
const SLOW_MINUTES: f64 = 25.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    Raise,
    Keep,
    Lower,
}

/// A suggestion with its evidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Advice {
    pub direction: Direction,
    pub from: u32,
    pub to: u32,
    pub average_minutes: f64,
    pub sample: usize,
}

/// Advises from the preparation times (ready − started, minutes) of the last four hours. None with
/// fewer than five believable ones. Never outside 1 to `ceiling`.
pub fn advise(base: u32, minutes: &[f64], ceiling: u32) -> Option<Advice> {
    let kept: Vec<f64> =
        minutes.iter().copied().filter(|value| PLAUSIBLE_MINUTES.contains(value)).collect();
    if kept.len() < LEAST_SAMPLE {
        return None;
    }
    let average_minutes = mean(&kept)?;
    let (direction, to) = if average_minutes < QUICK_MINUTES {
        (Direction::Raise, raised(base))
    } else if average_minutes > SLOW_MINUTES {
        (Direction::Lower, lowered(base))
    } else {
        (Direction::Keep, base)
    };
    let bounds = capacity_bounds(ceiling);
    let to = i64::from(to).clamp(bounds.least, bounds.most.max(bounds.least)) as u32;
    let direction = if to == base { Direction::Keep } else { direction };
    Some(Advice { direction, from: base, to, average_minutes, sample: kept.len() })
}

/// A quarter more, but no more than two.
fn raised(base: u32) -> u32 {
    quarters(base, 5).min(base.saturating_add(2))
}

/// A quarter less, but no less than two fewer.
fn lowered(base: u32) -> u32 {
    quarters(base, 3).max(base.saturating_sub(2))
}

/// `base` × `count` / 4, rounded half up.
fn quarters(base: u32, count: u32) -> u32 {
    base.saturating_mul(count).saturating_add(2) / 4
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn steps_follow_the_published_vectors() {
        let vectors = [(1, 1, 1), (2, 3, 2), (4, 5, 3), (8, 10, 6), (12, 14, 10), (20, 22, 18)];
        for (base, up, down) in vectors {
            assert_eq!((raised(base), lowered(base)), (up, down), "base {base}");
        }
    }

    #[test]
    fn advice_follows_the_average() {
        let advised = |minutes: f64| advise(8, &[minutes; 5], 20).map(|advice| advice.to);
        assert_eq!(advised(28.0), Some(6));
        assert_eq!(advised(9.0), Some(10));
        assert_eq!(advised(25.0), Some(8));
        assert_eq!(advised(10.0), Some(8));
        assert_eq!(advise(8, &[28.0; 4], 20), None);
        assert_eq!(advise(8, &[28.0, 28.0, 28.0, 28.0, 70.0], 20), None);
    }

    #[test]
    fn advice_stays_within_the_ceiling_and_says_so() {
        let advice = advise(20, &[8.0; 6], 20).unwrap();
        assert_eq!((advice.direction, advice.to), (Direction::Keep, 20));
    }

    proptest! {
        #[test]
        fn advice_is_bounded_and_small(
            base in 1_u32..=20,
            minutes in prop::collection::vec(0.0_f64..90.0, 0..30),
        ) {
            if let Some(advice) = advise(base, &minutes, 20) {
                prop_assert!((1..=20).contains(&advice.to));
                prop_assert!(advice.to.abs_diff(base) <= 2);
            }
        }
    }
}
