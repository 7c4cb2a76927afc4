//! How often runs succeed (F-5.7).

use std::collections::BTreeMap;

use engine::Word as _;

use super::{RunFact, share};
use crate::model::{RobotId, RunState, RunnerId};

const TOP: usize = 10;

figures! {
    /// What was only inferred, lost or is still live is shown by state and counts for no rate.
    pub struct Success {
        /// Runs whose end is known.
        known: usize = "total",
        succeeded: usize = "exitosas",
        percent: Option<f64> = "porcentaje",
        states: Vec<StateCount> = "por_estado",
        /// The states runs fail in, most often first.
        failures: Vec<StateCount> = "fallos",
        /// The worst first.
        pairs: Vec<PairRate> = "pares",
    }

    pub struct StateCount {
        state: &'static str = "estado",
        count: usize = "cantidad",
        /// Of all the runs.
        percent: Option<f64> = "porcentaje",
    }

    pub struct PairRate {
        robot: i64 = "robot_id",
        runner: i64 = "equipo_id",
        known: usize = "total",
        succeeded: usize = "exitosas",
        percent: Option<f64> = "porcentaje",
    }
}

pub fn success(runs: &[RunFact]) -> Success {
    let mut states: BTreeMap<RunState, usize> = BTreeMap::new();
    let mut pairs: BTreeMap<(RobotId, RunnerId), (usize, usize)> = BTreeMap::new();
    for run in runs {
        *states.entry(run.state).or_default() += 1;
        if let Some(succeeded) = verdict(run.state) {
            let (known, good) = pairs.entry((run.robot, run.runner)).or_default();
            *known += 1;
            *good += usize::from(succeeded);
        }
    }
    let known = pairs.values().map(|(known, _)| known).sum();
    let succeeded = pairs.values().map(|(_, good)| good).sum();
    let count = |(state, count): (&RunState, &usize)| StateCount {
        state: state.word(),
        count: *count,
        percent: share(*count, runs.len()),
    };
    let mut failures: Vec<StateCount> =
        states.iter().filter(|(state, _)| verdict(**state) == Some(false)).map(count).collect();
    failures.sort_by_key(|one| std::cmp::Reverse(one.count));
    failures.truncate(TOP);
    Success {
        known,
        succeeded,
        percent: share(succeeded, known),
        states: states.iter().map(count).collect(),
        failures,
        pairs: rates(pairs),
    }
}

fn rates(pairs: BTreeMap<(RobotId, RunnerId), (usize, usize)>) -> Vec<PairRate> {
    let rate = |((robot, runner), (known, succeeded)): ((RobotId, RunnerId), (usize, usize))| {
        let percent = share(succeeded, known);
        PairRate { robot: robot.0, runner: runner.0, known, succeeded, percent }
    };
    let mut rates: Vec<PairRate> = pairs.into_iter().map(rate).collect();
    rates.sort_by(|a, b| {
        let (left, right) = (a.percent.unwrap_or(100.0), b.percent.unwrap_or(100.0));
        left.total_cmp(&right).then(b.known.cmp(&a.known))
    });
    rates
}

/// Whether it succeeded, where that is known.
pub(super) const fn verdict(state: RunState) -> Option<bool> {
    match state {
        RunState::Completed | RunState::RunCompleted => Some(true),
        RunState::RunFailed
        | RunState::RunAborted
        | RunState::RunTimedOut
        | RunState::DeployFailed => Some(false),
        RunState::Pending
        | RunState::Deployed
        | RunState::Queued
        | RunState::Running
        | RunState::Paused
        | RunState::Unknown
        | RunState::Inferred => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{ended, run};
    use super::*;

    #[test]
    fn what_is_not_known_counts_for_no_rate() {
        use RunState as S;
        let mut runs: Vec<_> = [S::RunCompleted, S::Completed, S::RunFailed, S::RunFailed]
            .into_iter()
            .chain([S::DeployFailed, S::Inferred, S::Unknown, S::Running])
            .map(ended)
            .collect();
        runs.push(run(1, 2, "09:00", "09:05"));
        let told = success(&runs);
        assert_eq!((told.known, told.succeeded, told.percent), (6, 3, Some(50.0)));
        let failures: Vec<_> = told.failures.iter().map(|one| (one.state, one.count)).collect();
        assert_eq!(failures, [("RUN_FAILED", 2), ("DEPLOY_FAILED", 1)]);
        let pairs: Vec<_> = told.pairs.iter().map(|one| (one.runner, one.percent)).collect();
        assert_eq!(pairs, [(1, Some(40.0)), (2, Some(100.0))]);
        assert_eq!(told.states.iter().map(|one| one.count).sum::<usize>(), 9);
    }

    #[test]
    fn nothing_has_no_rate() {
        assert_eq!(success(&[]).percent, None);
        assert_eq!(success(&[ended(RunState::Inferred)]).percent, None);
    }
}
