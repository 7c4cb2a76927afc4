//! What holds for every balance, not only for those of the scenarios.

use std::collections::HashSet;

use jiff::SignedDuration;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::{
    model::{Assignment, Licence, Limits, RunState, Runner, Schedule, ScheduleId},
    rules::{
        calendar::samples::{at, daily},
        samples::{robot, run, runner, world},
    },
};

fn ten() -> Timestamp {
    at("2026-03-02T10:00")
}

/// No pool, or one of three.
fn pools() -> impl Strategy<Value = Option<PoolId>> {
    (0_i64..4).prop_map(|n| (n > 0).then_some(PoolId(n)))
}

fn robots() -> impl Strategy<Value = Robot> {
    let most = prop::option::of(0_i64..4);
    (pools(), 0_i64..4, 0_i64..4, most, 1_i64..12, 0_u8..12).prop_map(
        |(pool, priority, least, more, per, odd)| Robot {
            pool,
            priority,
            limits: Limits { least, most: more.map(|more| least + more) },
            tickets_per_runner: per,
            active: odd != 0,
            online: odd != 1,
            ..robot(0)
        },
    )
}

fn runners() -> impl Strategy<Value = Runner> {
    let connected = select(vec![None, Some(true), Some(false)]);
    (pools(), connected, 0_u8..16).prop_map(|(pool, connected, odd)| Runner {
        pool,
        connected,
        active: odd != 0,
        dynamic: odd != 1,
        licence: Licence::parse(if odd == 2 { "DEVELOPMENT" } else { "RUNTIME, ANALYTICS" }),
        ..runner(0)
    })
}

/// Absent, not known, or so many.
fn demands() -> impl Strategy<Value = Option<Demand>> {
    prop_oneof![
        2 => Just(None),
        1 => Just(Some(Demand::Unknown)),
        2 => Just(Some(Demand::Known(0))),
        6 => (1_i64..50).prop_map(|tickets| Some(Demand::Known(tickets))),
    ]
}

/// One runner's place: who holds it by demand or by hand, whose schedule, who runs.
type Seat = (Option<(usize, bool)>, Option<usize>, Option<usize>);

fn seats() -> impl Strategy<Value = Seat> {
    let who = || 0_usize..8;
    (
        prop::option::weighted(0.7, (who(), prop::bool::weighted(0.15))),
        prop::option::weighted(0.1, who()),
        prop::option::weighted(0.3, who()),
    )
}

fn seated(robots: Vec<Robot>, runners: Vec<(Runner, Seat)>) -> World {
    let mut all = world();
    for (robot, id) in robots.into_iter().zip(1..) {
        all = all.robot(Robot { id: RobotId(id), name: format!("R{id}"), ..robot });
    }
    let count = all.robots.len();
    let who = |n: usize| (n % count) as i64 + 1;
    for ((runner, (unscheduled, scheduled, live)), id) in runners.into_iter().zip(1..) {
        all = all.runner(Runner { id: RunnerId(id), ..runner });
        all = match unscheduled {
            Some((n, true)) => all.reserved(who(n), id),
            Some((n, false)) => all.dynamic(who(n), id),
            None => all,
        };
        if let Some(n) = scheduled {
            let (id, robot) = (ScheduleId(id), RobotId(who(n)));
            all = all.schedule(Schedule { id, robot, ..daily("09:00", 30) }, &[id.0]);
        }
        if let Some(n) = live {
            all = all.running(run(id, who(n), id, RunState::Running));
        }
    }
    all
}

/// Minutes since a pool changed; cooling takes five.
fn changes() -> impl Strategy<Value = HashMap<i64, Timestamp>> {
    prop::collection::hash_map(0_i64..4, 0_i64..9, 0..3).prop_map(|ages| {
        let ago = |(pool, minutes)| (pool, ten() - SignedDuration::from_mins(minutes));
        ages.into_iter().map(ago).collect()
    })
}

