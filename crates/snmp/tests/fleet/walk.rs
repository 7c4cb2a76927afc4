//! Reading a column, and everything that must not pass for one.

use snmp::sim::{Brand, Column};
use snmp::{CancellationToken, Credential, Fault, Kind, Oid, Value, Walk};

use crate::rig::{Rig, SHORT, column, hasty, states};

#[tokio::test]
async fn a_column_is_read_to_its_end_in_every_version() {
    let rig = Rig::new(300).await;
    let expected = rig.walk(&states()).await.expect("v2c");
    assert_eq!(expected.rows.len(), 300);
    assert_eq!(expected.rows[2].index.to_string(), "4194304000.2");
    assert_eq!(expected.requests, 13, "25 rows at a time, and one answer that shows the end");
    assert!(expected.rows.iter().all(|row| matches!(row.value, Value::Integer(1 | 2))));
    let v1 = rig.target_as(0, Credential::v1("public"));
    let read = rig.fleet.walk(&v1, &states(), &CancellationToken::new()).await.expect("v1");
    assert_eq!(read.rows, expected.rows);
    assert_eq!((read.repetitions, read.requests), (1, 301));
}

#[tokio::test]
async fn the_last_column_ends_with_the_view() {
    let rig = Rig::new(70).await;
    let last = column(Column::Power);
    assert_eq!(rig.walk(&last).await.expect("v2c").rows.len(), 70);
    let v1 = rig.target_as(0, Credential::v1("public"));
    let read = rig.fleet.walk(&v1, &last, &CancellationToken::new()).await.expect("v1");
    assert_eq!(read.rows.len(), 70);
}

#[tokio::test]
async fn a_row_keeps_every_number_of_its_index() {
    let rig = Rig::with(768, |olt| olt.brand = Brand::Plain).await;
    let walked = rig.walk(&Walk::new(Brand::Plain.oid(Column::State))).await.expect("complete");
    let names: std::collections::BTreeSet<String> =
        walked.rows.iter().map(|row| row.index.to_string()).collect();
    assert_eq!((walked.rows.len(), names.len()), (768, 768));
    assert!(names.contains("1.12.64") && names.iter().all(|name| name.split('.').count() == 3));
}

#[tokio::test]
async fn an_empty_or_unknown_column_has_no_rows() {
    let rig = Rig::new(0).await;
    assert_eq!(rig.walk(&states()).await.expect("complete").rows, []);
    let unknown = Walk::new("1.3.6.1.4.1.9.9.9".parse().expect("a name"));
    assert_eq!(rig.walk(&unknown).await.expect("complete").rows, []);
}

#[tokio::test]
async fn zte_counts_its_own_way() {
    let rig = Rig::with(40, |olt| olt.brand = Brand::Zte).await;
    let walk = Walk { expect: Some(Kind::Number), ..Walk::new(Brand::Zte.oid(Column::State)) };
    let read = rig.walk(&walk).await.expect("complete");
    assert_eq!(read.rows.len(), 40);
    assert_eq!(read.rows[0].index.to_string(), "268501248.1");
}

#[tokio::test]
async fn odd_communities_work_and_wrong_ones_are_silence() {
    let odd = "ñandú 🐦 \"quoted\" \\ %s\u{0}";
    let rig = Rig::with(30, |olt| odd.clone_into(&mut olt.community)).await;
    let right = rig.target_as(0, Credential::v2c(odd));
    let none = CancellationToken::new();
    assert_eq!(rig.fleet.walk(&right, &states(), &none).await.expect("let in").rows.len(), 30);
    let impatient = Walk { retries: 0, repetitions: 1, ..hasty() };
    assert_eq!(rig.walk(&impatient).await, Err(Fault::Timeout));
}

#[tokio::test]
async fn silence_in_the_middle_is_partial_and_gives_no_rows() {
    let rig = Rig::with(2048, |olt| olt.truncate_after = Some(100)).await;
    let impatient = Walk { retries: 0, repetitions: 5, ..hasty() };
    assert_eq!(rig.walk(&impatient).await, Err(Fault::Partial { rows: 100 }));
}

#[tokio::test]
async fn a_walk_that_takes_too_long_is_partial() {
    let rig = Rig::with(2048, |olt| olt.latency_ms = 20).await;
    let walk = Walk { time_limit: SHORT, ..states() };
    let walked = rig.walk(&walk).await;
    assert!(matches!(walked, Err(Fault::Partial { rows: 1.. })), "{walked:?}");
}

#[tokio::test]
async fn going_round_in_circles_is_not_increasing() {
    let rig = Rig::with(200, |olt| olt.not_increasing = true).await;
    assert_eq!(rig.walk(&states()).await, Err(Fault::NotIncreasing));
    let by_row = Walk { repetitions: 1, ..states() };
    assert_eq!(rig.walk(&by_row).await, Err(Fault::NotIncreasing));
}

#[tokio::test]
async fn text_where_a_number_belongs_is_not_understood() {
    let rig = Rig::with(50, |olt| olt.wrong_types = true).await;
    let strict = Walk { expect: Some(Kind::Number), ..states() };
    assert_eq!(rig.walk(&strict).await, Err(Fault::Decode));
    assert_eq!(rig.walk(&states()).await.expect("anything goes").rows.len(), 50);
    let text = Walk { expect: Some(Kind::Bytes), ..states() };
    assert_eq!(rig.walk(&text).await.expect("it is text").rows.len(), 50);
}

#[tokio::test]
async fn more_than_was_asked_for_is_not_understood() {
    let rig = Rig::with(2048, |olt| olt.giant = true).await;
    assert_eq!(rig.walk(&states()).await, Err(Fault::Decode));
}

#[tokio::test]
async fn datagrams_cut_in_half_are_not_silence() {
    let rig = Rig::with(50, |olt| olt.garbled = true).await;
    let impatient = Walk { retries: 0, repetitions: 1, ..hasty() };
    assert_eq!(rig.walk(&impatient).await, Err(Fault::Decode));
}

#[tokio::test]
async fn a_table_without_end_is_too_many() {
    let rig = Rig::new(2048).await;
    let bounded = Walk { max_rows: 1000, ..states() };
    assert_eq!(rig.walk(&bounded).await, Err(Fault::TooMany { rows: 1000 }));
    let exact = Walk { max_rows: 2048, ..states() };
    assert_eq!(rig.walk(&exact).await.expect("it just fits").rows.len(), 2048);
}

#[tokio::test]
async fn a_name_no_device_can_have_is_invalid() {
    let rig = Rig::new(1).await;
    for name in ["3.1.4", "1.99"] {
        let root: Oid = name.parse().expect("numbers and dots");
        assert_eq!(
            rig.walk(&Walk { timeout: SHORT, ..Walk::new(root) }).await,
            Err(Fault::Invalid),
            "{name}"
        );
    }
}
