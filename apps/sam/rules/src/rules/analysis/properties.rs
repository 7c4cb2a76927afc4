//! No figure is anything but a number, whatever the rows, and their order does not matter.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use serde::Serialize;
use serde_json::Value as Json;

use super::samples::{at, morning, zone};
use super::*;
use engine::Word as _;

fn instants() -> impl Strategy<Value = Timestamp> {
    let near = (-90_000_i64..90_000).prop_map(|n| at("10:00:00") + SignedDuration::from_secs(n));
    prop_oneof![9 => near, 1 => Just(Timestamp::MIN), 1 => Just(Timestamp::MAX)]
}

prop_compose! {
    fn run_facts()(
        run in 0_i64..1000, robot in 1_i64..4, runner in 1_i64..4,
        state in prop::sample::select(RunState::ALL.to_vec()),
        claimed_at in instants(),
        started_at in prop::option::of(instants()),
        finished_at in prop::option::of(instants()),
        updated_at in instants(),
        closing in prop::option::of(prop::sample::select(Closing::ALL.to_vec())),
        misses in 0_i64..6,
        repetitions in prop_oneof![Just(1_i64), any::<i64>()],
    ) -> RunFact {
        let (run, robot, runner) = (RunId(run), RobotId(robot), RunnerId(runner));
        RunFact {
            run, robot, runner, state, claimed_at, started_at, finished_at, updated_at, closing,
            misses, repetitions,
        }
    }
}

prop_compose! {
    fn move_facts()(
        at in instants(), robot in 1_i64..3, runner in 1_i64..3, assigned in any::<bool>(),
        tickets in prop::option::of(any::<i64>()), preempted in any::<bool>(),
    ) -> MoveFact {
        MoveFact { at, robot: RobotId(robot), runner: RunnerId(runner), assigned, tickets, preempted }
    }
}

/// Serialised as clients get it. `serde_json` writes what is not a number as null: whatever may
/// not be absent is looked at by name.
fn told(report: &impl Serialize) -> Json {
    let json = serde_json::to_value(report).unwrap();
    assert_numbers(&json);
    json
}

fn assert_numbers(json: &Json) {
    const ALWAYS: [&str; 7] =
        ["minimo", "promedio", "p50", "p90", "maximo", "desviacion", "promedio_total"];
    match json {
        Json::Object(fields) => fields.iter().for_each(|(name, value)| {
            assert!(!(value.is_null() && ALWAYS.contains(&name.as_str())), "{name}");
            assert_numbers(value);
        }),
        Json::Array(items) => items.iter().for_each(assert_numbers),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

fn reports(runs: &[RunFact], moves: &[MoveFact], now: Timestamp) -> Vec<Json> {
    let zone = zone();
    let assigned = [(RobotId(9), RunnerId(9))];
    let delay = Delay::default();
    vec![
        told(&utilization(runs, &assigned, morning(), now)),
        told(&success(runs)),
        told(&times(runs)),
        told(&latency(runs)),
        told(&dispersion(runs, RobotId(1), Gap::Starts)),
        told(&dispersion(runs, RobotId(1), Gap::Idle)),
        told(&patterns(runs, &zone)),
        told(&callbacks(runs, &zone)),
        told(&balancer(moves, &zone)),
        told(&delayed(runs, runs, &delay, now, 50)),
        told(&orphaned(runs, now, 50)),
        told(&failed(runs, 50)),
    ]
}

proptest! {
    #[test]
    fn every_report_of_any_rows_is_made_of_numbers(
        runs in prop::collection::vec(run_facts(), 0..20),
        moves in prop::collection::vec(move_facts(), 0..20),
        now in instants(),
    ) {
        reports(&runs, &moves, now);
    }

    #[test]
    fn shares_are_shares(runs in prop::collection::vec(run_facts(), 0..20), now in instants()) {
        let whole = |percent: Option<f64>| percent.is_none_or(|n| (0.0..=100.0).contains(&n));
        let used = utilization(&runs, &[], morning(), now);
        prop_assert!(whole(used.percent) && used.runners.iter().all(|one| whole(one.percent)));
        prop_assert!(success(&runs).pairs.iter().all(|one| whole(one.percent)));
        prop_assert!(whole(callbacks(&runs, &zone()).all.percent));
        let cells = patterns(&runs, &zone()).cells;
        prop_assert_eq!(cells.iter().map(|cell| cell.count).sum::<usize>(), runs.len());
    }

    #[test]
    fn the_order_of_rows_does_not_matter(
        mut runs in prop::collection::vec(run_facts(), 0..12),
        mut moves in prop::collection::vec(move_facts(), 0..12),
        now in instants(),
    ) {
        for (id, run) in (1..).zip(&mut runs) {
            run.run = RunId(id);
        }
        // Sums of fractions may differ in digits nobody sees; whole counts may not.
        let counts = |runs: &[RunFact], moves: &[MoveFact]| {
            let patterns = patterns(runs, &zone());
            let callbacks = callbacks(runs, &zone());
            let problems: Vec<i64> = callbacks.problems.iter().map(|one| one.run).collect();
            let late: Vec<i64> =
                orphaned(runs, now, 50).iter().map(|one| one.run).collect();
            let failed: Vec<i64> = failed(runs, 50).iter().map(|one| one.run).collect();
            let cells: Vec<usize> = patterns.cells.iter().map(|cell| cell.count).collect();
            let pairs = success(runs).pairs;
            (callbacks.mechanisms, problems, late, failed, cells, pairs, balancer(moves, &zone()).reversals)
        };
        let before = counts(&runs, &moves);
        runs.reverse();
        moves.reverse();
        prop_assert_eq!(counts(&runs, &moves), before);
    }
}
