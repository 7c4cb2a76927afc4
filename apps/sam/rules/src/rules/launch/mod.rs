//! *Lanzador*: which robot starts on which runner now (§4.2, R-3).
//!
//! Whoever is due claims a runner. Claims are heard in one order, the first whose conditions all
//! hold gets the runner, and every other one is held by the first condition that does not.

pub mod claim;
mod conditions;
mod passed;
#[cfg(test)]
pub(super) mod properties;
#[cfg(test)]
mod scenarios;

use std::collections::{HashMap, HashSet};

use engine::Plan;
use jiff::Timestamp;

pub use claim::{Claim, Class};
pub use conditions::{by_hand, failing};

use super::{
    calendar::{self, Slot},
    reason::{Held, Reason},
    world::{SlotNote, World},
};
use crate::model::{Hold, RetryCause, RobotId, Run, RunId, RunState, RunnerId, ScheduleId};

#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Lost for two hours: its runner is free (§4.2.1).
    Free {
        run: RunId,
        runner: RunnerId,
    },
    Launch(Launch),
    /// Accepted long ago and not begun: people are told, and it is stopped where its robot may be
    /// tried again for that.
    Overdue {
        run: RunId,
        runner: RunnerId,
        stop: bool,
    },
    /// A slot waits, and why.
    Wait {
        slot: SlotKey,
        reason: Reason,
    },
    /// A slot closed without a run. The reason stands if none was noted while it was open.
    Miss {
        slot: SlotKey,
        reason: Reason,
    },
}

/// A run to be claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    pub robot: RobotId,
    pub runner: RunnerId,
    pub hold: Hold,
    pub schedule: Option<ScheduleId>,
    /// Set when the run stands for a slot of its own.
    pub slot: Option<Slot>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotKey {
    pub schedule: ScheduleId,
    pub runner: RunnerId,
    pub slot: Slot,
}

pub fn plan(world: &World, now: Timestamp) -> Plan<Change, Held> {
    let mut plan = Plan::new();
    let lost = lost(world, now);
    let freed: HashSet<RunnerId> = lost.iter().map(|(_, runner)| *runner).collect();
    plan.changes.extend(lost.into_iter().map(|(run, runner)| Change::Free { run, runner }));
    let mut claims = claim::due(world, now);
    claims.sort_by_key(|claim| claim.rank);
    // After an open circuit one run is tried before the others follow.
    let mut probes = world.circuit.opened.is_some().then_some(usize::from(!probing(world)));
    let mut won: HashMap<RunnerId, RobotId> = HashMap::new();
    let closed = conditions::shared(world, now).into_iter().next();
    for claim in &claims {
        let runner = claim.assignment.runner;
        let own = || conditions::own(world, claim, now, freed.contains(&runner)).into_iter().next();
        let held = closed.clone().or_else(own);
        let held = held.or_else(|| won.get(&runner).map(|to| Reason::Yields { to: *to }));
        let held = held.or_else(|| (probes == Some(0)).then_some(Reason::Probing));
        match held {
            None => {
                probes = probes.map(|left| left - 1);
                won.insert(runner, claim.assignment.robot);
                plan.changes.push(Change::Launch(claim.launch()));
            }
            Some(reason) => {
                plan.changes.extend(wait(world, claim, &reason));
                plan.held.push(Held { robot: claim.assignment.robot, runner, reason });
            }
        }
    }
    plan.changes.extend(overdue(world, now));
    plan.changes.extend(passed::unconfirmed(world, now));
    plan.changes.extend(passed::missed(world, now));
    plan
}

/// When time alone changes the plan next.
pub fn next(world: &World, plan: &Plan<Change, Held>, now: Timestamp) -> Option<Timestamp> {
    let zone = &world.policy.zone;
    let used: HashSet<ScheduleId> =
        world.assignments.iter().filter_map(|one| one.schedule).collect();
    let starts = used
        .iter()
        .filter_map(|id| world.schedules.get(id))
        .filter_map(|one| calendar::next_start(one, world.holidays(one), zone, now));
    let held = plan.held.iter().filter_map(|held| held.reason.until());
    let lost = world.live.values().filter_map(Run::lost_until);
    let limit = world.policy.start_limit;
    let late = world.live.values().filter(|run| run.overdue_at.is_none());
    let late = late.filter_map(|run| run.start_by(limit));
    let ends = passed::ends(world, &plan.changes).into_iter();
    starts.chain(held).chain(lost).chain(late).chain(ends).filter(|at| *at > now).min()
}

/// Runs that were accepted and did not begin in time, told once.
fn overdue(world: &World, now: Timestamp) -> Vec<Change> {
    let limit = world.policy.start_limit;
    let news = world.live.values().filter(|run| run.overdue_at.is_none());
    let mut late: Vec<_> =
        news.filter(|run| run.start_by(limit).is_some_and(|by| by <= now)).collect();
    late.sort_unstable_by_key(|run| run.id);
    let stop = |run: &Run| {
        let robot = world.robots.get(&run.robot);
        let again = robot.is_some_and(|robot| robot.retry.covers(RetryCause::NotStarted));
        again && run.slot.is_some() && run.stop.is_none()
    };
    late.into_iter()
        .map(|run| Change::Overdue { run: run.id, runner: run.runner, stop: stop(run) })
        .collect()
}

/// Runs whose hold on their runner is over.
fn lost(world: &World, now: Timestamp) -> Vec<(RunId, RunnerId)> {
    let over = |run: &&Run| run.lost_until().is_some_and(|until| until <= now);
    let mut lost: Vec<_> =
        world.live.values().filter(over).map(|run| (run.id, run.runner)).collect();
    lost.sort_unstable();
    lost
}

/// Whether a run is on its way to the Control Room.
fn probing(world: &World) -> bool {
    world.live.values().any(|run| run.state == RunState::Pending)
}

fn wait(world: &World, claim: &Claim<'_>, reason: &Reason) -> Option<Change> {
    let slot = claim.key()?;
    let known = world.slots.get(&(slot.schedule, slot.runner, slot.slot.date));
    // Who yielded to another waits for that other's run: that is no news.
    let yielded = Reason::Yields { to: claim.robot.id };
    let still = |note: &SlotNote| {
        note.code == reason.code()
            || (note.code == yielded.code() && matches!(reason, Reason::Busy { .. }))
    };
    let news = !known.is_some_and(still);
    news.then(|| Change::Wait { slot, reason: reason.clone() })
}

/// Calendars count whole seconds: a slot that ends at 09:30:00 is open during that second.
pub(super) fn second(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second()).unwrap_or(at)
}
