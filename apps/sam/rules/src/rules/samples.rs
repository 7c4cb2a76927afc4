//! Small worlds the planners' tests are told in, and how commits change them.

use jiff::{SignedDuration, Timestamp};

use super::{
    balance::{Balance, Snapshot},
    calendar::samples::{HOME, zone},
    launch::{Change, Launch},
    world::{Circuit, SlotNote, Suspended, Suspension, World, pool_number},
};
use crate::{
    model::{
        Assignment, AssignmentId, Hold, Licence, Limits, PoolId, Robot, RobotId, Run, RunId,
        RunState, Runner, RunnerId, Schedule, ScheduleId,
    },
    policy::Policy,
};

/// How old the launcher's mark may grow while nothing happens, as the tick has it.
const MARK: SignedDuration = SignedDuration::from_mins(5);

/// Online, of no pool, as new robots are.
pub(crate) fn robot(id: i64) -> Robot {
    Robot {
        id: RobotId(id),
        name: format!("R{id}"),
        description: None,
        parameters: None,
        active: true,
        online: true,
        limits: Limits { least: 1, most: None },
        priority: 100,
        tickets_per_runner: 10,
        pool: None,
        retry: crate::model::Retry::default(),
        seen_name: None,
        version: 1,
    }
}

/// Active, licensed and balanced, of no pool.
pub(crate) fn runner(id: i64) -> Runner {
    Runner {
        id: RunnerId(id),
        name: format!("E{id}"),
        user_id: id,
        user_name: None,
        licence: Licence::parse("RUNTIME"),
        active: true,
        dynamic: true,
        pool: None,
        connected: None,
        seen_name: None,
        version: 1,
    }
}

pub(crate) fn run(id: i64, robot: i64, runner: i64, state: RunState) -> Run {
    Run {
        id: RunId(id),
        robot: RobotId(robot),
        runner: RunnerId(runner),
        user_id: runner,
        hold: Hold::Dynamic,
        schedule: None,
        slot: None,
        slot_at: None,
        slot_until: None,
        state,
        live: true,
        deployment: None,
        claimed_at: Timestamp::UNIX_EPOCH,
        started_at: None,
        finished_at: None,
        closing: None,
        attempts: 0,
        posted_at: None,
        misses: 0,
        unknown_since: None,
        raw_status: None,
        cause: None,
        message: None,
        retry_at: None,
        overdue_at: None,
        suspect: None,
        stop: None,
        asked_by: None,
        asked_why: None,
    }
}

/// Lost track of since then.
pub(crate) fn lost(id: i64, robot: i64, runner: i64, since: Timestamp) -> Run {
    Run { unknown_since: Some(since), ..run(id, robot, runner, RunState::Unknown) }
}

/// Nothing in it, in Buenos Aires, with a Control Room.
pub(crate) fn world() -> World {
    let mut world = World::new(Policy::new(zone(HOME)));
    world.circuit = Circuit { configured: true, ..Circuit::default() };
    world
}

/// 0 is no pool.
pub(crate) fn pool(id: i64) -> Option<PoolId> {
    (id > 0).then_some(PoolId(id))
}

pub(crate) fn suspension(until: Timestamp) -> Suspension {
    let since = until - SignedDuration::from_hours(1);
    Suspension { code: "PRUEBA".into(), detail: String::new(), failures: 1, since, until }
}

impl World {
    pub(crate) fn robot(mut self, robot: Robot) -> Self {
        self.robots.insert(robot.id, robot);
        self
    }

    pub(crate) fn runner(mut self, runner: Runner) -> Self {
        self.runners.insert(runner.id, runner);
        self
    }

    /// Runners `1..=count` of a pool.
    pub(crate) fn runners(self, count: i64, pool: Option<PoolId>) -> Self {
        (1..=count).fold(self, |world, id| world.runner(Runner { pool, ..runner(id) }))
    }

    pub(crate) fn reserved(self, robot: i64, runner: i64) -> Self {
        self.assigned(robot, runner, Hold::Reserved, None)
    }

    pub(crate) fn dynamic(self, robot: i64, runner: i64) -> Self {
        self.assigned(robot, runner, Hold::Dynamic, None)
    }

    /// A schedule on these runners.
    pub(crate) fn schedule(mut self, schedule: Schedule, runners: &[i64]) -> Self {
        let (id, robot) = (schedule.id, schedule.robot.0);
        self.schedules.insert(id, schedule);
        runners
            .iter()
            .fold(self, |world, runner| world.assigned(robot, *runner, Hold::Scheduled, Some(id)))
    }

    pub(crate) fn running(mut self, run: Run) -> Self {
        self.live.insert(run.runner, run);
        self
    }

    pub(crate) fn suspend(mut self, what: Suspended, until: Timestamp) -> Self {
        self.suspensions.insert(what, suspension(until));
        self
    }

