//! What has to hold before a claim is granted, in the order in which people are told.

use jiff::Timestamp;

use super::Claim;
use crate::{
    model::{Hold, Pace, Robot, RobotId, Runner, RunnerId},
    rules::{
        reason::Reason,
        world::{Retrying, Suspended, World},
    },
};

/// Every condition that does not hold now, the house's first, then the robot's, the runner's, the
/// pair's. `freed`: the runner's lost run is given up in the same plan.
pub fn failing(world: &World, claim: &Claim<'_>, now: Timestamp, freed: bool) -> Vec<Reason> {
    let mut failing = shared(world, now);
    failing.extend(own(world, claim, now, freed));
    failing
}

/// Every condition that keeps a person from starting a robot on a runner now.
pub fn by_hand(world: &World, robot: RobotId, runner: RunnerId, now: Timestamp) -> Vec<Reason> {
    let mut failing = shared(world, now);
    if let (Some(robot), Some(runner)) = (world.robots.get(&robot), world.runners.get(&runner)) {
        failing.extend(pair(world, robot, runner, now));
        failing.extend(busy(world, runner.id));
    }
    failing
}

/// Every condition of the claim's own that does not hold now.
pub(super) fn own(world: &World, claim: &Claim<'_>, now: Timestamp, freed: bool) -> Vec<Reason> {
    let mut failing = Vec::new();
    let (robot, runner) = (claim.robot, claim.runner);
    if let Some(retry) = retry(world, claim).filter(|retry| now < retry.at) {
        let Retrying { run, state, at: until } = *retry;
        failing.push(Reason::Retrying { run, state, until });
    }
    if claim.assignment.hold != Hold::Scheduled && !robot.online {
        failing.push(Reason::RobotNotOnline);
    }
    failing.extend(pair(world, robot, runner, now));
    failing.extend(resting(world, claim, now, freed));
    failing.extend(busy(world, runner.id).filter(|_| !freed));
    failing
}

/// What has to hold for a robot on a runner, whoever wants it to start.
fn pair(world: &World, robot: &Robot, runner: &Runner, now: Timestamp) -> Vec<Reason> {
    let mut failing = Vec::new();
    let mut pools = [robot.pool, runner.pool].into_iter().flatten();
    if let Some(pool) = pools.find(|pool| world.stopped.contains(pool)) {
        failing.push(Reason::PoolInactive { pool });
    }
    if !robot.active {
        failing.push(Reason::RobotInactive);
    }
    if !runner.active {
        failing.push(Reason::RunnerInactive);
    }
    if !runner.licence.runs_bots() {
        failing.push(Reason::NoLicence { licence: runner.licence.text() });
    }
    for (what, suspension) in world.suspended(robot.id, runner.id, now) {
        let (code, detail) = (suspension.code.clone(), suspension.detail.clone());
        let until = suspension.until;
        failing.push(match what {
            Suspended::Robot(_) => Reason::RobotSuspended { code, detail, until },
            Suspended::Runner(_) => Reason::RunnerSuspended { code, detail, until },
            Suspended::Pair(..) => Reason::PairSuspended { code, detail, until },
        });
    }
    failing
}

/// The run that occupies a runner.
fn busy(world: &World, runner: RunnerId) -> Option<Reason> {
    let run = world.live.get(&runner)?;
    let (robot, state, until) = (run.robot, run.state, run.lost_until());
    Some(Reason::Busy { run: run.id, robot, state, until, doubt: run.posted_at })
}

/// The try of this slot that failed last.
fn retry<'a>(world: &'a World, claim: &Claim<'_>) -> Option<&'a Retrying> {
    let key = claim.key()?;
    world.retries.get(&(key.schedule, key.runner, key.slot.date))
}

/// What holds everybody.
pub(super) fn shared(world: &World, now: Timestamp) -> Vec<Reason> {
    let mut failing = Vec::new();
    if !world.circuit.configured {
        failing.push(Reason::NotConfigured);
    }
    if let Some(until) = world.policy.pause.holds_until(now, &world.policy.zone) {
        failing.push(Reason::Paused { until });
    }
    if let Some(opened) = world.circuit.opened.as_ref().filter(|opened| now < opened.until) {
        failing.push(Reason::CircuitOpen {
            code: opened.code.clone(),
            detail: opened.detail.clone(),
            until: opened.until,
        });
    }
    failing
}

/// Between two runs of a cyclic schedule.
fn resting(world: &World, claim: &Claim<'_>, now: Timestamp, freed: bool) -> Option<Reason> {
    let Pace::Cyclic { interval: Some(interval), .. } = claim.schedule?.pace else {
        return None;
    };
    // A run of the pair that is given up in this very plan ends now.
    let own = world.live.get(&claim.runner.id).filter(|run| run.robot == claim.robot.id);
    let ended = match own.filter(|_| freed) {
        Some(_) => now,
        None => *world.ended.get(&(claim.robot.id, claim.runner.id))?,
    };
    let until = ended + interval;
    (now < until).then_some(Reason::Resting { until })
}
