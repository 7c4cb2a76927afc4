//! Effects are claimed once at a time, by processes that live.

use db::{
    Store,
    effects::{Claimed, Outcome},
    processes::{self, Process},
};
use jiff::SignedDuration;
use serde_json::json;

use crate::{
    deciding::bell,
    test_db::{ME, TestDb, count, now, process, scope},
};

const LEASE: SignedDuration = SignedDuration::from_secs(30);

async fn want(store: &Store, keys: impl IntoIterator<Item = String>) -> Vec<i64> {
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    for key in keys {
        decision.effect(bell(&key));
    }
    decision.commit().await.unwrap().effects
}

async fn claim_one(store: &Store, after: SignedDuration) -> Claimed {
    let mut claimed = store.claim_effects(ME, now() + after, LEASE, 10).await.unwrap();
    assert_eq!(claimed.len(), 1);
    claimed.remove(0)
}

pub(crate) async fn one_key_is_one_effect(test_db: &TestDb) {
    let store = test_db.store().await;
    let first = want(&store, ["a".into(), "b".into(), "a".into()]).await;
    assert_eq!(first.len(), 2);
    assert_eq!(want(&store, ["b".into()]).await, [0; 0]);
    let claimed = store.claim_effects(ME, now(), LEASE, 10).await.unwrap();
    assert_eq!(claimed.iter().map(|effect| effect.id).collect::<Vec<_>>(), first);
    assert_eq!((claimed[0].app.as_str(), claimed[0].kind.as_str()), ("demo", "ring"));
    assert_eq!((claimed[0].key.as_str(), claimed[0].attempt), ("a", 1));
    assert_eq!(claimed[0].payload, serde_json::json!({ "bell": "a" }));
    for effect in &claimed {
        assert!(store.finish_effect(effect, &Outcome::Done, now()).await.unwrap());
    }
    assert_eq!(want(&store, ["a".into()]).await, [0; 0], "a key is spent for good");
    assert_eq!(store.next_effect().await.unwrap(), None);
}

pub(crate) async fn two_processes_claim_different_effects(test_db: &TestDb) {
    let (one, two) = (test_db.store().await, test_db.open().await);
    let mut wanted = want(&one, (0..40).map(|n| format!("k{n}"))).await;
    let drain = async |store: &Store| {
        let mut ids = Vec::new();
        loop {
            let batch = store.claim_effects(ME, now(), LEASE, 3).await.unwrap();
            if batch.is_empty() {
                return ids;
            }
            ids.extend(batch.iter().map(|effect| effect.id));
        }
    };
    let (mut claimed, rest) = tokio::join!(drain(&one), drain(&two));
    claimed.extend(rest);
    // A claimer that met only locked rows stops early, which is not a loss.
    claimed.extend(drain(&one).await);
    claimed.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(claimed, wanted, "every effect was claimed exactly once");
}

pub(crate) async fn a_claim_takes_no_more_than_asked(test_db: &TestDb) {
    let store = test_db.store().await;
    want(&store, (0..50).map(|n| format!("k{n}"))).await;
    for limit in [1, 7, 20] {
        let claimed = store.claim_effects(ME, now(), LEASE, limit).await.unwrap();
        assert_eq!(claimed.len() as i64, limit);
        assert!(claimed.is_sorted_by_key(|effect| effect.id));
    }
    assert_eq!(count(&store, "SELECT COUNT(*) AS n FROM effects WHERE attempts = 0").await, 22);
}

pub(crate) async fn a_claim_that_ran_out_is_taken_again(test_db: &TestDb) {
    let (store, other) = (test_db.store().await, test_db.open().await);
    want(&store, ["a".into()]).await;
    assert_eq!(store.next_effect().await.unwrap(), Some(now()));
    let first = claim_one(&store, SignedDuration::ZERO).await;
    assert_eq!(other.next_effect().await.unwrap(), Some(now() + LEASE));
    let almost = now() + LEASE - SignedDuration::from_micros(1);
    assert_eq!(other.claim_effects(ME, almost, LEASE, 10).await.unwrap(), []);
    let second = claim_one(&other, LEASE).await;
    assert_eq!((second.id, second.attempt), (first.id, first.attempt + 1));
}

