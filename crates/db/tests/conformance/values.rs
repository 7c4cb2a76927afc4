//! What is written is read back the same, from either database.

use db::{Column, Error, Row, Store, Value};
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use crate::test_db::{TestDb, now, scope};

const INSERT: &str = "INSERT INTO samples (flag, whole, ratio, words, moment, document)
                      VALUES ($1, $2, $3, $4, $5, $6)";

/// Writes one value into its column and reads it back in another process.
async fn through<T: Column>(
    test_db: &TestDb,
    store: &Store,
    column: &str,
    value: Value,
) -> Option<T> {
    let mut decision = store.decide(&scope("values"), now()).await.unwrap();
    let mut args = [
        Value::Bool(None),
        Value::Int(None),
        Value::Real(None),
        Value::Text(None),
        Value::Time(None),
        Value::Json(None),
    ];
    let at =
        args.iter().position(|slot| std::mem::discriminant(slot) == std::mem::discriminant(&value));
    args[at.expect("every variant has a column")] = value;
    decision.tx.execute(INSERT, &args).await.unwrap();
    decision.commit().await.unwrap();
    newest(&test_db.open().await).await.maybe(column).unwrap()
}

async fn newest(store: &Store) -> Row {
    let mut tx = store.read().await.unwrap();
    tx.one("SELECT * FROM samples ORDER BY id DESC LIMIT 1", &[]).await.unwrap()
}

pub(crate) async fn every_type_comes_back_as_it_went_in(test_db: &TestDb) {
    let store = test_db.store().await;
    for flag in [true, false] {
        assert_eq!(through(test_db, &store, "flag", flag.into()).await, Some(flag));
    }
    for whole in [0, -1, 1, i64::MIN, i64::MAX] {
        assert_eq!(through(test_db, &store, "whole", whole.into()).await, Some(whole));
    }
    assert_eq!(through(test_db, &store, "whole", u32::MAX.into()).await, Some(4_294_967_295_i64));
    assert_eq!(through(test_db, &store, "whole", i32::MIN.into()).await, Some(-2_147_483_648_i64));
    for ratio in [0.0, -1.5, 0.1 + 0.2, f64::MAX, f64::MIN_POSITIVE] {
        assert_eq!(through(test_db, &store, "ratio", ratio.into()).await, Some(ratio));
    }
}

pub(crate) async fn absent_values_stay_absent(test_db: &TestDb) {
    let store = test_db.store().await;
    assert_eq!(through::<bool>(test_db, &store, "flag", None::<bool>.into()).await, None);
    let row = newest(&store).await;
    assert_eq!(row.maybe::<i64>("whole").unwrap(), None);
    assert_eq!(row.maybe::<f64>("ratio").unwrap(), None);
    assert_eq!(row.maybe::<String>("words").unwrap(), None);
    assert_eq!(row.maybe::<Timestamp>("moment").unwrap(), None);
    assert_eq!(row.maybe::<Json>("document").unwrap(), None);
    assert!(matches!(row.get::<i64>("whole"), Err(Error::Corrupt { .. })));
    let null = through(test_db, &store, "document", Json::Null.into()).await;
    assert_eq!(null, Some(Json::Null), "a JSON null is a value");
}

pub(crate) async fn instants_keep_whole_microseconds(test_db: &TestDb) {
    let store = test_db.store().await;
    for (written, expected) in [
        ("2026-03-01T12:00:00.123456Z", "2026-03-01T12:00:00.123456Z"),
        ("2026-03-01T12:00:00.123456789Z", "2026-03-01T12:00:00.123456Z"),
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
        ("0001-01-01T00:00:00.000001Z", "0001-01-01T00:00:00.000001Z"),
        ("9999-12-30T21:59:59.999999Z", "9999-12-30T21:59:59.999999Z"),
    ] {
        let written: Timestamp = written.parse().unwrap();
        let read = through::<Timestamp>(test_db, &store, "moment", written.into()).await;
        assert_eq!(read.map(|at| at.to_string()).as_deref(), Some(expected));
    }
}

pub(crate) async fn text_and_json_keep_every_character(test_db: &TestDb) {
    let store = test_db.store().await;
    let long = "ñ".repeat(100_000);
    for words in [
        "",
        " ",
        "Ñandú 🍕 con «ají»",
        "a\u{301}",
        "'; DROP TABLE samples; --",
        "$1 ? :x",
        "line\r\n\ttab",
        &long,
    ] {
        let read = through::<String>(test_db, &store, "words", words.into()).await;
        assert_eq!(read.as_deref(), Some(words));
    }
    for document in [
        json!({}),
        json!([]),
        json!("null"),
        json!({ "ñ": [1, -2.5, null, true, { "b": 1, "aa": "🍕\u{7f}\\\"" }] }),
        json!([i64::MIN, i64::MAX, u64::MAX]),
    ] {
        let read = through::<Json>(test_db, &store, "document", document.clone().into()).await;
        assert_eq!(read, Some(document));
    }
}

pub(crate) async fn floats_keep_every_bit(test_db: &TestDb) {
    let store = test_db.store().await;
    // A fixed walk over fractions of many sizes: most are hard to print and to parse.
    let floats: Vec<f64> = (1..500_u64)
        .map(|n| {
            f64::from_bits((970 + n % 100) << 52 | n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 12)
        })
        .collect();
    let document = json!(floats);
    let read = through::<Json>(test_db, &store, "document", document.clone().into()).await;
    assert_eq!(read, Some(document));
}

pub(crate) async fn an_unknown_word_is_corruption(test_db: &TestDb) {
    let store = test_db.store().await;
    let parse = |word: &str| (word == "RECIBIDO").then_some(1);
    through::<String>(test_db, &store, "words", "RECIBIDO".into()).await;
    assert_eq!(newest(&store).await.word("words", parse).unwrap(), 1);
    through::<String>(test_db, &store, "words", "recibido".into()).await;
    let refused = newest(&store).await.word("words", parse).unwrap_err();
    assert!(matches!(&refused, Error::Corrupt { what } if what.contains("recibido")), "{refused}");
}

pub(crate) async fn a_value_of_another_type_is_corruption(test_db: &TestDb) {
    let store = test_db.store().await;
    through::<String>(test_db, &store, "words", "twelve".into()).await;
    let row = newest(&store).await;
    assert!(matches!(row.get::<i64>("words"), Err(Error::Corrupt { .. })));
    assert!(matches!(row.get::<bool>("words"), Err(Error::Corrupt { .. })));
    assert!(matches!(row.get::<Timestamp>("words"), Err(Error::Corrupt { .. })));
    assert!(matches!(row.get::<String>("missing"), Err(Error::Corrupt { .. })));
}
