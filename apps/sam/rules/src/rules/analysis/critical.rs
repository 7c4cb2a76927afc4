//! What needs a look now: failed, delayed and orphaned runs (F-5.10). Each kind has its own
//! list, so that many of one do not hide the others.

use std::collections::BTreeMap;

use engine::Word as _;
use jiff::{SignedDuration, Timestamp};

use super::spread::mean;
use super::{RunFact, rounded, seconds};
use crate::model::{RobotId, RunState};

/// When a run is late (`INTERFAZ_WEB_EJECUCION_DEMORA_*`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delay {
    /// For a robot without history.
    pub threshold: SignedDuration,
    /// Times the robot's own average by repetition,
    pub factor: f64,
    /// but never less than this.
    pub floor: SignedDuration,
    /// Runs shorter than this had nothing to do and teach nothing.
    pub short: SignedDuration,
}

impl Default for Delay {
    fn default() -> Self {
        Self {
            threshold: SignedDuration::from_mins(25),
            factor: 1.5,
            floor: SignedDuration::from_mins(10),
            short: SignedDuration::from_mins(2),
        }
    }
}

/// A run stuck in the Control Room's queue for longer than this belongs to nobody.
const QUEUED_FOR: SignedDuration = SignedDuration::from_mins(5);

figures! {
    pub struct Critical {
        run: i64 = "ejecucion_id",
        robot: i64 = "robot_id",
        runner: i64 = "equipo_id",
        state: &'static str = "estado",
        since: Timestamp = "fecha_inicio",
        minutes: f64 = "minutos",
        /// What a repetition may take, where that was judged.
        limit: Option<f64> = "limite_minutos",
    }
}

/// Those that failed, latest first. Stopped by a person is not failed.
pub fn failed(runs: &[RunFact], most: usize) -> Vec<Critical> {
    let mut found: Vec<&RunFact> = runs.iter().filter(|run| is_failure(run.state)).collect();
    found.sort_by_key(|run| std::cmp::Reverse((run.finished_at, run.run)));
    let told = |run: &RunFact| critical(run, run.finished_at.unwrap_or(run.updated_at), None);
    found.into_iter().take(most).map(told).collect()
}

/// Those that take longer than this robot's runs do, longest first. `history` teaches how long
/// that is.
pub fn delayed(
    live: &[RunFact],
    history: &[RunFact],
    delay: &Delay,
    now: Timestamp,
    most: usize,
) -> Vec<Critical> {
    let usual = averages(history, delay);
    let mut found: Vec<Critical> = live
        .iter()
        .filter(|run| matches!(run.state, RunState::Running | RunState::Deployed))
        .filter_map(|run| {
            let elapsed = seconds(run.began(), now)?;
            let own = usual
                .get(&run.robot)
                .map(|each| (each * delay.factor.max(0.0)).max(delay.floor.as_secs_f64()));
            let (took, limit) = match own {
                Some(limit) => (elapsed / run.repeats(), limit),
                None => (elapsed, delay.threshold.as_secs_f64()),
            };
            (took > limit).then(|| critical(run, now, Some(rounded(limit / 60.0))))
        })
        .collect();
    longest(&mut found, most);
    found
}

/// Those that stay queued while nothing later of the same pair runs, longest first.
pub fn orphaned(live: &[RunFact], now: Timestamp, most: usize) -> Vec<Critical> {
    let runs_later = |queued: &RunFact| {
        live.iter().any(|run| {
            matches!(run.state, RunState::Deployed | RunState::Running)
                && (run.robot, run.runner) == (queued.robot, queued.runner)
                && run.claimed_at > queued.claimed_at
        })
    };
    let mut found: Vec<Critical> = live
        .iter()
        .filter(|run| run.state == RunState::Queued)
        .filter(|run| now.duration_since(run.claimed_at) > QUEUED_FOR && !runs_later(run))
        .map(|run| critical(run, now, None))
        .collect();
    longest(&mut found, most);
    found
}

fn longest(found: &mut Vec<Critical>, most: usize) {
    found.sort_by(|a, b| a.since.cmp(&b.since).then(a.run.cmp(&b.run)));
    found.truncate(most);
}

