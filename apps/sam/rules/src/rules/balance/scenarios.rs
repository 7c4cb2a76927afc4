//! The balancer's part of the acceptance scenarios, by their numbers.

use super::*;
use crate::{
    model::{Limits, RunState, Runner},
    rules::{
        calendar::samples::at,
        samples::{pool, robot, run, runner, world},
    },
};

fn ten() -> Timestamp {
    at("2026-03-02T10:00")
}

fn snapshot(world: World, tickets: &[(i64, i64)]) -> Snapshot {
    let demand = tickets.iter().map(|(robot, pending)| (RobotId(*robot), Demand::Known(*pending)));
    Snapshot { world, demand: demand.collect(), changed: HashMap::new(), stopped: BTreeSet::new() }
}

/// Of pool 1, with a priority.
fn member(id: i64, priority: i64) -> Robot {
    Robot { priority, pool: pool(1), ..robot(id) }
}

/// How many dynamic runners each robot has.
fn counts<const N: usize>(snapshot: &Snapshot, robots: [i64; N]) -> [usize; N] {
    robots.map(|id| dynamic(&snapshot.world).filter(|one| one.robot.0 == id).count())
}

/// Balances and commits.
fn balance(snapshot: &mut Snapshot, now: Timestamp) -> Balance {
    let plan = plan(snapshot, now);
    snapshot.moved(&plan, now);
    plan
}

#[test]
fn s16_the_target_follows_the_tickets_between_the_limits() {
    let got = |least, tickets| {
        let limits = Limits { least, most: Some(5) };
        let world = world().robot(Robot { limits, ..member(1, 100) }).runners(8, pool(1));
        let mut snapshot = snapshot(world, &[(1, tickets)]);
        balance(&mut snapshot, ten());
        counts(&snapshot, [1])[0]
    };
    assert_eq!([1, 10, 11, 25, 100, 0].map(|tickets| got(1, tickets)), [1, 1, 2, 3, 5, 0]);
    assert_eq!(got(2, 3), 2);
}

#[test]
fn s17_one_cycle_serves_everybody_by_priority() {
    let with = |free| {
        let world = world().robot(member(1, 1)).robot(member(2, 50)).runners(free, pool(1));
        let mut snapshot = snapshot(world, &[(1, 25), (2, 10)]);
        balance(&mut snapshot, ten());
        counts(&snapshot, [1, 2])
    };
    assert_eq!(with(4), [3, 1]);
    assert_eq!(with(3), [3, 0]);
}

/// R2 holds four runners with tickets; R1 needs two.
fn full(first: i64, second: i64, runners: i64) -> Snapshot {
    let world = world().robot(member(1, first)).robot(member(2, second)).runners(runners, pool(1));
    let world = (1..=4).fold(world, |world, runner| world.dynamic(2, runner));
    snapshot(world.running(run(1, 2, 4, RunState::Running)), &[(1, 20), (2, 40)])
}

#[test]
fn s18_the_more_important_takes_from_the_less_important() {
    let mut on = full(1, 10, 4);
    let live = on.world.live.clone();
    let plan = balance(&mut on, ten());
    assert_eq!(counts(&on, [1, 2]), [2, 2]);
    assert_eq!(on.world.live, live, "what runs goes on");
    let kept = |one: &crate::model::Assignment| (one.robot.0, one.runner.0) == (2, 4);
    assert!(on.world.assignments.iter().any(kept), "idle runners go first");
    let told: Vec<_> = plan.robots.iter().map(|sum| sum.sentence().es).collect();
    assert_eq!(
        told,
        [
            "20 tickets ÷ 10 → 2 equipos; 2 de R2 (prioridad 10)",
            "40 tickets ÷ 10 → 4 equipos; −2 para R1 (prioridad 1); faltan 2"
        ]
    );

    let mut off = full(1, 10, 4);
    off.world.policy.preemption = Preemption::Off;
    assert_eq!(balance(&mut off, ten()).moves, []);
    let mut one_free = full(1, 10, 5);
    balance(&mut one_free, ten());
    assert_eq!(counts(&one_free, [1, 2]), [2, 3], "the free one first");
    assert_eq!(balance(&mut full(10, 10, 4), ten()).moves, [], "equals");
}

#[test]
fn s18_a_victim_with_tickets_keeps_its_minimum_if_so_set() {
    let left = |preemption| {
        let mut snapshot = full(1, 10, 4);
        snapshot.world.policy.preemption = preemption;
        snapshot.demand.insert(RobotId(1), Demand::Known(100));
        snapshot.world.robots.get_mut(&RobotId(2)).unwrap().limits.least = 3;
        balance(&mut snapshot, ten());
        counts(&snapshot, [1, 2])
    };
    assert_eq!(left(Preemption::DownToMin), [1, 3]);
    assert_eq!(left(Preemption::DownToNone), [4, 0]);
}

