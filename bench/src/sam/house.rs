//! 2,000 robots, 10,000 runners, 5,000 schedules.

use ::sam::{
    model::{
        Assignment, AssignmentId, Days, Hold, Licence, Limits, Pace, PoolId, Robot, RobotId, Run,
        RunId, RunState, Runner, RunnerId, Schedule, ScheduleId, Weekdays,
    },
    policy::{Isolation, Policy, Preemption},
    rules::{
        balance::{Demand, Snapshot},
        world::World,
    },
};
use anyhow::{Context as _, Result};
use jiff::{
    SignedDuration, Timestamp,
    civil::{Weekday, time},
    tz::TimeZone,
};

pub(super) const ROBOTS: i64 = 2_000;
pub(super) const RUNNERS: i64 = 10_000;
pub(super) const SCHEDULES: i64 = 5_000;
/// Robots on demand; those after them run by schedule.
const ONLINE: i64 = 1_000;

/// Every schedule has its runner, the other half is balanced; nothing runs yet.
pub(super) fn open(pools: i64, now: Timestamp) -> Result<World> {
    let zone = TimeZone::get("America/Argentina/Buenos_Aires").context("the zone is known")?;
    let mut world = World::new(Policy::new(zone));
    world.policy.preemption = Preemption::DownToMin;
    world.policy.isolation = Isolation::Flexible;
    world.circuit.configured = true;
    world.looked_at = Some(now - SignedDuration::from_secs(15));
    // A tenth belongs to no pool and is lent to all.
    let pool = |id: i64| (id % 10 > 0).then_some(PoolId(id % pools + 1));
    world.robots = (1..=ROBOTS).map(|id| (RobotId(id), robot(id, pool(id)))).collect();
    world.runners = (1..=RUNNERS).map(|id| (RunnerId(id), runner(id, pool(id)))).collect();
    world.schedules = (1..=SCHEDULES).map(|id| (ScheduleId(id), schedule(id))).collect();
    for id in 1..=SCHEDULES {
        let robot = world.schedules[&ScheduleId(id)].robot;
        assign(&mut world, robot, RunnerId(id * 2), Some(ScheduleId(id)), now);
    }
    Ok(world)
}

fn robot(id: i64, pool: Option<PoolId>) -> Robot {
    Robot {
        id: RobotId(id),
        name: format!("P{id}_Robot"),
        description: None,
        parameters: None,
        active: true,
        online: id <= ONLINE,
        limits: Limits { least: id % 3, most: (id % 4 == 0).then_some(id % 3 + 20) },
        priority: id * 7_919 % 100,
        tickets_per_runner: 5 + id % 4 * 5,
        pool,
        retry: ::sam::model::Retry::default(),
        seen_name: None,
        version: 1,
    }
}

fn runner(id: i64, pool: Option<PoolId>) -> Runner {
    Runner {
        id: RunnerId(id),
        name: format!("EQUIPO{id}"),
        user_id: id,
        user_name: None,
        licence: Licence::parse("RUNTIME, ANALYTICS"),
        active: id % 97 != 0,
        dynamic: true,
        pool,
        connected: Some(id % 53 != 0),
        seen_name: None,
        version: 1,
    }
}

fn schedule(id: i64) -> Schedule {
    let days = match id % 6 {
        0 => Days::Weekly(Weekdays::of([Weekday::Monday, Weekday::Friday])),
        1 => Days::Monthly { day: 15 },
        2 => Days::MonthRange { from: 1, to: 15 },
        3 => Days::MonthEnd { last: 5 },
        _ => Days::Daily,
    };
    let minutes = SignedDuration::from_mins;
    let pace = if id % 5 == 0 {
        Pace::Cyclic { end: Some(time(18, 0, 0, 0)), interval: Some(minutes(30)) }
    } else {
        Pace::Single { tolerance: minutes(30 + id % 120), end: None }
    };
    Schedule {
        id: ScheduleId(id),
        robot: RobotId(ONLINE + 1 + id % (ROBOTS - ONLINE)),
        days,
        pace,
        start: time((id % 3 + 8) as i8, (id % 60) as i8, 0, 0),
        valid_from: None,
        valid_to: None,
        active: true,
        calendar: None,
        created_at: Timestamp::UNIX_EPOCH,
        timed_at: Timestamp::UNIX_EPOCH,
        version: 1,
    }
}

pub(super) fn assign(
    world: &mut World,
    robot: RobotId,
    runner: RunnerId,
    schedule: Option<ScheduleId>,
    now: Timestamp,
) {
    world.assignments.push(Assignment {
        id: AssignmentId(world.assignments.len() as i64 + 1),
        robot,
        runner,
        hold: if schedule.is_some() { Hold::Scheduled } else { Hold::Dynamic },
        schedule,
        assigned_at: now,
        assigned_by: "bench".into(),
    });
}

/// Every balanced runner serves somebody of its pool.
pub(super) fn fill(world: &mut World, now: Timestamp) {
    let mut pools: std::collections::BTreeMap<Option<PoolId>, Vec<RobotId>> =
        std::collections::BTreeMap::new();
    for robot in world.robots.values().filter(|robot| robot.online) {
        pools.entry(robot.pool).or_default().push(robot.id);
    }
    let balanced: Vec<_> = world.runners.values().filter(|one| one.id.0 % 2 == 1).collect();
    let pairs: Vec<_> = balanced
        .into_iter()
        .filter_map(|runner| {
            let robots = pools.get(&runner.pool)?;
            Some((robots[runner.id.0 as usize / 2 % robots.len()], runner.id))
        })
        .collect();
    for (robot, runner) in pairs {
        assign(world, robot, runner, None, now);
    }
}

/// Everybody's runner is busy.
pub(super) fn occupy(world: &mut World, now: Timestamp) {
    for one in world.assignments.clone() {
        world.live.insert(one.runner, run(&one, now));
    }
}

fn run(of: &Assignment, now: Timestamp) -> Run {
    Run {
        id: RunId(of.id.0),
        robot: of.robot,
        runner: of.runner,
        user_id: of.runner.0,
        hold: of.hold,
        schedule: of.schedule,
        slot: None,
        slot_at: None,
        slot_until: None,
        state: RunState::Running,
        live: true,
        deployment: None,
        claimed_at: now,
        started_at: Some(now),
        finished_at: None,
        closing: None,
        attempts: 1,
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

/// `tickets` for each robot on demand.
pub(super) fn asked(world: World, tickets: impl Fn(&Robot) -> i64) -> Snapshot {
    let online = world.robots.values().filter(|robot| robot.online);
    let demand = online.map(|robot| (robot.id, Demand::Known(tickets(robot)))).collect();
    let (changed, stopped) = Default::default();
    Snapshot { world, demand, changed, stopped }
}
