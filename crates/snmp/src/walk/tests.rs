//! Whatever a device answers, a walk moves on, ends, or says what is wrong.

use async_snmp::Value as Wire;
use proptest::prelude::*;

use super::*;

const ROOT: [u32; 3] = [1, 3, 6];

fn walk() -> Walk {
    Walk { max_rows: 10, ..Walk::new(Oid::new(ROOT)) }
}

fn binding(name: &[u32], value: Wire) -> VarBind {
    VarBind::new(async_snmp::Oid::from_slice(name), value)
}

fn absorb(bindings: Vec<VarBind>) -> Result<(Progress, usize), Fault> {
    let walk = walk();
    let mut reading = Reading::new(&walk);
    reading.absorb(bindings).map(|progress| (progress, reading.rows.len()))
}

#[test]
fn the_end_is_a_name_outside_or_the_end_of_the_view() {
    let row = binding(&[1, 3, 6, 1], Wire::Integer(1));
    assert_eq!(absorb(vec![row.clone()]), Ok((Progress::More, 1)));
    for end in [binding(&[1, 3, 7], Wire::Integer(1)), binding(&ROOT, Wire::EndOfMibView)] {
        assert_eq!(absorb(vec![row.clone(), end.clone()]), Ok((Progress::End, 1)));
        assert_eq!(absorb(vec![row.clone(), end.clone(), end]), Ok((Progress::End, 1)));
    }
}

#[test]
fn going_back_or_standing_still_is_not_increasing() {
    for names in [[[1, 3, 6, 2], [1, 3, 6, 1]], [[1, 3, 6, 2], [1, 3, 6, 2]]] {
        let bindings = names.iter().map(|name| binding(name, Wire::Integer(1))).collect();
        assert_eq!(absorb(bindings), Err(Fault::NotIncreasing));
    }
    let before = binding(&[1, 3, 5], Wire::Integer(1));
    assert_eq!(absorb(vec![before]), Err(Fault::NotIncreasing), "outside, and on the wrong side");
}

#[test]
fn answers_that_answer_nothing_are_not_understood() {
    assert_eq!(absorb(Vec::new()), Err(Fault::Decode));
    let many = (0..26).map(|row| binding(&[1, 3, 6, row], Wire::Integer(1))).collect();
    assert_eq!(absorb(many), Err(Fault::Decode));
    for value in [Wire::NoSuchObject, Wire::NoSuchInstance, Wire::Null] {
        assert_eq!(absorb(vec![binding(&[1, 3, 6, 1], value)]), Err(Fault::Decode));
    }
}

#[test]
fn repetitions_halve_down_to_five_and_then_to_single_rows() {
    let walk = walk();
    let mut reading = Reading::new(&walk);
    let mut paces = vec![reading.pace];
    while reading.slow_down().is_some() {
        paces.push(reading.pace);
    }
    assert_eq!(paces, [25, 12, 6, 5, 1]);
}

fn value() -> impl Strategy<Value = Wire> {
    prop_oneof![
        4 => any::<i32>().prop_map(Wire::Integer),
        1 => Just(Wire::EndOfMibView),
        1 => Just(Wire::NoSuchObject),
        1 => Just(Wire::Null),
    ]
}

proptest! {
    #[test]
    fn rows_grow_stay_inside_and_are_bounded(
        answers in proptest::collection::vec(
            proptest::collection::vec((proptest::collection::vec(0_u32..4, 0..4), value()), 0..30),
            0..8,
        ),
    ) {
        let walk = walk();
        let mut reading = Reading::new(&walk);
        for answer in answers {
            let bindings = answer
                .into_iter()
                .map(|(tail, value)| binding(&[&ROOT[..], &tail].concat(), value))
                .collect();
            let before = reading.cursor.clone();
            match reading.absorb(bindings) {
                Ok(Progress::More) => prop_assert!(reading.cursor > before, "it moves on"),
                Ok(Progress::End) | Err(_) => break,
            }
        }
        prop_assert!(reading.rows.len() <= walk.max_rows);
        prop_assert!(reading.rows.is_sorted_by(|a, b| a.index < b.index));
    }
}

#[test]
fn fewer_repetitions_than_are_worth_it_are_single_rows() {
    let walk = Walk { repetitions: 30, least: 12, ..Walk::new(Oid::new([1, 3, 6, 1])) };
    let mut reading = Reading::new(&walk);
    let mut paces = vec![reading.pace];
    while reading.slow_down().is_some() {
        paces.push(reading.pace);
    }
    assert_eq!(paces, [30, 15, 12, 1]);
    let few = Walk { repetitions: 8, ..walk };
    assert_eq!(Reading::new(&few).pace, 1);
}
