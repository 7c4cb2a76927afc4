//! How evenly a robot runs on each runner (F-5.9).

use std::collections::BTreeMap;

use super::{RunFact, Spread, seconds};
use crate::model::{RobotId, RunnerId};

engine::words! {
    /// What is measured between one run and the next.
    pub enum Gap {
        /// From start to start.
        Starts = "I",
        /// From the end to the next start.
        Idle = "F",
    }
}

figures! {
    pub struct Dispersion {
        runner: i64 = "equipo_id",
        runs: usize = "ejecuciones",
        /// Seconds between runs; absent for a single run.
        gaps: Option<Spread> = "intervalos",
    }
}

/// By runner, for one robot.
pub fn dispersion(runs: &[RunFact], robot: RobotId, gap: Gap) -> Vec<Dispersion> {
    let mut runners: BTreeMap<RunnerId, Vec<&RunFact>> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.robot == robot) {
        runners.entry(run.runner).or_default().push(run);
    }
    let told = |(runner, mut runs): (RunnerId, Vec<&RunFact>)| {
        runs.sort_by_key(|run| (run.began(), run.run));
        let gaps = runs.windows(2).filter_map(|pair| between(pair[0], pair[1], gap));
        Dispersion { runner: runner.0, runs: runs.len(), gaps: Spread::of(gaps) }
    };
    runners.into_iter().map(told).collect()
}

fn between(one: &RunFact, next: &RunFact, gap: Gap) -> Option<f64> {
    match gap {
        Gap::Starts => seconds(one.began(), next.began()),
        Gap::Idle => seconds(one.finished_at?, next.began()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::run;
    use engine::Word as _;

    use super::*;

    #[test]
    fn gaps_are_measured_on_each_runner() {
        let runs = [
            run(1, 7, "10:00", "10:10"),
            run(1, 7, "09:00", "09:20"),
            run(1, 7, "09:30", "09:45"),
            run(1, 8, "09:10", "09:15"),
            run(2, 7, "09:05", "09:06"),
        ];
        let told = dispersion(&runs, RobotId(1), Gap::Starts);
        let first = told[0].gaps.unwrap();
        assert_eq!((told[0].runs, first.count, first.mean), (3, 2, 1800.0));
        assert_eq!((told[1].runner, told[1].gaps), (8, None));
        let idle = dispersion(&runs, RobotId(1), Gap::Idle)[0].gaps.unwrap();
        assert_eq!((idle.least, idle.most), (600.0, 900.0));
        assert_eq!(dispersion(&runs, RobotId(9), Gap::Idle), []);
        assert_eq!((Gap::from_word("F"), Gap::from_word("x")), (Some(Gap::Idle), None));
    }
}
