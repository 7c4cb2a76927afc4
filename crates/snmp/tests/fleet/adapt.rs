//! Asking for less until the device can answer, and asking again what got lost.

use snmp::sim::OverLimit;
use snmp::{Fault, Walk};

use crate::rig::{Rig, hasty, states};

#[tokio::test]
async fn too_big_halves_and_is_remembered() {
    let rig = Rig::with(500, |olt| olt.max_repetitions_limit = 10).await;
    let first = rig.walk(&states()).await.expect("it adapts");
    assert_eq!((first.rows.len(), first.repetitions), (500, 6));
    let again = Walk { repetitions: first.repetitions, ..states() };
    let second = rig.walk(&again).await.expect("it starts there");
    assert_eq!((second.repetitions, second.requests + 2), (6, first.requests));
}

#[tokio::test]
async fn silence_halves_too_and_one_row_at_a_time_is_the_end_of_it() {
    let quiet = |limit| {
        move |olt: &mut snmp::sim::Settings| {
            olt.max_repetitions_limit = limit;
            olt.over_limit = OverLimit::Silent;
        }
    };
    let rig = Rig::with(60, quiet(5)).await;
    let walk = Walk { retries: 0, ..hasty() };
    let walked = rig.walk(&walk).await.expect("it adapts");
    assert_eq!((walked.rows.len(), walked.repetitions), (60, 5));
    let rig = Rig::with(60, quiet(1)).await;
    let walked = rig.walk(&walk).await.expect("it adapts");
    assert_eq!((walked.rows.len(), walked.repetitions), (60, 1));
}

#[tokio::test]
async fn one_lost_in_twenty_costs_time_and_nothing_else() {
    let rig = Rig::with(2048, |olt| olt.loss_pct = 5.0).await;
    let walked = rig.walk(&hasty()).await.expect("asked again");
    assert_eq!(walked.rows.len(), 2048);
    assert!(rig.received(0) > 83, "something was lost and asked again");
}

#[tokio::test]
async fn late_answers_are_waited_for_by_asking_again() {
    let late = |olt: &mut snmp::sim::Settings| olt.late_ms = 300;
    let rig = Rig::with(500, late).await;
    let walked = rig.walk(&hasty()).await.expect("late, but it came");
    assert_eq!(walked.rows.len(), 500);
}

#[tokio::test]
async fn a_dead_device_ends_in_a_bounded_number_of_datagrams() {
    let rig = Rig::with(10, |olt| olt.alive = false).await;
    assert_eq!(rig.walk(&hasty()).await, Err(Fault::Timeout));
    assert_eq!(rig.received(0), 10, "twice each: 25, 12, 6, 5 and single rows");
}
