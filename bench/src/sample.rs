//! Durations of the same thing, and their percentiles.

use std::time::Duration;

/// Durations of the same thing.
#[derive(Debug, Default)]
pub(crate) struct Sample(Vec<Duration>);

impl Sample {
    pub(crate) fn push(&mut self, took: Duration) {
        self.0.push(took);
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Milliseconds below which `percent` of them lie.
    pub(crate) fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let index = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
        sorted.get(index).map_or(0.0, |took| took.as_secs_f64() * 1_000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_members_of_the_sample() {
        let mut sample = Sample::default();
        assert!(sample.percentile(99).abs() < f64::EPSILON);
        for millis in (1..=200).rev() {
            sample.push(Duration::from_millis(millis));
        }
        for (percent, millis) in [(50, 100.0), (99, 198.0), (100, 200.0)] {
            assert!((sample.percentile(percent) - millis).abs() < 1e-9);
        }
    }
}
