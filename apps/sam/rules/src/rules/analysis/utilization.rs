//! How much of the time runners were busy (F-5.5).

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{Period, RunFact, percent, rounded};
use crate::model::{RobotId, RunnerId};

figures! {
    pub struct Utilization {
        /// Of every runner together.
        percent: Option<f64> = "porcentaje",
        range_minutes: f64 = "minutos_rango",
        runners: Vec<RunnerUse> = "equipos",
    }

    pub struct RunnerUse {
        runner: i64 = "equipo_id",
        busy_minutes: f64 = "minutos_ocupados",
        percent: Option<f64> = "porcentaje",
        runs: usize = "ejecuciones",
        robots: Vec<RobotUse>,
    }

    pub struct RobotUse {
        robot: i64 = "robot_id",
        busy_minutes: f64 = "minutos_ocupados",
        percent: Option<f64> = "porcentaje",
        runs: usize = "ejecuciones",
    }
}

/// A run occupies its runner from its claim to its end, or until now. Pairs that are `assigned`
/// are told even if they did nothing.
pub fn utilization(
    runs: &[RunFact],
    assigned: &[(RobotId, RunnerId)],
    period: Period,
    now: Timestamp,
) -> Utilization {
    let end = period.to.min(now);
    let range = end.duration_since(period.from).max(SignedDuration::ZERO);
    let mut runners: BTreeMap<RunnerId, BTreeMap<RobotId, Vec<Busy>>> = BTreeMap::new();
    for (robot, runner) in assigned {
        runners.entry(*runner).or_default().entry(*robot).or_default();
    }
    for run in runs {
        let from = run.claimed_at.max(period.from);
        let to = run.finished_at.unwrap_or(now).min(end);
        if from < to {
            let robots = runners.entry(run.runner).or_default();
            robots.entry(run.robot).or_default().push((from, to));
        }
    }
    let uses: Vec<(RunnerUse, SignedDuration)> =
        runners.into_iter().map(|(runner, robots)| used(runner, robots, range)).collect();
    let busy = uses.iter().fold(SignedDuration::ZERO, |sum, (_, busy)| sum + *busy);
    let whole = minutes(range) * uses.len() as f64;
    Utilization {
        percent: percent(minutes(busy), whole),
        range_minutes: rounded(minutes(range)),
        runners: uses.into_iter().map(|(told, _)| told).collect(),
    }
}

type Busy = (Timestamp, Timestamp);

fn used(
    runner: RunnerId,
    robots: BTreeMap<RobotId, Vec<Busy>>,
    range: SignedDuration,
) -> (RunnerUse, SignedDuration) {
    let mut all: Vec<Busy> = robots.values().flatten().copied().collect();
    let (busy, runs) = (covered(&mut all), all.len());
    let robot = |(robot, mut spans): (RobotId, Vec<Busy>)| {
        let busy = minutes(covered(&mut spans));
        RobotUse {
            robot: robot.0,
            busy_minutes: rounded(busy),
            percent: percent(busy, minutes(range)),
            runs: spans.len(),
        }
    };
    let told = RunnerUse {
        runner: runner.0,
        busy_minutes: rounded(minutes(busy)),
        percent: percent(minutes(busy), minutes(range)),
        runs,
        robots: robots.into_iter().map(robot).collect(),
    };
    (told, busy)
}

/// Time covered at least once: a run given up and its successor may overlap.
fn covered(spans: &mut [Busy]) -> SignedDuration {
    spans.sort_unstable();
    let mut sum = SignedDuration::ZERO;
    let mut reached = Timestamp::MIN;
    for (from, to) in spans.iter() {
        sum += to.duration_since((*from).max(reached)).max(SignedDuration::ZERO);
        reached = reached.max(*to);
    }
    sum
}

fn minutes(span: SignedDuration) -> f64 {
    span.as_secs_f64() / 60.0
}

#[cfg(test)]
mod tests {
    use super::super::samples::{at, live, morning, run};
    use super::*;
    use crate::model::RunState;

    #[test]
    fn busy_is_what_lies_in_the_range_counted_once() {
        let runs = [
            run(1, 7, "07:30", "08:30"),
            run(1, 7, "09:00", "09:30"),
            run(2, 7, "09:15", "09:45"),
            run(2, 8, "06:00", "07:00"),
            live(1, 9, "11:00", RunState::Running),
        ];
        let assigned = [(RobotId(3), RunnerId(7)), (RobotId(1), RunnerId(6))];
        let told = utilization(&runs, &assigned, morning(), at("11:30"));
        let figures: Vec<_> =
            told.runners.iter().map(|one| (one.runner, one.busy_minutes, one.runs)).collect();
        assert_eq!(figures, [(6, 0.0, 0), (7, 75.0, 3), (9, 30.0, 1)]);
        assert_eq!(told.runners[1].percent, Some(35.71));
        assert_eq!((told.percent, told.range_minutes), (Some(16.67), 210.0));
        let robots: Vec<_> =
            told.runners[1].robots.iter().map(|one| (one.robot, one.busy_minutes)).collect();
        assert_eq!(robots, [(1, 60.0), (2, 30.0), (3, 0.0)]);
    }

    #[test]
    fn a_range_of_no_length_has_no_percentage() {
        let assigned = [(RobotId(1), RunnerId(6))];
        let told = utilization(&[run(1, 7, "09:00", "10:00")], &assigned, morning(), at("07:00"));
        assert_eq!((told.percent, told.range_minutes, told.runners.len()), (None, 0.0, 1));
        assert_eq!(told.runners[0].percent, None);
    }
}
