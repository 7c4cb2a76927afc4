//! One statement for any number of rows.

use db::{Error, Row, Rows, Store, Value};
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use crate::test_db::{TestDb, now, scope};

const COLUMNS: &[&str] = &["flag", "whole", "ratio", "words", "moment", "document"];
const INSERT: &str = "INSERT INTO samples (flag, whole, ratio, words, moment, document)
                      SELECT flag, whole, ratio, words, moment, document FROM ROWS";

async fn samples(store: &Store) -> Vec<Row> {
    let mut tx = store.read().await.unwrap();
    tx.all("SELECT * FROM samples ORDER BY id", &[]).await.unwrap()
}

pub(crate) async fn many_rows_are_one_statement(test_db: &TestDb) {
    let store = test_db.store().await;
    let words =
        ["", "Ñandú 🍕 «ají»", "'; DROP TABLE samples; --", "[1,\"\\\\\"]", "a\r\n\tb", "$1"];
    let floats = [0.0, -1.5, 0.1 + 0.2, 1e300, 12.0, 1.0 / 3.0];
    let document = |n: usize| json!({ "n": n, "ñ": [null, true, { "a": "🍕\\\"" }] });
    let mut rows = Rows::new(COLUMNS);
    for n in 0..words.len() {
        rows.push([
            (n % 2 == 0).into(),
            (i64::MAX - n as i64).into(),
            floats[n].into(),
            words[n].into(),
            now().into(),
            document(n).into(),
        ]);
    }
    rows.push([
        Value::Bool(None),
        Value::Int(None),
        Value::Real(None),
        Value::Text(None),
        Value::Time(None),
        Value::Json(None),
    ]);
    let mut decision = store.decide(&scope("rows"), now()).await.unwrap();
    assert_eq!(decision.tx.each(INSERT, &[], &rows).await.unwrap(), 7);
    decision.commit().await.unwrap();
    let read = samples(&test_db.open().await).await;
    assert_eq!(read.len(), 7);
    for (n, row) in read[..6].iter().enumerate() {
        assert_eq!(row.get::<bool>("flag").unwrap(), n % 2 == 0);
        assert_eq!(row.get::<i64>("whole").unwrap(), i64::MAX - n as i64);
        assert_eq!(row.get::<f64>("ratio").unwrap().to_bits(), floats[n].to_bits());
        assert_eq!(row.get::<String>("words").unwrap(), words[n]);
        assert_eq!(row.get::<Timestamp>("moment").unwrap(), now());
        assert_eq!(row.get::<Json>("document").unwrap(), document(n));
    }
    assert_eq!(read[6].maybe::<String>("words").unwrap(), None);
    assert_eq!(read[6].maybe::<Json>("document").unwrap(), None);
    assert_eq!(read[6].maybe::<Timestamp>("moment").unwrap(), None);
}

pub(crate) async fn rows_choose_what_is_changed(test_db: &TestDb) {
    let store = test_db.store().await;
    let mut rows = Rows::new(COLUMNS);
    for n in 0..1000_i64 {
        let none = [Value::Bool(None), n.into(), Value::Real(None), Value::Text(None)];
        let [flag, whole, ratio, words] = none;
        rows.push([flag, whole, ratio, words, Value::Time(None), Value::Json(None)]);
    }
    let mut decision = store.decide(&scope("rows"), now()).await.unwrap();
    decision.tx.each(INSERT, &[], &rows).await.unwrap();
    let mut named = Rows::new(&["whole", "words"]);
    named.push([7.into(), "seven".into()]);
    named.push([9.into(), "nine".into()]);
    let sql =
        "UPDATE samples SET words = v.words, ratio = $1 FROM ROWS WHERE samples.whole = v.whole";
    assert_eq!(decision.tx.each(sql, &[0.5.into()], &named).await.unwrap(), 2);
    let keys = Rows::of(&["whole"], [9_i64, 7, 5_000]);
    let sql = "SELECT words FROM samples WHERE whole IN (SELECT whole FROM ROWS) ORDER BY whole";
    let found = decision.tx.all_of(sql, &[], &keys).await.unwrap();
    let found: Vec<String> = found.iter().map(|row| row.get("words").unwrap()).collect();
    assert_eq!(found, ["seven", "nine"]);
    let nothing = Rows::of::<i64>(&["whole"], []);
    assert_eq!(decision.tx.each("not even SQL", &[], &nothing).await.unwrap(), 0);
    assert!(decision.tx.all_of("not even SQL", &[], &nothing).await.unwrap().is_empty());
    decision.commit().await.unwrap();
}

pub(crate) async fn a_refused_row_dooms_the_decision(test_db: &TestDb) {
    let store = test_db.store().await;
    let mut decision = store.decide(&scope("rows"), now()).await.unwrap();
    let mut rows = Rows::new(&["name", "used"]);
    rows.push(["a".into(), 1.into()]);
    rows.push(["a".into(), 2.into()]);
    let sql = "INSERT INTO kitchens (name, used, capacity) SELECT name, used, 3 FROM ROWS";
    let refused = decision.tx.each(sql, &[], &rows).await.unwrap_err();
    assert!(matches!(refused, Error::Duplicate { .. }), "{refused:?}");
    assert!(decision.commit().await.is_err());
    let mut tx = store.read().await.unwrap();
    assert!(tx.all("SELECT name FROM kitchens", &[]).await.unwrap().is_empty());
}
