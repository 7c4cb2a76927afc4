//! A day of operation in seconds: the planners alone drive a fleet, and after every plan that is
//! applied everything that must hold is looked at.

mod checks;
mod course;
mod fleet;
mod people;

use super::samples::{at, secs};
use crate::model::NodeId;
use fleet::{Fleet, Kind};

/// What happened, counted.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Figures {
    looks: u64,
    starts: u64,
    manual: u64,
    chained: u64,
    ended: u64,
    fenced: u64,
    unreachable: u64,
    jumps: u64,
    passes: u64,
    moves: u64,
    overflow: u64,
    acts: u64,
    interrupted: u64,
    /// Scheduled starts more than a minute late where the OLT answers.
    late: u64,
    /// In seconds.
    latest: i64,
}

fn operate(kinds: &[Kind], seed: u64, hours: i64, people: bool) -> Fleet {
    let begin = at("00:00:30");
    let mut fleet = Fleet::open(kinds, seed, begin, people);
    fleet.run_until(begin + secs(hours * 3600));
    fleet.finish();
    fleet
}

#[test]
fn a_day_of_a_thousand_nodes_with_everything_that_happens() {
    let kinds = [
        Kind { count: 30, seconds: 900, members: 0 },
        Kind { count: 100, seconds: 3600, members: 0 },
        Kind { count: 20, seconds: 3600, members: 2 },
        Kind { count: 250, seconds: 21_600, members: 0 },
        Kind { count: 600, seconds: 86_400, members: 0 },
    ];
    let figures = operate(&kinds, 20_260_302, 24, true).figures;
    println!("{figures:#?}");
    let busy = [
        (figures.starts, 5_000),
        (figures.manual, 20),
        (figures.chained, 200),
        (figures.fenced, 5),
        (figures.unreachable, 20),
        (figures.moves, 50),
        (figures.interrupted, 1),
    ];
    assert!(busy.iter().all(|(count, least)| count >= least), "too quiet a day: {figures:?}");
}

#[test]
fn scenarios_3_and_16_an_undisturbed_quarter_runs_96_times_on_its_grid() {
    let kinds = [
        Kind { count: 60, seconds: 900, members: 0 },
        Kind { count: 20, seconds: 3600, members: 0 },
    ];
    let fleet = operate(&kinds, 3, 27, false);
    assert_eq!((fleet.figures.jumps, fleet.figures.fenced), (0, 0));
    assert!(fleet.figures.latest <= 60, "{:?}", fleet.figures);
    for node in 1..=60 {
        let starts = fleet.starts_of(NodeId(node));
        let day = starts[5]..starts[5] + secs(86_400);
        assert_eq!(starts.iter().filter(|at| day.contains(at)).count(), 96, "node {node}");
        let near = starts.windows(2).map(|pair| pair[1].duration_since(pair[0]).as_secs()).min();
        assert!(near >= Some(660), "node {node}: {near:?}, only spreading shifts");
        let settled = starts[5..].windows(2);
        let off = settled.filter(|pair| pair[1].duration_since(pair[0]) != secs(900)).count();
        assert!(off <= 8, "node {node}: {off} starts off the grid");
    }
}

#[test]
fn scenario_22_five_dead_of_sixty_and_the_others_stay_on_time() {
    let begin = at("00:00:30");
    let kinds = [Kind { count: 60, seconds: 900, members: 0 }];
    let mut fleet = Fleet::open(&kinds, 22, begin, false);
    for machine in &mut fleet.machines[..5] {
        machine.dead = true;
    }
    fleet.run_until(begin + secs(12 * 3600));
    let figures = &fleet.figures;
    assert!(figures.unreachable > 5 * 40, "the dead are tried: {figures:?}");
    assert!(figures.late * 100 <= figures.starts, "{figures:?}");
}

#[test]
fn an_overloaded_house_keeps_its_limits_and_loses_nobody() {
    let kinds = [
        Kind { count: 12, seconds: 120, members: 0 },
        Kind { count: 40, seconds: 300, members: 0 },
        Kind { count: 30, seconds: 700, members: 1 },
    ];
    let figures = operate(&kinds, 21, 4, true).figures;
    assert!(figures.starts > 1_200 && figures.overflow > 0, "{figures:?}");
}

#[test]
fn the_same_seed_is_the_same_day() {
    let kinds = [Kind { count: 40, seconds: 900, members: 1 }];
    let figures = |seed| operate(&kinds, seed, 3, true).figures;
    assert_eq!(figures(7), figures(7));
    assert_ne!(figures(8), figures(7));
}