fn snapshots() -> impl Strategy<Value = Snapshot> {
    let people = prop::collection::vec((robots(), demands()), 1..8);
    let machines = prop::collection::vec((runners(), seats()), 0..14);
    let preemption = select(vec![Preemption::Off, Preemption::DownToMin, Preemption::DownToNone]);
    let stopped = prop::collection::btree_set((1_i64..4).prop_map(PoolId), 0..2);
    (people, machines, preemption, any::<bool>(), changes(), stopped).prop_map(
        |(people, machines, preemption, strict, changed, stopped)| {
            let (robots, demands): (Vec<_>, Vec<_>) = people.into_iter().unzip();
            let mut world = seated(robots, machines);
            world.policy.preemption = preemption;
            world.policy.isolation = if strict { Isolation::Strict } else { Isolation::Flexible };
            let demand = demands.into_iter().zip(1..);
            let demand = demand.filter_map(|(demand, id)| Some((RobotId(id), demand?))).collect();
            Snapshot { world, demand, changed, stopped }
        },
    )
}

fn awake(snapshot: Snapshot) -> Snapshot {
    Snapshot { changed: HashMap::new(), ..snapshot }
}

// The rules once more, spelled out plainly.

fn rests(snapshot: &Snapshot, pool: Option<PoolId>) -> bool {
    let changed = snapshot.changed.get(&pool.map_or(0, |pool| pool.0));
    changed.is_some_and(|at| ten().duration_since(*at) < SignedDuration::from_secs(300))
        || pool.is_some_and(|pool| snapshot.stopped.contains(&pool))
}

fn known(snapshot: &Snapshot, robot: RobotId) -> Option<i64> {
    match snapshot.demand.get(&robot) {
        Some(Demand::Unknown) => None,
        Some(Demand::Known(tickets)) => Some(*tickets),
        None => Some(0),
    }
}

fn wants(snapshot: &Snapshot, robot: &Robot) -> i64 {
    let tickets = known(snapshot, robot.id).unwrap_or(0);
    if tickets == 0 || !robot.active || !robot.online {
        return 0;
    }
    let mut wanted = 0;
    while wanted * robot.tickets_per_runner < tickets {
        wanted += 1;
    }
    wanted.max(robot.limits.least).min(robot.limits.most.unwrap_or(i64::MAX))
}

fn count(snapshot: &Snapshot, robot: RobotId, hold: Hold) -> i64 {
    let rows = snapshot.world.assignments.iter();
    rows.filter(|row| row.robot == robot && row.hold == hold).count() as i64
}

/// Runners it should have and has not.
fn lacks(snapshot: &Snapshot, robot: &Robot) -> i64 {
    let has = count(snapshot, robot.id, Hold::Dynamic) + count(snapshot, robot.id, Hold::Reserved);
    if known(snapshot, robot.id).is_none() { 0 } else { (wants(snapshot, robot) - has).max(0) }
}

fn usable(snapshot: &Snapshot, runner: &Runner) -> bool {
    let fixed = |row: &Assignment| row.runner == runner.id && row.hold != Hold::Dynamic;
    runner.active
        && runner.dynamic
        && runner.licence.runs_bots()
        && !snapshot.world.assignments.iter().any(fixed)
}

fn idle(snapshot: &Snapshot, pool: Option<PoolId>) -> bool {
    let mut robots = snapshot.world.robots.values();
    robots.all(|one| {
        one.pool != pool || !one.active || !one.online || known(snapshot, one.id) == Some(0)
    })
}

/// Whether the balancer may give this runner to this robot at all.
fn legal(snapshot: &Snapshot, robot: &Robot, runner: &Runner) -> bool {
    let lendable = snapshot.world.policy.isolation == Isolation::Flexible
        && (runner.pool.is_none() || idle(snapshot, runner.pool));
    usable(snapshot, runner)
        && !rests(snapshot, robot.pool)
        && !rests(snapshot, runner.pool)
        && (runner.pool == robot.pool || lendable)
}

/// What preemption leaves a robot.
fn keeps(snapshot: &Snapshot, robot: &Robot) -> i64 {
    let protected =
        snapshot.world.policy.preemption == Preemption::DownToMin && wants(snapshot, robot) > 0;
    let reserved = count(snapshot, robot.id, Hold::Reserved);
    if protected { (robot.limits.least - reserved).max(0) } else { 0 }
}

