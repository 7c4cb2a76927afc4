//! How long to wait before trying again.

use std::time::Duration;

/// Doubling delays with a cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    pub base: Duration,
    pub cap: Duration,
}

impl Backoff {
    pub const fn new(base: Duration, cap: Duration) -> Self {
        Self { base, cap }
    }

    /// The delay before attempt `attempt` (the first retry is 0). `jitter` in 0..=1 takes the delay
    /// from its half to its whole: clients that failed together do not come back together, and
    /// none comes back at once. It is an argument so that the rule stays pure.
    pub fn delay(self, attempt: u32, jitter: f64) -> Duration {
        let factor = 1_u32.checked_shl(attempt).unwrap_or(u32::MAX);
        let whole = self.base.saturating_mul(factor).min(self.cap);
        let jitter = if jitter.is_finite() { jitter.clamp(0.0, 1.0) } else { 1.0 };
        whole.mul_f64(f64::midpoint(1.0, jitter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_mins(1));

    #[test]
    fn delays_double_up_to_the_cap() {
        let seconds = |attempt| BACKOFF.delay(attempt, 1.0).as_secs();
        assert_eq!([0, 1, 2, 5, 6, 31, 32, u32::MAX].map(seconds), [1, 2, 4, 32, 60, 60, 60, 60]);
    }

    #[test]
    fn jitter_never_goes_below_half_nor_above_the_whole() {
        assert_eq!(BACKOFF.delay(2, 0.0), Duration::from_secs(2));
        assert_eq!(BACKOFF.delay(2, 0.5), Duration::from_secs(3));
        assert_eq!(BACKOFF.delay(2, 9.0), Duration::from_secs(4));
        assert_eq!(BACKOFF.delay(2, f64::NAN), Duration::from_secs(4));
    }
}
