//! `DelayPrediction`: one figure for "how long is the kitchen today" (§8.3.3).
//!
//! The answer for a particular order is the projection; this is the simple figure for a sign at
//! the counter, with the published formula.

use engine::Capacity;
use jiff::Timestamp;

use crate::policy::BASE_MINUTES;

const LONGEST_MINUTES: i64 = 60;

/// The predicted delay and its two parts, before the cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Delay {
    pub minutes: i64,
    pub until_first_finish: i64,
    pub half_estimate: i64,
}

/// Nothing while a place is free. Else the minutes until the first expected finish plus half of the
/// average estimate (of the last seven days; the base time when there is none).
pub fn predict(
    capacity: Capacity,
    finishes: &[Timestamp],
    average_estimate: Option<f64>,
    now: Timestamp,
) -> Delay {
    let Some(first) = finishes.iter().min().filter(|_| capacity.is_full()) else {
        return Delay::default();
    };
    let minutes = first.duration_since(now).as_secs_f64() / 60.0;
    let until_first_finish = (minutes.round() as i64).max(0);
    let average = average_estimate.unwrap_or(BASE_MINUTES.default as f64);
    let half_estimate = (average / 2.0).round() as i64;
    let minutes = (until_first_finish + half_estimate).clamp(0, LONGEST_MINUTES);
    Delay { minutes, until_first_finish, half_estimate }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::samples::at;

    fn minutes(in_use: u32, finishes: &[&str], average: Option<f64>) -> i64 {
        let finishes: Vec<_> = finishes.iter().map(|clock| at(clock)).collect();
        predict(Capacity::new(8, in_use), &finishes, average, at("20:00:00")).minutes
    }

    #[test]
    fn predictions_follow_the_published_vectors() {
        assert_eq!(minutes(8, &["20:30:00", "20:06:00"], Some(20.0)), 16);
        assert_eq!(minutes(8, &["19:50:00"], Some(20.0)), 10);
        assert_eq!(minutes(7, &["20:06:00"], Some(20.0)), 0);
        assert_eq!(minutes(8, &["20:58:00"], Some(20.0)), 60);
        assert_eq!(minutes(8, &["20:06:00"], None), 14);
        assert_eq!(minutes(8, &[], Some(20.0)), 0);
    }
}
