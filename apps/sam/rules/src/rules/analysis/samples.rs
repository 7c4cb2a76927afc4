//! Runs of the morning of Monday 2 March 2026, Buenos Aires.

use jiff::Timestamp;

use super::{MoveFact, Period, RunFact};
use crate::model::{Closing, RobotId, RunId, RunState, RunnerId};
use crate::rules::calendar::samples;

/// `09:30` or `09:30:15` of that morning.
pub(super) fn at(clock: &str) -> Timestamp {
    samples::at(&format!("2026-03-02T{clock}"))
}

pub(super) fn zone() -> jiff::tz::TimeZone {
    samples::zone(samples::HOME)
}

/// Claimed and started at `from`, completed at `to` and told so by its callback.
pub(super) fn run(robot: i64, runner: i64, from: &str, to: &str) -> RunFact {
    RunFact {
        run: RunId(0),
        robot: RobotId(robot),
        runner: RunnerId(runner),
        state: RunState::RunCompleted,
        claimed_at: at(from),
        started_at: Some(at(from)),
        finished_at: Some(at(to)),
        updated_at: at(to),
        closing: Some(Closing::Callback),
        misses: 0,
        repetitions: 1,
    }
}

/// In that state since `from`.
pub(super) fn live(robot: i64, runner: i64, from: &str, state: RunState) -> RunFact {
    let done = run(robot, runner, from, from);
    RunFact { state, started_at: None, finished_at: None, closing: None, ..done }
}

pub(super) fn ended(state: RunState) -> RunFact {
    RunFact { state, ..run(1, 1, "09:00", "09:10") }
}

pub(super) fn moved(clock: &str, robot: i64, runner: i64, assigned: bool) -> MoveFact {
    let (robot, runner) = (RobotId(robot), RunnerId(runner));
    MoveFact { at: at(clock), robot, runner, assigned, tickets: None, preempted: false }
}

pub(super) fn morning() -> Period {
    Period { from: at("08:00"), to: at("12:00") }
}
