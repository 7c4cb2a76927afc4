//! The same key twice is one change and one answer.

use db::{
    Store,
    idempotency::{self, Seen},
};
use jiff::SignedDuration;
use serde_json::{Value as Json, json};

use crate::{
    deciding::SPENDINGS,
    test_db::{TestDb, count, now, scope},
};

/// Creates an order unless the key is known; says what the key said.
async fn create(store: &Store, key: &str, body: &str) -> (Seen, Json) {
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    let seen = idempotency::recall(&mut decision, "orders", key, body).await.unwrap();
    let answer = match &seen {
        Seen::New => {
            let sql = "INSERT INTO spendings (kitchen, who) VALUES ('norte', $1) RETURNING id";
            let row = decision.tx.one(sql, &[body.into()]).await.unwrap();
            let answer = json!({ "id": row.get::<i64>("id").unwrap() });
            idempotency::remember(&mut decision, "orders", key, body, &answer).await.unwrap();
            answer
        }
        Seen::Same(answer) => answer.clone(),
        Seen::Other => Json::Null,
    };
    decision.commit().await.unwrap();
    (seen, answer)
}

async fn with_kitchen(test_db: &TestDb) -> Store {
    let store = test_db.store().await;
    crate::deciding::kitchen(&store, "norte", 5).await;
    store
}

pub(crate) async fn a_key_answers_once_and_for_all(test_db: &TestDb) {
    let store = with_kitchen(test_db).await;
    let (seen, first) = create(&store, "k1", "pizza").await;
    assert_eq!(seen, Seen::New);
    let (seen, again) = create(&test_db.open().await, "k1", "pizza").await;
    assert_eq!((seen, again), (Seen::Same(first.clone()), first));
    assert_eq!(create(&store, "k1", "empanada").await.0, Seen::Other);
    assert_eq!(create(&store, "k2", "pizza").await.0, Seen::New);
    assert_eq!(count(&store, SPENDINGS).await, 2);
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    let elsewhere = idempotency::recall(&mut decision, "tickets", "k1", "pizza").await.unwrap();
    assert_eq!(elsewhere, Seen::New);
}

pub(crate) async fn a_dropped_decision_forgets_its_key(test_db: &TestDb) {
    let store = with_kitchen(test_db).await;
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    idempotency::remember(&mut decision, "orders", "k1", "pizza", &json!(1)).await.unwrap();
    drop(decision);
    assert_eq!(create(&store, "k1", "pizza").await.0, Seen::New);
}

pub(crate) async fn one_of_two_racers_makes_the_change(test_db: &TestDb) {
    let stores = [with_kitchen(test_db).await, test_db.open().await];
    let racers: Vec<_> = (0..6)
        .map(|n| {
            let store = stores[n % 2].clone();
            tokio::spawn(async move { create(&store, "k1", "pizza").await })
        })
        .collect();
    let mut answers = Vec::new();
    let mut new = 0;
    for racer in racers {
        let (seen, answer) = racer.await.unwrap();
        new += u32::from(seen == Seen::New);
        answers.push(answer);
    }
    answers.dedup();
    assert_eq!((new, answers.len()), (1, 1));
    assert_eq!(count(&stores[0], SPENDINGS).await, 1);
}

pub(crate) async fn old_keys_are_forgotten(test_db: &TestDb) {
    let store = with_kitchen(test_db).await;
    create(&store, "k1", "pizza").await;
    let day = SignedDuration::from_hours(24);
    let mut decision = store.decide(&scope("norte"), now() + day).await.unwrap();
    assert_eq!(idempotency::prune(&mut decision, now()).await.unwrap(), 0);
    let after = now() + SignedDuration::from_micros(1);
    assert_eq!(idempotency::prune(&mut decision, after).await.unwrap(), 1);
    decision.commit().await.unwrap();
    assert_eq!(create(&store, "k1", "pizza").await.0, Seen::New);
}
