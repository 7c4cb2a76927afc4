//! How long robots take, without the odd ones (F-5.4).

use std::collections::BTreeMap;

use engine::Word as _;

use super::spread::mean;
use super::{RunFact, Spread, rounded, seconds};
use crate::model::{Closing, RobotId};

/// The share of runs left out at either end.
const TRIM: f64 = 0.15;

figures! {
    pub struct Times {
        robot: i64 = "robot_id",
        /// Completed runs.
        runs: usize = "ejecuciones",
        /// Seconds by repetition, without the quickest and the slowest 15 %.
        each: Spread = "por_repeticion",
        /// Seconds of a whole run, of the same runs.
        total: f64 = "promedio_total",
        /// Seconds from the claim to the start, of the same runs.
        start_latency: Option<f64> = "latencia_inicio",
        /// Who said that they were over.
        closings: BTreeMap<&'static str, usize> = "por_cierre",
    }
}

/// By robot; completed runs only.
pub fn times(runs: &[RunFact]) -> Vec<Times> {
    let mut robots: BTreeMap<RobotId, Vec<(f64, f64, &RunFact)>> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.state.succeeded()) {
        if let Some(took) = run.took() {
            robots.entry(run.robot).or_default().push((took / run.repeats(), took, run));
        }
    }
    robots.into_iter().filter_map(|(robot, timed)| of_robot(robot, timed)).collect()
}

fn of_robot(robot: RobotId, mut timed: Vec<(f64, f64, &RunFact)>) -> Option<Times> {
    timed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.run.cmp(&b.2.run)));
    let odd = (timed.len() as f64 * TRIM) as usize;
    let usual = &timed[odd..timed.len() - odd];
    let totals: Vec<f64> = usual.iter().map(|(_, took, _)| *took).collect();
    let latencies: Vec<f64> =
        usual.iter().filter_map(|(_, _, run)| seconds(run.claimed_at, run.started_at?)).collect();
    let mut closings = BTreeMap::new();
    for (_, _, run) in usual {
        let word = run.closing.map_or("", Closing::word);
        *closings.entry(word).or_default() += 1;
    }
    Some(Times {
        robot: robot.0,
        runs: timed.len(),
        each: Spread::of(usual.iter().map(|(each, _, _)| *each))?,
        total: rounded(mean(&totals)?),
        start_latency: mean(&latencies).map(rounded),
        closings,
    })
}

#[cfg(test)]
mod tests {
    use super::super::samples::{at, ended, run};
    use super::*;
    use crate::model::RunState;

    #[test]
    fn the_odd_ones_are_left_out_at_both_ends() {
        let mut runs: Vec<RunFact> =
            (0..7).map(|n| run(1, 1, "09:00:00", &format!("09:0{n}:00"))).collect();
        runs.push(ended(RunState::RunFailed));
        runs[3].claimed_at = at("08:59:30");
        let told = times(&runs);
        assert_eq!(told.len(), 1);
        let each = told[0].each;
        assert_eq!((told[0].runs, each.count), (7, 5), "one of seven at either end");
        assert_eq!((each.least, each.mean, each.most), (60.0, 180.0, 300.0));
        assert_eq!((told[0].total, told[0].start_latency), (180.0, Some(6.0)));
        assert_eq!(told[0].closings, BTreeMap::from([("CALLBACK", 5)]));
    }

    #[test]
    fn a_run_is_divided_by_its_repetitions() {
        let three = RunFact { repetitions: 3, ..run(2, 1, "09:00", "09:06") };
        let none = RunFact { repetitions: 0, ..run(3, 1, "09:00", "09:06") };
        let backwards = run(4, 1, "09:10", "09:00");
        let told = times(&[three, none, backwards]);
        let means: Vec<_> = told.iter().map(|one| (one.robot, one.each.mean, one.total)).collect();
        assert_eq!(means, [(2, 120.0, 360.0), (3, 360.0, 360.0)]);
    }
}