/// Pool 1 with one runner, pool 2 with two, and one of no pool.
fn neighbours(isolation: Isolation) -> Snapshot {
    let owned = |id, pool| Runner { pool, ..runner(id) };
    let mut world = world()
        .robot(member(1, 1))
        .robot(Robot { priority: 90, pool: pool(2), ..robot(2) })
        .runner(owned(1, pool(1)))
        .runner(owned(2, pool(2)))
        .runner(owned(3, pool(2)))
        .runner(owned(4, None));
    world.policy.isolation = isolation;
    snapshot(world, &[(1, 50), (2, 0)])
}

#[test]
fn s19_pools_keep_to_themselves_or_lend_what_is_idle() {
    let mut strict = neighbours(Isolation::Strict);
    balance(&mut strict, ten());
    assert_eq!(counts(&strict, [1, 2]), [1, 0]);

    let mut flexible = neighbours(Isolation::Flexible);
    balance(&mut flexible, ten());
    assert_eq!(counts(&flexible, [1, 2]), [4, 0]);
    flexible.demand.insert(RobotId(2), Demand::Known(15));
    assert_eq!(balance(&mut flexible, at("2026-03-02T10:04:59")).moves, [], "both pools cool");
    let returned = balance(&mut flexible, at("2026-03-02T10:05"));
    assert_eq!(counts(&flexible, [1, 2]), [2, 2], "its own come back, although R1 is 1 to 90");
    let told: Vec<_> = returned.robots.iter().map(|sum| sum.sentence().en).collect();
    assert_eq!(told[1], "15 tickets ÷ 10 → 2 runners; 2 from R1 (priority 1)");
}

#[test]
fn s19_who_gives_back_is_served_from_its_own_pool_in_the_same_cycle() {
    let mut snapshot = neighbours(Isolation::Flexible);
    snapshot.world = snapshot.world.robot(member(3, 80)).dynamic(1, 2);
    snapshot.world.runners.remove(&RunnerId(4));
    snapshot.demand =
        [(1, 10), (2, 20), (3, 10)].map(|(id, n)| (RobotId(id), Demand::Known(n))).into();
    let plan = balance(&mut snapshot, ten());
    assert_eq!(counts(&snapshot, [1, 2, 3]), [1, 2, 0], "{:?}", plan.moves);
    assert_eq!(plan.moves.len(), 4, "nothing is given to be taken again: {:?}", plan.moves);
}

#[test]
fn s20_a_pool_that_changed_rests_whatever_the_tickets_do() {
    let world = world().robot(member(1, 1)).runners(8, pool(1));
    let mut snapshot = snapshot(world, &[(1, 25)]);
    balance(&mut snapshot, ten());
    assert_eq!(counts(&snapshot, [1]), [3]);
    for (tickets, clock) in [(35, "10:02"), (0, "10:03"), (35, "10:04:59.999999")] {
        snapshot.demand.insert(RobotId(1), Demand::Known(tickets));
        let rest = balance(&mut snapshot, at(&format!("2026-03-02T{clock}")));
        assert_eq!(rest.moves, [], "{clock}");
        assert!(rest.robots[0].resting);
    }
    balance(&mut snapshot, at("2026-03-02T10:05:00"));
    assert_eq!(counts(&snapshot, [1]), [4]);
    snapshot.demand.insert(RobotId(1), Demand::Unknown);
    assert_eq!(balance(&mut snapshot, at("2026-03-02T10:10")).moves, [], "a provider failed");
    snapshot.demand.insert(RobotId(1), Demand::Known(0));
    balance(&mut snapshot, at("2026-03-02T10:11"));
    assert_eq!(counts(&snapshot, [1]), [0], "all at once");
}

#[test]
fn s20_what_people_and_calendars_assigned_stays() {
    let mut snapshot = full(1, 10, 6);
    snapshot.world = snapshot.world.reserved(1, 5).schedule(
        crate::model::Schedule {
            robot: RobotId(2),
            ..crate::rules::calendar::samples::daily("09:00", 30)
        },
        &[6],
    );
    let fixed = |snapshot: &Snapshot| {
        let rows = snapshot.world.assignments.iter();
        rows.filter(|one| one.hold != Hold::Dynamic).cloned().collect::<Vec<_>>()
    };
    let before = fixed(&snapshot);
    balance(&mut snapshot, ten());
    assert_eq!(fixed(&snapshot), before);
    assert_eq!(counts(&snapshot, [1, 2]), [1, 3], "one of R1's two is reserved by hand");
}
