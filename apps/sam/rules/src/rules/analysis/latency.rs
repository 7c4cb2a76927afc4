//! How long runs wait and take, in seconds (F-5.8).

use std::collections::BTreeMap;

use super::{RunFact, Spread, seconds};
use crate::model::RobotId;

figures! {
    pub struct Latency {
        /// Absent: of every robot together.
        robot: Option<i64> = "robot_id",
        /// From the claim to the start.
        start: Option<Spread> = "inicio",
        /// From the start to the end.
        run: Option<Spread> = "ejecucion",
        /// From the claim to the end.
        total: Option<Spread> = "total",
    }
}

/// All together first, then by robot.
pub fn latency(runs: &[RunFact]) -> Vec<Latency> {
    let mut robots: BTreeMap<RobotId, Vec<&RunFact>> = BTreeMap::new();
    for run in runs {
        robots.entry(run.robot).or_default().push(run);
    }
    let all: Vec<&RunFact> = runs.iter().collect();
    let each = robots.into_iter().map(|(robot, runs)| of(Some(robot.0), &runs));
    std::iter::once(of(None, &all)).chain(each).collect()
}

fn of(robot: Option<i64>, runs: &[&RunFact]) -> Latency {
    let spread = |measure: fn(&RunFact) -> Option<f64>| {
        Spread::of(runs.iter().filter_map(|run| measure(run)))
    };
    Latency {
        robot,
        start: spread(|run| seconds(run.claimed_at, run.started_at?)),
        run: spread(|run| seconds(run.started_at?, run.finished_at?)),
        total: spread(|run| seconds(run.claimed_at, run.finished_at?)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{at, live, run};
    use super::*;
    use crate::model::RunState;

    #[test]
    fn what_did_not_happen_yet_is_not_measured() {
        let waited = RunFact { claimed_at: at("08:59:00"), ..run(1, 1, "09:00:00", "09:10:00") };
        let told = latency(&[waited, live(2, 2, "09:00", RunState::Deployed)]);
        let mean = |spread: Option<Spread>| spread.map(|spread| spread.mean);
        assert_eq!(told.iter().map(|one| one.robot).collect::<Vec<_>>(), [None, Some(1), Some(2)]);
        assert_eq!(mean(told[0].start), Some(60.0));
        assert_eq!((mean(told[1].run), mean(told[1].total)), (Some(600.0), Some(660.0)));
        assert_eq!((told[2].start, told[2].run, told[2].total), (None, None, None));
        assert_eq!(latency(&[])[0].total, None);
    }
}