/// One run as it is shown, measured until `until`.
fn critical(run: &RunFact, until: Timestamp, limit: Option<f64>) -> Critical {
    Critical {
        run: run.run.0,
        robot: run.robot.0,
        runner: run.runner.0,
        state: run.state.word(),
        since: run.began(),
        minutes: rounded(seconds(run.began(), until).unwrap_or(0.0) / 60.0),
        limit,
    }
}

/// Seconds by repetition of each robot's completed runs.
fn averages(history: &[RunFact], delay: &Delay) -> BTreeMap<RobotId, f64> {
    let mut robots: BTreeMap<RobotId, Vec<f64>> = BTreeMap::new();
    for run in history.iter().filter(|run| run.state.succeeded()) {
        let took = run.took().filter(|took| *took >= delay.short.as_secs_f64());
        robots.entry(run.robot).or_default().extend(took.map(|took| took / run.repeats()));
    }
    robots.into_iter().filter_map(|(robot, each)| Some((robot, mean(&each)?))).collect()
}

const fn is_failure(state: RunState) -> bool {
    matches!(state, RunState::DeployFailed | RunState::RunFailed | RunState::RunTimedOut)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{at, ended, live, run};
    use super::*;

    #[test]
    fn a_run_is_delayed_by_the_measure_of_its_robot() {
        let history = [
            run(1, 1, "06:00", "06:20"),
            run(1, 1, "07:00", "07:20"),
            run(1, 1, "07:30", "07:31"),
            run(2, 2, "06:00", "06:03"),
        ];
        let late = |robot, from: &str| {
            let live = [live(robot, 9, from, RunState::Running)];
            delayed(&live, &history, &Delay::default(), at("10:00:00"), 9)
        };
        assert_eq!(late(1, "09:30:00"), [], "20 min × 1.5, exactly");
        assert_eq!(late(1, "09:29:59")[0].limit, Some(30.0));
        assert_eq!(late(2, "09:50:00"), [], "the floor");
        assert_eq!(late(2, "09:49:59")[0].limit, Some(10.0));
        assert_eq!(late(3, "09:35:00"), [], "no history");
        assert_eq!(late(3, "09:34:59")[0].limit, Some(25.0));
    }

    #[test]
    fn repetitions_share_the_time() {
        let history = [RunFact { repetitions: 2, ..run(1, 1, "06:00", "06:40") }];
        let now = at("10:00:00");
        let three = RunFact { repetitions: 3, ..live(1, 1, "08:40", RunState::Running) };
        let paused = live(1, 2, "05:00", RunState::Paused);
        let told = delayed(&[three, paused], &history, &Delay::default(), now, 9);
        assert_eq!(told, [], "80 min in three repetitions of up to 30");
    }

    #[test]
    fn a_queued_run_without_a_successor_is_an_orphan() {
        let now = at("10:00:00");
        let queued = |from: &str| live(1, 1, from, RunState::Queued);
        assert_eq!(orphaned(&[queued("09:55:00")], now, 9), []);
        assert_eq!(orphaned(&[queued("09:54:59")], now, 9).len(), 1);
        let successor = live(1, 1, "09:56", RunState::Running);
        assert_eq!(orphaned(&[queued("09:50"), successor.clone()], now, 9), []);
        let elsewhere = live(1, 2, "09:56", RunState::Running);
        assert_eq!(orphaned(&[queued("09:50"), elsewhere], now, 9).len(), 1);
        assert_eq!(orphaned(&[queued("09:50"), queued("09:40")], now, 1)[0].since, at("09:40"));
    }

    #[test]
    fn failures_are_those_nobody_asked_for() {
        use RunState as S;
        let runs = [S::RunFailed, S::RunAborted, S::DeployFailed, S::RunTimedOut, S::Inferred];
        let runs: Vec<_> = runs.into_iter().map(ended).collect();
        let told = failed(&runs, 9);
        let states: Vec<_> = told.iter().map(|one| (one.state, one.minutes)).collect();
        assert_eq!(
            states,
            [("RUN_FAILED", 10.0), ("DEPLOY_FAILED", 10.0), ("RUN_TIMED_OUT", 10.0)]
        );
        assert_eq!(failed(&runs, 1).len(), 1);
    }
}
