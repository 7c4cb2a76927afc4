//! What must hold after every plan.

use std::collections::{HashMap, HashSet};

use engine::Plan;
use jiff::{SignedDuration, Timestamp};

use super::{farm, operation::SlotId};
use crate::{
    model::{Assignment, Hold, RunState},
    policy::{Isolation, Preemption},
    rules::{
        balance::{self, Balance, Demand, Motive, Snapshot},
        calendar,
        launch::{Change, claim, second},
        reason::{Held, Reason},
        world::{World, pool_number},
    },
};

/// Before they are claimed: the house is open and both sides may.
pub(super) fn launches(world: &World, plan: &Plan<Change, Held>, now: Timestamp) {
    let clock = now.to_zoned(world.policy.zone.clone()).time();
    let (from, to) = (world.policy.pause.from, world.policy.pause.to);
    let paused = if from <= to { from <= clock && clock < to } else { clock >= from || clock < to };
    let open = world.circuit.opened.as_ref().is_some_and(|opened| now < opened.until);
    for change in &plan.changes {
        let Change::Launch(launch) = change else { continue };
        assert!(!paused && !open, "{launch:?} at {now}");
        let (robot, runner) = (&world.robots[&launch.robot], &world.runners[&launch.runner]);
        assert!(robot.active && runner.active && runner.licence.runs_bots(), "{launch:?}");
        assert!(robot.online || launch.hold == Hold::Scheduled, "{launch:?}");
        assert_eq!(world.suspended(robot.id, runner.id, now).count(), 0, "{launch:?}");
    }
}

/// Nothing starts in this plan: whoever is due waits for a reason that is true.
pub(super) fn held(world: &World, plan: &Plan<Change, Held>, now: Timestamp) {
    assert_eq!(claim::due(world, now).len(), plan.held.len(), "every due claim has a reason");
    for held in &plan.held {
        let (robot, runner) = (&world.robots[&held.robot], &world.runners[&held.runner]);
        let suspended = || world.suspended(robot.id, runner.id, now).count() > 0;
        let holds = match &held.reason {
            Reason::Paused { until }
            | Reason::CircuitOpen { until, .. }
            | Reason::Resting { until } => now < *until,
            Reason::RobotSuspended { until, .. }
            | Reason::RunnerSuspended { until, .. }
            | Reason::PairSuspended { until, .. } => now < *until && suspended(),
            Reason::Probing => {
                let pending = |state| state == RunState::Pending;
                world.circuit.opened.is_some() && world.live.values().any(|run| pending(run.state))
            }
            Reason::RobotInactive => !robot.active,
            Reason::RobotNotOnline => !robot.online,
            Reason::RunnerInactive => !runner.active,
            Reason::NoLicence { .. } => !runner.licence.runs_bots(),
            Reason::Busy { run, until, .. } => {
                world.live[&runner.id].id == *run && until.is_none_or(|until| now < until)
            }
            _ => false,
        };
        assert!(holds, "{held:?} at {now}");
    }
}

fn fixed(snapshot: &Snapshot) -> Vec<&Assignment> {
    snapshot.world.assignments.iter().filter(|one| one.hold != Hold::Dynamic).collect()
}

fn count(snapshot: &Snapshot, robot: crate::model::RobotId, hold: Hold) -> i64 {
    let rows = snapshot.world.assignments.iter();
    rows.filter(|one| one.robot == robot && one.hold == hold).count() as i64
}

/// `moved` remembers when each pool last changed, apart from what the planner is told.
pub(super) fn moves(
    before: &Snapshot,
    plan: &Balance,
    after: &Snapshot,
    moved: &mut HashMap<i64, Timestamp>,
    now: Timestamp,
) {
    assert_eq!(fixed(before), fixed(after), "what people and calendars assigned stays");
    assert_eq!(before.world.live, after.world.live, "what runs goes on");
    let strict = before.world.policy.isolation == Isolation::Strict;
    let mut given = HashSet::new();
    for one in &plan.moves {
        let robot = &before.world.robots[&one.robot];
        let runner = &before.world.runners[&one.runner];
        assert_ne!(before.demand.get(&robot.id), Some(&Demand::Unknown), "{one:?}");
        for pool in [robot.pool, runner.pool] {
            assert!(pool.is_none_or(|pool| !before.stopped.contains(&pool)), "{one:?}");
            let last = moved.get(&pool_number(pool));
            let rested = |at: &Timestamp| now.duration_since(*at) >= SignedDuration::from_mins(5);
            assert!(last.is_none_or(rested), "{one:?} while its pool cools");
        }
        let has = count(after, robot.id, Hold::Dynamic) + count(after, robot.id, Hold::Reserved);
        if one.motive.assigns() {
            assert!(given.insert(runner.id), "{one:?} is given twice");
            assert!(robot.active && robot.online && runner.active && runner.dynamic, "{one:?}");
            assert!(runner.licence.runs_bots() && (!strict || robot.pool == runner.pool));
            assert!(robot.limits.most.is_none_or(|most| has <= most), "{one:?} above Max");
        }
        if one.motive == Motive::Preempted {
            let protected = before.world.policy.preemption == Preemption::DownToMin;
            let wants = matches!(before.demand.get(&robot.id), Some(Demand::Known(1..)));
            let asks = protected && wants && robot.active && robot.online;
            assert!(!asks || has >= robot.limits.least, "{one:?} below Min");
        }
    }
    for one in &plan.moves {
        let pools = [before.world.robots[&one.robot].pool, before.world.runners[&one.runner].pool];
        moved.extend(pools.map(|pool| (pool_number(pool), now)));
    }
    assert_eq!(balance::plan(after, now).moves, [], "a plan is a fixpoint");
}

/// Every slot of a schedule that nobody touched had its run or is noted as missed.
pub(super) fn traces(world: &World, accepted: &HashSet<SlotId>, since: Timestamp, now: Timestamp) {
    for one in &world.assignments {
        let schedule = one.schedule.and_then(|id| world.schedules.get(&id));
        let Some(schedule) = schedule.filter(|one| farm::is_left_alone(one)) else { continue };
        let holidays = world.holidays(schedule);
        for slot in calendar::closed(schedule, holidays, &world.policy.zone, since, second(now)) {
            let key = (schedule.id, one.runner, slot.date);
            let missed = world.slots.get(&key).is_some_and(|note| note.missed);
            let stands = world.taken.contains(&key) || accepted.contains(&key);
            assert!(missed || stands, "{key:?} left no trace");
        }
    }
}
