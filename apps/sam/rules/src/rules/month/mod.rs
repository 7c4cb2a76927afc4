//! A month of operation in a minute: the planners alone drive a house of 50 robots and 30 runners,
//! and after every plan that is applied everything that must hold is looked at.

mod checks;
mod control_room;
mod farm;
mod operation;
mod people;

use jiff::SignedDuration;

use super::calendar::samples::at;
use operation::Operation;

/// How often each thing happened in the month.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Figures {
    looks: u64,
    launch_plans: u64,
    launches: u64,
    slots: u64,
    accepted: u64,
    ended: u64,
    lost: u64,
    given_up: u64,
    withdrawn: u64,
    refused: u64,
    missed: u64,
    balances: u64,
    balance_plans: u64,
    moves: u64,
    preempted: u64,
    lent: u64,
    returned: u64,
    acts: u64,
}

fn operate(seed: u64, days: i64) -> Figures {
    let begin = at("2026-03-01T00:00");
    let mut operation = Operation::new(farm::open(), seed, begin);
    operation.run_until(begin + SignedDuration::from_hours(24 * days));
    operation.finish(begin)
}

#[test]
fn thirty_days_of_fifty_robots_on_thirty_runners() {
    let figures = operate(20_260_301, 30);
    println!("{figures:#?}");
    let busy = [
        (figures.launches, 5_000),
        (figures.slots, 300),
        (figures.given_up, 20),
        (figures.withdrawn, 100),
        (figures.refused, 20),
        (figures.missed, 20),
        (figures.moves, 1_000),
        (figures.preempted, 50),
        (figures.lent, 50),
        (figures.returned, 5),
    ];
    assert!(busy.iter().all(|(count, least)| count >= least), "too quiet a month: {figures:?}");
}

#[test]
fn the_same_seed_is_the_same_month() {
    let figures = operate(7, 1);
    assert_eq!(operate(7, 1), figures);
    assert_ne!(operate(8, 1), figures);
}