fn holder(snapshot: &Snapshot, runner: RunnerId) -> Option<&Robot> {
    let row = dynamic(&snapshot.world).find(|row| row.runner == runner)?;
    snapshot.world.robots.get(&row.robot)
}

fn balanced(snapshot: &Snapshot) -> (Balance, Snapshot) {
    let plan = plan(snapshot, ten());
    let mut after = snapshot.clone();
    after.moved(&plan, ten());
    (plan, after)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn no_runner_is_given_twice_and_what_is_fixed_stays(snapshot in snapshots()) {
        let (plan, after) = balanced(&snapshot);
        let mut given = HashSet::new();
        for one in plan.moves.iter().filter(|one| one.motive.assigns()) {
            prop_assert!(given.insert(one.runner), "{:?}", plan.moves);
            prop_assert!(usable(&snapshot, &snapshot.world.runners[&one.runner]));
            let stays = (one.robot, one.runner);
            let back = |row: &&Assignment| (row.robot, row.runner) == stays;
            prop_assert!(!dynamic(&snapshot.world).any(|row| back(&row)), "{:?}", plan.moves);
        }
        let fixed = |snapshot: &Snapshot| {
            let rows = snapshot.world.assignments.iter();
            rows.filter(|row| row.hold != Hold::Dynamic).cloned().collect::<Vec<_>>()
        };
        prop_assert_eq!(fixed(&snapshot), fixed(&after));
        prop_assert_eq!(&snapshot.world.live, &after.world.live);
    }

    #[test]
    fn limits_hold(snapshot in snapshots()) {
        let (plan, after) = balanced(&snapshot);
        for one in &plan.moves {
            let robot = &snapshot.world.robots[&one.robot];
            let has = count(&after, robot.id, Hold::Dynamic)
                + count(&after, robot.id, Hold::Reserved);
            if one.motive.assigns() {
                prop_assert!(robot.limits.most.is_none_or(|most| has <= most));
                prop_assert!(has <= wants(&snapshot, robot));
            }
            if one.motive == Motive::Preempted {
                let left = count(&after, robot.id, Hold::Dynamic);
                prop_assert!(left >= keeps(&snapshot, robot), "{one:?}");
                let off = snapshot.world.policy.preemption == Preemption::Off;
                prop_assert!(!off && known(&snapshot, robot.id).is_some());
            }
            if one.motive == Motive::Surplus {
                let passed_on = |other: &&Move| {
                    let on = matches!(other.motive, Motive::Returned | Motive::Preempted);
                    other.robot == robot.id && on
                };
                let passed_on = plan.moves.iter().filter(passed_on).count() as i64;
                prop_assert!(has + passed_on >= robot.limits.least, "released below Min: {one:?}");
            }
        }
    }

    #[test]
    fn every_move_is_legal(snapshot in snapshots()) {
        for one in plan(&snapshot, ten()).moves {
            let robot = &snapshot.world.robots[&one.robot];
            let runner = &snapshot.world.runners[&one.runner];
            prop_assert!(!rests(&snapshot, robot.pool) && !rests(&snapshot, runner.pool));
            prop_assert!(known(&snapshot, robot.id).is_some(), "its demand is not known: {one:?}");
            prop_assert!(!one.motive.assigns() || legal(&snapshot, robot, runner), "{one:?}");
        }
    }

    /// Nobody lacks a runner that is free, that came from its own pool, or that a less important
    /// robot of the pool holds beyond what it keeps; and so none gains while a better one lacks.
    #[test]
    fn nobody_lacks_what_could_be_had(snapshot in snapshots()) {
        let (plan, after) = balanced(&snapshot);
        let preempts = snapshot.world.policy.preemption != Preemption::Off;
        for robot in after.world.robots.values().filter(|one| lacks(&after, one) > 0) {
            for runner in after.world.runners.values().filter(|one| legal(&snapshot, robot, one)) {
                let Some(holder) = holder(&after, runner.id) else {
                    prop_assert!(false, "{} is free for {}: {:?}", runner.id, robot.id, plan.moves);
                    continue;
                };
                if rests(&snapshot, holder.pool) || known(&after, holder.id).is_none() {
                    continue;
                }
                let home = runner.pool == robot.pool && holder.pool != robot.pool;
                prop_assert!(!home, "{} is lent and wanted: {:?}", runner.id, plan.moves);
                let spare = count(&after, holder.id, Hold::Dynamic) > keeps(&after, holder);
                let victim = holder.pool == robot.pool && holder.priority > robot.priority;
                prop_assert!(!(preempts && victim && spare), "{} keeps {}", holder.id, runner.id);
            }
            for one in plan.moves.iter().filter(|one| one.motive.assigns()) {
                let gains = &after.world.robots[&one.robot];
                let worse = gains.pool == robot.pool && gains.priority > robot.priority;
                prop_assert!(!worse, "{} lacks, {} gains", robot.id, gains.id);
            }
        }
    }

    #[test]
    fn nobody_awake_keeps_what_it_does_not_need(snapshot in snapshots()) {
        let (_, after) = balanced(&snapshot);
        for row in dynamic(&after.world) {
            let robot = &after.world.robots[&row.robot];
            let runner = &after.world.runners[&row.runner];
            if known(&after, robot.id).is_none()
                || rests(&snapshot, robot.pool)
                || rests(&snapshot, runner.pool)
            {
                continue;
            }
            let strict = after.world.policy.isolation == Isolation::Strict;
            prop_assert!(usable(&after, runner));
            prop_assert!(!strict || robot.pool == runner.pool);
            let has = count(&after, robot.id, Hold::Dynamic)
                + count(&after, robot.id, Hold::Reserved);
            let wanted = wants(&after, robot).max(count(&after, robot.id, Hold::Reserved));
            prop_assert!(has <= wanted, "{} has {has} of {wanted}", robot.id);
        }
    }

    #[test]
    fn planning_again_moves_nothing(snapshot in snapshots()) {
        let (_, after) = balanced(&snapshot);
        prop_assert_eq!(plan(&after, ten()).moves, []);
        let (_, after) = balanced(&awake(snapshot));
        prop_assert_eq!(plan(&awake(after), ten()).moves, []);
    }

    #[test]
    fn the_order_of_rows_does_not_matter(
        (snapshot, rows) in snapshots().prop_flat_map(|snapshot| {
            let rows = Just(snapshot.world.assignments.clone()).prop_shuffle();
            (Just(snapshot), rows)
        }),
    ) {
        let mut other = snapshot.clone();
        other.world.assignments = rows;
        prop_assert_eq!(plan(&snapshot, ten()), plan(&other, ten()));
    }

    #[test]
    fn the_arithmetic_adds_up(snapshot in snapshots()) {
        let (plan, after) = balanced(&snapshot);
        let sums: BTreeMap<_, _> = plan.robots.iter().map(|sum| (sum.robot, sum)).collect();
        prop_assert_eq!(sums.len(), plan.robots.len());
        prop_assert!(plan.moves.iter().all(|one| sums.contains_key(&one.robot)));
        for (id, sum) in sums {
            let robot = &snapshot.world.robots[&id];
            prop_assert_eq!(sum.before, count(&snapshot, id, Hold::Dynamic));
            prop_assert_eq!(sum.after, count(&after, id, Hold::Dynamic));
            prop_assert_eq!(sum.reserved, count(&snapshot, id, Hold::Reserved));
            let total = |lines: &[Taken]| lines.iter().map(|one| one.runners).sum::<i64>();
            let gained = sum.free + sum.lent + total(&sum.taken);
            let lost = sum.released + total(&sum.given);
            prop_assert_eq!(sum.before + gained - lost, sum.after, "{:?}", sum);
            let wanted = match known(&snapshot, id) {
                Some(_) => wants(&snapshot, robot),
                None => sum.before + sum.reserved,
            };
            prop_assert_eq!(sum.target, wanted);
            prop_assert_eq!(sum.missing(), lacks(&after, robot));
            prop_assert!(!sum.sentence().es.is_empty() && !sum.sentence().en.is_empty());
        }
    }
}
