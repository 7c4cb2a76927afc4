//! Whatever answers, asking ends and every value has one answer.

use proptest::prelude::*;

use super::*;

fn fault() -> impl Strategy<Value = Option<Fault>> {
    prop_oneof![
        2 => Just(None),
        2 => Just(Some(Fault::Timeout)),
        1 => Just(Some(Fault::TooBig)),
        1 => Just(Some(Fault::NoSuch)),
        1 => Just(Some(Fault::Decode)),
        1 => Just(Some(Fault::Refused { status: 5 })),
    ]
}

proptest! {
    /// Each packet may answer any part of what it was asked, and fail in any way besides.
    #[test]
    fn asking_ends(
        count in 0_usize..200,
        per_packet in 1_usize..40,
        outcomes in proptest::collection::vec((any::<u64>(), fault()), 1..50),
        retries in 0_u32..4,
    ) {
        let mut asking = Asking::new(count, per_packet, retries);
        let mut turn = 0;
        while let Some(wanted) = asking.queue.pop_front() {
            let (mask, fault) = &outcomes[turn % outcomes.len()];
            let (answered, open): (Vec<_>, Vec<_>) =
                wanted.into_iter().enumerate().partition(|(at, _)| mask >> (at % 64) & 1 == 1);
            let answer = |(_, place): (usize, usize)| (place, Answer::Missing(Missing::Instance));
            let answered = answered.into_iter().map(answer).collect();
            let open = open.into_iter().map(|(_, place)| place).collect();
            asking.take(Leaf { answered, open, fault: *fault }).expect("none of these ends all");
            turn += 1;
            prop_assert!(turn <= (2 + retries as usize) * count, "it goes round in circles");
        }
        prop_assert_eq!(asking.answers.len(), count);
    }
}

#[test]
fn a_door_that_is_closed_ends_it_all() {
    for fault in [Fault::Unreachable, Fault::Auth, Fault::Cancelled, Fault::Invalid] {
        let mut asking = Asking::new(4, 2, 0);
        let leaf = Leaf { answered: Vec::new(), open: vec![0, 1], fault: Some(fault) };
        assert_eq!(asking.take(leaf), Err(fault));
    }
}

#[test]
fn answers_are_matched_by_name() {
    let names = [[1, 3, 1], [1, 3, 2], [1, 3, 2]].map(|name| async_snmp::Oid::from_slice(&name));
    let number = |name: &async_snmp::Oid, value: i32| {
        VarBind::new(name.clone(), async_snmp::Value::Integer(value))
    };
    let mut leaf = Leaf { answered: Vec::new(), open: Vec::new(), fault: None };
    let strange = async_snmp::Oid::from_slice(&[1, 3, 9]);
    let bindings = vec![
        number(&names[1], 2),
        number(&strange, 9),
        number(&names[0], 1),
        number(&names[1], 3),
        number(&names[1], 4),
    ];
    leaf.match_up(&[10, 11, 12], &names, bindings);
    let answer = |place, value| (place, Answer::Value(Value::Integer(value)));
    assert_eq!(leaf.answered, [answer(11, 2), answer(10, 1), answer(12, 3)]);
}

#[test]
fn a_value_is_asked_alone_as_often_as_it_is_told() {
    let mut asking = Asking::new(1, 1, 2);
    let mut turns = 0;
    while let Some(open) = asking.queue.pop_front() {
        turns += 1;
        let leaf = Leaf { answered: Vec::new(), open, fault: Some(Fault::Timeout) };
        asking.take(leaf).expect("it goes on");
    }
    assert_eq!((turns, asking.silences), (3, 1), "once, and two retries; one silence");
}