pub(crate) async fn a_claim_ends_with_its_process(test_db: &TestDb) {
    let (store, other) = (test_db.store().await, test_db.open().await);
    other.heartbeat(&process("there/2/b")).await.unwrap();
    want(&store, ["a".into()]).await;
    let first = claim_one(&store, SignedDuration::ZERO).await;
    assert_eq!(other.claim_effects("there/2/b", now(), LEASE, 10).await.unwrap(), []);
    assert_eq!(other.bury(&[ME.to_owned()]).await.unwrap(), 1);
    assert_eq!(other.bury(&[ME.to_owned()]).await.unwrap(), 0, "somebody else noticed first");
    assert_eq!(other.next_effect().await.unwrap(), Some(now()), "nobody waits for the lease");
    let taken = other.claim_effects("there/2/b", now(), LEASE, 10).await.unwrap();
    assert_eq!(taken[0].attempt, first.attempt + 1);
    assert!(!store.finish_effect(&first, &Outcome::Done, now()).await.unwrap());
}

pub(crate) async fn a_process_lives_by_its_heartbeats(test_db: &TestDb) {
    let store = test_db.store().await;
    let later = now() + SignedDuration::from_secs(2);
    let renewed = Process { beat_at: later, roles: json!({ "demo": 1 }), ..process(ME) };
    store.heartbeat(&renewed).await.unwrap();
    store.heartbeat(&process("there/2/b")).await.unwrap();
    let listed = processes::all(&mut store.read().await.unwrap()).await.unwrap();
    assert_eq!(listed, [renewed, process("there/2/b")]);
}

pub(crate) async fn a_late_outcome_is_refused(test_db: &TestDb) {
    let (store, other) = (test_db.store().await, test_db.open().await);
    want(&store, ["a".into()]).await;
    let first = claim_one(&store, SignedDuration::ZERO).await;
    let second = claim_one(&other, LEASE).await;
    let dead = Outcome::Dead { error: "late".into() };
    assert!(!store.finish_effect(&first, &dead, now() + LEASE).await.unwrap());
    assert!(other.finish_effect(&second, &Outcome::Done, now() + LEASE).await.unwrap());
    assert!(!other.finish_effect(&second, &dead, now() + LEASE).await.unwrap());
    assert_eq!(count(&store, "SELECT COUNT(*) AS n FROM effects WHERE state = 'DONE'").await, 1);
}

pub(crate) async fn a_retry_waits_for_its_time(test_db: &TestDb) {
    let store = test_db.store().await;
    want(&store, ["a".into()]).await;
    let first = claim_one(&store, SignedDuration::ZERO).await;
    let at = now() + SignedDuration::from_secs(5);
    let retry = Outcome::Retry { error: "busy".into(), at };
    assert!(store.finish_effect(&first, &retry, now()).await.unwrap());
    assert_eq!(store.next_effect().await.unwrap(), Some(at));
    assert_eq!(store.claim_effects(ME, now(), LEASE, 10).await.unwrap(), []);
    let second = claim_one(&store, SignedDuration::from_secs(5)).await;
    assert_eq!(second.attempt, 2);
    let sql = "SELECT COUNT(*) AS n FROM effects WHERE last_error = 'busy'";
    assert_eq!(count(&store, sql).await, 1);
}

pub(crate) async fn dead_effects_stay_down(test_db: &TestDb) {
    let store = test_db.store().await;
    want(&store, ["a".into()]).await;
    let first = claim_one(&store, SignedDuration::ZERO).await;
    let dead = Outcome::Dead { error: "no such printer".into() };
    assert!(store.finish_effect(&first, &dead, now()).await.unwrap());
    assert_eq!(store.next_effect().await.unwrap(), None);
    let much_later = now() + SignedDuration::from_hours(1_000);
    assert_eq!(store.claim_effects(ME, much_later, LEASE, 10).await.unwrap(), []);
    let sql = "SELECT COUNT(*) AS n FROM effects WHERE state = 'DEAD' AND finished_at IS NOT NULL";
    assert_eq!(count(&store, sql).await, 1);
}