    pub(crate) fn assigned(
        mut self,
        robot: i64,
        runner: i64,
        hold: Hold,
        schedule: Option<ScheduleId>,
    ) -> Self {
        self.assign(RobotId(robot), RunnerId(runner), hold, schedule, Timestamp::UNIX_EPOCH);
        self
    }

    pub(crate) fn assign(
        &mut self,
        robot: RobotId,
        runner: RunnerId,
        hold: Hold,
        schedule: Option<ScheduleId>,
        assigned_at: Timestamp,
    ) {
        let id = self.assignments.iter().map(|one| one.id.0).max().unwrap_or(0) + 1;
        self.assignments.push(Assignment {
            id: AssignmentId(id),
            robot,
            runner,
            hold,
            schedule,
            assigned_at,
            assigned_by: "prueba".into(),
        });
    }

    /// What the launcher's tick commits. Two runs on a runner or in a slot break a key of the
    /// database: here they panic. `id` is the last run's.
    pub(crate) fn launched(&mut self, changes: &[Change], id: &mut i64, now: Timestamp) {
        let stale = self.looked_at.is_none_or(|at| now.duration_since(at) > MARK);
        if changes.is_empty() && !stale {
            return;
        }
        for change in changes {
            match change {
                Change::Free { runner, .. } => drop(self.ended(*runner, now)),
                Change::Launch(launch) => {
                    *id += 1;
                    self.claimed(launch, *id, now);
                }
                Change::Overdue { runner, .. } => {
                    if let Some(run) = self.live.get_mut(runner) {
                        run.overdue_at = Some(now);
                    }
                }
                Change::Wait { slot, reason } => {
                    let key = (slot.schedule, slot.runner, slot.slot.date);
                    self.slots.insert(key, SlotNote { code: reason.code().into(), missed: false });
                }
                Change::Miss { slot, reason } => {
                    let key = (slot.schedule, slot.runner, slot.slot.date);
                    let note = SlotNote { code: reason.code().into(), missed: true };
                    self.slots.entry(key).or_insert(note).missed = true;
                }
            }
        }
        self.looked_at = Some(now);
    }

    fn claimed(&mut self, launch: &Launch, id: i64, now: Timestamp) {
        let run = Run {
            hold: launch.hold,
            schedule: launch.schedule,
            slot: launch.slot.map(|slot| slot.date),
            slot_at: launch.slot.map(|slot| slot.start),
            slot_until: launch.slot.map(|slot| slot.until),
            claimed_at: now,
            ..run(id, launch.robot.0, launch.runner.0, RunState::Pending)
        };
        if let (Some(schedule), Some(slot)) = (launch.schedule, launch.slot) {
            let key = (schedule, launch.runner, slot.date);
            assert!(self.taken.insert(key), "slot {key:?} has a run already");
        }
        let before = self.live.insert(launch.runner, run);
        assert!(before.is_none(), "{before:?} still holds the runner");
    }

    /// A run ends; its slot stays used up.
    pub(crate) fn ended(&mut self, runner: RunnerId, now: Timestamp) -> Option<Run> {
        let run = self.live.remove(&runner)?;
        self.ended.insert((run.robot, run.runner), now);
        Some(run)
    }

    /// The deploy failed for good: a run that ended, and its slot is open again.
    pub(crate) fn refused(&mut self, runner: RunnerId, now: Timestamp) -> Option<Run> {
        let run = self.ended(runner, now)?;
        self.reopen(&run);
        Some(run)
    }

    /// The claim is taken back: it never was.
    pub(crate) fn withdrawn(&mut self, runner: RunnerId) -> Option<Run> {
        let run = self.live.remove(&runner)?;
        self.reopen(&run);
        Some(run)
    }

    fn reopen(&mut self, run: &Run) {
        if let (Some(schedule), Some(slot)) = (run.schedule, run.slot) {
            self.taken.remove(&(schedule, run.runner, slot));
        }
    }
}

impl Snapshot {
    /// What the balancer's tick commits: all releases, then all assignments. A runner with two
    /// unscheduled assignments breaks a key of the database: here it panics.
    pub(crate) fn moved(&mut self, plan: &Balance, now: Timestamp) {
        for one in plan.moves.iter().filter(|one| !one.motive.assigns()) {
            let count = self.world.assignments.len();
            self.world.assignments.retain(|row| {
                (row.robot, row.runner, row.hold) != (one.robot, one.runner, Hold::Dynamic)
            });
            assert_eq!(self.world.assignments.len() + 1, count, "{one:?} releases nothing");
        }
        for one in &plan.moves {
            let pools = [self.world.robots[&one.robot].pool, self.world.runners[&one.runner].pool];
            self.changed.extend(pools.map(|pool| (pool_number(pool), now)));
            if one.motive.assigns() {
                let free = |row: &Assignment| row.runner != one.runner || row.schedule.is_some();
                assert!(self.world.assignments.iter().all(free), "{one:?} is given twice");
                self.world.assign(one.robot, one.runner, Hold::Dynamic, None, now);
            }
        }
    }
}
