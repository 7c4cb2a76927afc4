//! How each robot does over time: the share that ended well and how long runs took, part by part of
//! the period.

use std::collections::BTreeMap;

use super::{RunFact, success::verdict};

/// One robot over the period, oldest part first.
#[derive(Debug, Clone, PartialEq)]
pub struct Trend {
    pub robot: i64,
    pub runs: usize,
    /// 0 to 1; none where nothing ended whose end is known.
    pub success: Vec<Option<f64>>,
    /// Mean minutes of what ended well.
    pub minutes: Vec<Option<f64>>,
}

#[derive(Clone, Copy, Default)]
struct Part {
    known: usize,
    good: usize,
    timed: usize,
    minutes: f64,
}

/// By robot, those with most runs first. `part` says in which part of the period a run ended.
pub fn trend(
    runs: &[RunFact],
    parts: usize,
    part: impl Fn(jiff::Timestamp) -> Option<usize>,
) -> Vec<Trend> {
    let mut robots: BTreeMap<i64, (usize, Vec<Part>)> = BTreeMap::new();
    for run in runs {
        let Some(place) = run.finished_at.and_then(&part).filter(|place| *place < parts) else {
            continue;
        };
        let Some(good) = verdict(run.state) else { continue };
        let (count, of) =
            robots.entry(run.robot.0).or_insert_with(|| (0, vec![Part::default(); parts]));
        *count += 1;
        let sum = &mut of[place];
        sum.known += 1;
        sum.good += usize::from(good);
        if let Some(took) = run.took().filter(|_| good) {
            sum.timed += 1;
            sum.minutes += took / 60.0;
        }
    }
    let share = |part: &Part| (part.known > 0).then(|| part.good as f64 / part.known as f64);
    let mean = |part: &Part| (part.timed > 0).then(|| part.minutes / part.timed as f64);
    let mut trends: Vec<Trend> = robots
        .into_iter()
        .map(|(robot, (runs, parts))| Trend {
            robot,
            runs,
            success: parts.iter().map(share).collect(),
            minutes: parts.iter().map(mean).collect(),
        })
        .collect();
    trends.sort_by_key(|one| (std::cmp::Reverse(one.runs), one.robot));
    trends
}

#[cfg(test)]
mod tests {
    use super::super::samples::{live, run};
    use super::*;
    use crate::model::RunState;

    #[test]
    fn parts_count_what_ended_in_them_and_nothing_is_no_failure() {
        let mut failed = run(1, 1, "10:00:00", "10:30:00");
        failed.state = RunState::RunFailed;
        let runs = [
            run(1, 1, "09:00:00", "09:10:00"),
            run(1, 2, "09:00:00", "09:20:00"),
            failed,
            run(2, 2, "10:00:00", "10:05:00"),
            live(3, 3, "09:30", RunState::Running),
        ];
        let nine = runs[0].began().as_second();
        let hour = |at: jiff::Timestamp| usize::try_from((at.as_second() - nine) / 3_600).ok();
        let trends = trend(&runs, 3, hour);
        assert_eq!(trends.len(), 2, "what runs has not ended");
        assert_eq!((trends[0].robot, trends[0].runs), (1, 3));
        assert_eq!(trends[0].success, [Some(1.0), Some(0.0), None]);
        assert_eq!(trends[0].minutes, [Some(15.0), None, None]);
        assert_eq!(trends[1].success, [None, Some(1.0), None]);
    }
}
