//! Why a robot is not running, why a runner is idle: every condition that fails, in order.

use std::collections::HashMap;

use jiff::Timestamp;

use super::{
    balance,
    calendar::{self, Slot},
    launch::{self, Change, Claim, Class, claim, failing},
    reason::Reason,
    world::World,
};
use crate::model::{Assignment, Hold, Pace, Robot, RobotId, Run, RunnerId, Schedule, ScheduleId};

/// One condition that fails, and for whom.
#[derive(Debug, Clone, PartialEq)]
pub struct Because {
    pub robot: Option<RobotId>,
    pub runner: Option<RunnerId>,
    pub schedule: Option<ScheduleId>,
    pub reason: Reason,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Whether the launcher would start it now.
    pub ready: bool,
    pub because: Vec<Because>,
}

/// Why this robot does not run, or does not run on more runners.
pub fn robot(snapshot: &balance::Snapshot, id: RobotId, now: Timestamp) -> Option<Answer> {
    let world = &snapshot.world;
    let robot = world.robots.get(&id)?;
    let ready = launches(world, now).any(|launch| launch.robot == id);
    let mine: Vec<_> = world.assignments.iter().filter(|one| one.robot == id).collect();
    let mut because = of_assignments(world, &mine, now);
    let no_plan = !mine.iter().any(|one| one.hold == Hold::Scheduled);
    if robot.online {
        because.extend(demand(snapshot, robot, now));
    } else if no_plan {
        because.push(about(robot.id, Reason::NoSchedule));
    }
    if mine.is_empty() {
        because.push(about(robot.id, Reason::NoRunners));
    }
    Some(Answer { ready, because })
}

/// Why nothing starts on this runner.
pub fn runner(world: &World, id: RunnerId, now: Timestamp) -> Option<Answer> {
    let runner = world.runners.get(&id)?;
    let ready = launches(world, now).any(|launch| launch.runner == id);
    let mine: Vec<_> = world.assignments.iter().filter(|one| one.runner == id).collect();
    let mut because = of_assignments(world, &mine, now);
    let mut own = |reason| {
        if !because.iter().any(|one| one.reason == reason) {
            because.push(Because { robot: None, runner: Some(id), schedule: None, reason });
        }
    };
    if mine.is_empty() {
        if !runner.active {
            own(Reason::RunnerInactive);
        }
        if !runner.licence.runs_bots() {
            own(Reason::NoLicence { licence: runner.licence.text() });
        }
        own(Reason::Unassigned { dynamic: runner.dynamic });
    }
    Some(Answer { ready, because })
}

fn launches(world: &World, now: Timestamp) -> impl Iterator<Item = launch::Launch> {
    launch::plan(world, now).changes.into_iter().filter_map(|change| match change {
        Change::Launch(launch) => Some(launch),
        _ => None,
    })
}

fn about(robot: RobotId, reason: Reason) -> Because {
    Because { robot: Some(robot), runner: None, schedule: None, reason }
}

/// What fails for each assignment; what fails for all of them is said once.
fn of_assignments(world: &World, mine: &[&Assignment], now: Timestamp) -> Vec<Because> {
    let open = claim::open(world, now);
    let plan = launch::plan(world, now);
    let mut all: Vec<Because> = Vec::new();
    for one in mine {
        let mut reasons: Vec<Reason> = Vec::new();
        match claim::of(world, one, &open) {
            Some(claim) => {
                reasons.extend(failing(world, &claim, now, given_up(world, one.runner, now)));
                let held = plan.held.iter().find(|held| {
                    (held.robot, held.runner) == (one.robot, one.runner)
                        && matches!(held.reason, Reason::Yields { .. } | Reason::Probing)
                });
                reasons.extend(held.map(|held| held.reason.clone()));
            }
            None => reasons.extend(not_due(world, one, &open, now)),
        }
        for reason in reasons {
            let alone = matches!(
                reason,
                Reason::NotConfigured
                    | Reason::Paused { .. }
                    | Reason::CircuitOpen { .. }
                    | Reason::RobotInactive
                    | Reason::RobotSuspended { .. }
            );
            if alone && all.iter().any(|known| known.reason == reason) {
                continue;
            }
            all.push(Because {
                robot: Some(one.robot),
                runner: (!alone).then_some(one.runner),
                schedule: one.schedule.filter(|_| !alone),
                reason,
            });
        }
    }
    all.sort_by_key(|one| (one.runner.is_some(), one.runner));
    all
}

