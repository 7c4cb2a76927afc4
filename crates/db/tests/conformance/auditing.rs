//! The audit is append-only, and an edit of it shows.

use db::{
    Store,
    audit::{self, Entry},
};
use serde_json::json;

use crate::{
    deciding::entry,
    test_db::{TestDb, now, scope},
};

async fn record(store: &Store, entries: impl IntoIterator<Item = Entry>) {
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    for entry in entries {
        decision.audit(entry);
    }
    decision.commit().await.unwrap();
}

async fn verify(store: &Store) -> Option<i64> {
    audit::verify(&mut store.read().await.unwrap()).await.unwrap()
}

async fn tamper(store: &Store, sql: &'static str, id: i64) {
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    decision.tx.guarded("the record", sql, &[id.into()]).await.unwrap();
    decision.commit().await.unwrap();
}

async fn ids(store: &Store) -> Vec<i64> {
    let mut tx = store.read().await.unwrap();
    let mut records = audit::latest(&mut tx, i64::MAX, None, None, 500).await.unwrap();
    records.reverse();
    records.iter().map(|record| record.id).collect()
}

pub(crate) async fn records_are_read_newest_first(test_db: &TestDb) {
    let store = test_db.store().await;
    assert_eq!(verify(&store).await, None, "an empty chain is whole");
    let other_actor = Entry { actor: "bea".into(), ..entry("second") };
    let other_app =
        Entry { app: "other", before: None, after: None, reason: None, ..entry("third") };
    record(&store, [entry("first"), other_actor]).await;
    record(&store, [other_app]).await;
    let mut tx = store.read().await.unwrap();
    for (app, actor, expected) in [
        (None, None, vec!["third", "second", "first"]),
        (Some("demo"), None, vec!["second", "first"]),
        (None, Some("bea"), vec!["second"]),
        (Some("other"), Some("bea"), vec![]),
    ] {
        let found = audit::latest(&mut tx, i64::MAX, app, actor, 10).await.unwrap();
        let subjects: Vec<_> = found.iter().map(|record| record.subject.as_str()).collect();
        assert_eq!(subjects, expected);
    }
    let all = audit::latest(&mut tx, i64::MAX, None, None, 10).await.unwrap();
    let page = audit::latest(&mut tx, all[0].id, None, None, 1).await.unwrap();
    assert_eq!(page, all[1..2]);
    assert_eq!((&all[0].before, &all[0].after, &all[0].reason), (&None, &None, &None));
    assert_eq!((all[2].at, all[2].after.clone()), (now(), Some(json!({ "who": "first" }))));
    assert_eq!(verify(&store).await, None);
}

pub(crate) async fn an_edited_record_breaks_the_chain(test_db: &TestDb) {
    let store = test_db.store().await;
    record(&store, ["a", "b", "c"].map(entry)).await;
    let ids = ids(&store).await;
    for sql in [
        "UPDATE audit SET actor = 'eve' WHERE id = $1",
        "UPDATE audit SET after = '{\"who\": \"eve\"}' WHERE id = $1",
        "UPDATE audit SET reason = NULL WHERE id = $1",
    ] {
        assert_eq!(verify(&store).await, None);
        tamper(&store, sql, ids[1]).await;
        assert_eq!(verify(&store).await, Some(ids[1]), "{sql}");
        let undo = "UPDATE audit SET actor = 'ana', after = '{\"who\": \"b\"}', reason = 'test'
                    WHERE id = $1";
        tamper(&store, undo, ids[1]).await;
    }
    tamper(&store, "UPDATE audit SET hash = 'x' WHERE id = $1", ids[0]).await;
    assert_eq!(verify(&store).await, Some(ids[0]));
}

pub(crate) async fn a_removed_record_breaks_the_chain(test_db: &TestDb) {
    let store = test_db.store().await;
    record(&store, ["a", "b", "c"].map(entry)).await;
    let ids = ids(&store).await;
    tamper(&store, "DELETE FROM audit WHERE id = $1", ids[1]).await;
    assert_eq!(verify(&store).await, Some(ids[2]));
}

/// Databases spell numbers and order keys in their own ways; the hash must not notice.
pub(crate) async fn numbers_do_not_break_the_chain(test_db: &TestDb) {
    let store = test_db.store().await;
    let values = [
        json!({ "b": 1, "aa": { "z": [], "y": null } }),
        json!([1e16, 1.5e18, 1e19, 1e21, -1e17, -0.0, 5.0, 0.1 + 0.2, 1e-7, f64::MAX]),
        json!([i64::MIN, i64::MAX, u64::MAX, 9_007_199_254_740_993_i64]),
        json!(null),
        json!("null"),
    ];
    record(&store, values.map(|value| Entry { after: Some(value), ..entry("numbers") })).await;
    assert_eq!(verify(&store).await, None);
}