/// Whether the launcher frees the runner of its lost run at this very look.
fn given_up(world: &World, runner: RunnerId, now: Timestamp) -> bool {
    let until = world.live.get(&runner).and_then(Run::lost_until);
    until.is_some_and(|until| until <= now)
}

/// Why a schedule has nothing to start now, and what else would hold it.
fn not_due(
    world: &World,
    one: &Assignment,
    open: &HashMap<ScheduleId, Vec<Slot>>,
    now: Timestamp,
) -> Vec<Reason> {
    let (Some(robot), Some(runner)) =
        (world.robots.get(&one.robot), world.runners.get(&one.runner))
    else {
        return Vec::new();
    };
    let Some(schedule) = one.schedule.and_then(|id| world.schedules.get(&id)) else {
        return Vec::new();
    };
    let mut reasons = vec![timing(world, schedule, open, now)];
    let class = match schedule.pace {
        Pace::Single { .. } => Class::Slot,
        Pace::Cyclic { .. } => Class::Cyclic,
    };
    let rank = (class, robot.priority, now, robot.id.0, one.id.0);
    let claim =
        Claim { assignment: one, robot, runner, schedule: Some(schedule), slot: None, rank };
    reasons.extend(failing(world, &claim, now, given_up(world, one.runner, now)));
    reasons
}

fn timing(
    world: &World,
    schedule: &Schedule,
    open: &HashMap<ScheduleId, Vec<Slot>>,
    now: Timestamp,
) -> Reason {
    if !schedule.active {
        return Reason::ScheduleInactive;
    }
    if open.contains_key(&schedule.id) {
        return Reason::SlotTaken;
    }
    let holidays = world.holidays(schedule);
    match calendar::next_start(schedule, holidays, &world.policy.zone, now) {
        Some(start) => Reason::NotYet { start },
        None => Reason::NoMoreSlots,
    }
}

/// What keeps the balancer from giving a robot on demand more runners.
fn demand(snapshot: &balance::Snapshot, robot: &Robot, now: Timestamp) -> Vec<Because> {
    let plan = balance::plan(snapshot, now);
    let Some(sum) = plan.robots.into_iter().find(|sum| sum.robot == robot.id) else {
        return Vec::new();
    };
    let reason = match sum.tickets {
        None => Some(Reason::DemandUnknown),
        Some(0) => Some(Reason::NoTickets),
        Some(_) if sum.missing() == 0 => None,
        Some(_) => match balance::cooling(snapshot, robot.pool, now) {
            Some(until) => Some(Reason::Cooling { until }),
            None => Some(Reason::PoolFull { target: sum.target, held: sum.after + sum.reserved }),
        },
    };
    reason.map(|reason| about(robot.id, reason)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet, HashMap};

    use proptest::prelude::*;

    use super::*;
    use crate::rules::launch::properties::{ten, worlds};

    proptest! {
        #[test]
        fn whoever_does_not_start_is_told_why(world in worlds(), tickets in 0_i64..30) {
            let started: Vec<_> = launches(&world, ten()).collect();
            let demand = world.robots.keys().map(|id| (*id, balance::Demand::Known(tickets)));
            let snapshot = balance::Snapshot {
                demand: demand.collect::<BTreeMap<_, _>>(),
                changed: HashMap::new(),
                stopped: BTreeSet::new(),
                world,
            };
            let world = &snapshot.world;
            for id in world.robots.keys() {
                let answer = robot(&snapshot, *id, ten()).expect("it exists");
                prop_assert_eq!(answer.ready, started.iter().any(|launch| launch.robot == *id));
                prop_assert!(answer.ready || !answer.because.is_empty(), "robot {}", id);
            }
            for id in world.runners.keys() {
                let answer = runner(world, *id, ten()).expect("it exists");
                prop_assert_eq!(answer.ready, started.iter().any(|launch| launch.runner == *id));
                prop_assert!(answer.ready || !answer.because.is_empty(), "runner {}", id);
                let busy = |one: &Because| matches!(one.reason, Reason::Busy { .. });
                prop_assert!(!(answer.ready && answer.because.iter().any(busy)), "both at once");
            }
            prop_assert!(robot(&snapshot, RobotId(99), ten()).is_none());
        }
    }
}
