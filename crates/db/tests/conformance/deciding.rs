//! A decision is all or nothing, and its order is the order of commits.

use std::task::Poll;

use db::{
    Committed, Decided, Decision, Error, Slice, Store, Tx,
    audit::{self, Entry},
    effects::NewEffect,
    events::{self, NewEvent},
};
use engine::Plan;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::test_db::{TestDb, count, now, scope};

const EVENTS: &str = "SELECT COUNT(*) AS n FROM events";
pub(crate) const SPENDINGS: &str = "SELECT COUNT(*) AS n FROM spendings";

/// A kitchen with places to spend: the smallest thing a decision can be about.
pub(crate) struct Kitchen(pub(crate) &'static str);

pub(crate) struct Places {
    used: i64,
    capacity: i64,
}

/// Somebody takes a place, if the planner saw that many in use.
pub(crate) struct Take {
    who: String,
    seen: i64,
}

impl Slice for Kitchen {
    type Snapshot = Places;
    type Change = Take;

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<Places, Error> {
        let sql = "SELECT used, capacity FROM kitchens WHERE name = $1";
        let row = tx.one(sql, &[self.0.into()]).await?;
        Ok(Places { used: row.get("used")?, capacity: row.get("capacity")? })
    }

    async fn apply(&self, decision: &mut Decision, _: &Places, take: &Take) -> Result<(), Error> {
        let spend = "INSERT INTO spendings (kitchen, who) VALUES ($1, $2)";
        let args = [self.0.into(), take.who.as_str().into()];
        decision.tx.execute(spend, &args).await?;
        let sql = "UPDATE kitchens SET used = $3 WHERE name = $1 AND used = $2";
        let args = [self.0.into(), take.seen.into(), (take.seen + 1).into()];
        decision.tx.guarded("places", sql, &args).await?;
        decision.emit(taken(&take.who));
        Ok(())
    }
}

pub(crate) fn taken(who: &str) -> NewEvent {
    NewEvent {
        app: "demo",
        name: "test_db:taken",
        subject: Some(who.into()),
        data: json!({ "who": who }),
    }
}

pub(crate) fn bell(key: &str) -> NewEffect {
    NewEffect { app: "demo", kind: "ring", key: key.into(), payload: json!({ "bell": key }) }
}

pub(crate) fn entry(subject: &str) -> Entry {
    Entry {
        app: "demo",
        actor: "ana".into(),
        role: "ADMIN".into(),
        action: "test_db.take".into(),
        subject: subject.into(),
        before: None,
        after: Some(json!({ "who": subject })),
        reason: Some("test".into()),
    }
}

/// One person asks for one place.
pub(crate) fn ask(who: &str) -> impl FnOnce(&Places) -> Result<Vec<Take>, &'static str> {
    let who = who.to_owned();
    move |places| {
        if places.used < places.capacity {
            Ok(vec![Take { who, seen: places.used }])
        } else {
            Err("full")
        }
    }
}

pub(crate) async fn kitchen(store: &Store, name: &'static str, capacity: i64) {
    let mut decision = store.decide(&scope(name), now()).await.unwrap();
    let sql = "INSERT INTO kitchens (name, used, capacity) VALUES ($1, 0, $2)";
    decision.tx.execute(sql, &[name.into(), capacity.into()]).await.unwrap();
    decision.commit().await.unwrap();
}

pub(crate) async fn used(store: &Store, name: &str) -> i64 {
    let mut tx = store.read().await.unwrap();
    let sql = "SELECT used FROM kitchens WHERE name = $1";
    tx.one(sql, &[name.into()]).await.unwrap().get("used").unwrap()
}

/// Events, effects, audit records and spendings: all a decision can leave behind.
pub(crate) async fn traces(store: &Store) -> [i64; 4] {
    [
        count(store, EVENTS).await,
        count(store, "SELECT COUNT(*) AS n FROM effects").await,
        count(store, "SELECT COUNT(*) AS n FROM audit").await,
        count(store, SPENDINGS).await,
    ]
}

pub(crate) async fn a_commit_shows_everything_at_once(test_db: &TestDb) {
    let (store, other) = (test_db.store().await, test_db.open().await);
    kitchen(&store, "norte", 2).await;
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    decision.command(&Kitchen("norte"), ask("ana")).await.unwrap().unwrap();
    decision.emit(taken("second"));
    decision.effect(bell("once"));
    decision.audit(entry("ana"));
    assert_eq!(traces(&other).await, [0; 4]);
    let committed = decision.commit().await.unwrap();
    assert_eq!(traces(&other).await, [2, 1, 1, 1]);
    let seen = events::since(&mut other.read().await.unwrap(), 0).await.unwrap();
    let numbers: Vec<_> = seen.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, committed.events);
    assert_eq!(seen[0].subject.as_deref(), Some("ana"));
    assert_eq!(seen[1].subject.as_deref(), Some("second"));
    assert_eq!((seen[0].at, &seen[0].data), (now(), &json!({ "who": "ana" })));
    assert_eq!(committed.effects.len(), 1);
}

pub(crate) async fn a_dropped_decision_leaves_no_trace(test_db: &TestDb) {
    let store = test_db.store().await;
    kitchen(&store, "norte", 2).await;
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    decision.command(&Kitchen("norte"), ask("ana")).await.unwrap().unwrap();
    decision.effect(bell("never"));
    decision.audit(entry("ana"));
    drop(decision);
    // The scope is free again at once, and this decision sees what was there before.
    let mut next = store.decide(&scope("norte"), now()).await.unwrap();
    next.command(&Kitchen("norte"), ask("bea")).await.unwrap().unwrap();
    drop(next);
    assert_eq!(traces(&store).await, [0; 4]);
    assert_eq!(used(&store, "norte").await, 0);
}

pub(crate) async fn a_plan_is_applied_and_then_settled(test_db: &TestDb) {
    let store = test_db.store().await;
    kitchen(&store, "norte", 3).await;
    let fill = |places: &Places| {
        let takes = places.used..places.capacity;
        let changes = takes.map(|seen| Take { who: format!("n{seen}"), seen }).collect();
        Plan { changes, held: vec!["late"] }
    };
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    let Decided { snapshot, plan } = decision.plan(&Kitchen("norte"), fill).await.unwrap();
    assert_eq!((snapshot.used, snapshot.capacity), (0, 3), "what it was planned on");
    assert_eq!((plan.changes.len(), plan.held), (3, vec!["late"]));
    let again = decision.plan(&Kitchen("norte"), fill).await.unwrap().plan;
    assert!(again.is_settled(), "a decision sees its own changes");
    assert_eq!(decision.commit().await.unwrap().events.len(), 3);
    let mut later = test_db.open().await.decide(&scope("norte"), now()).await.unwrap();
    assert!(later.plan(&Kitchen("norte"), fill).await.unwrap().plan.is_settled());
    assert_eq!(later.commit().await.unwrap(), Committed::default());
    assert_eq!(used(&store, "norte").await, 3);
}

pub(crate) async fn a_refusal_changes_nothing(test_db: &TestDb) {
    let store = test_db.store().await;
    kitchen(&store, "norte", 0).await;
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    let answer = decision.command(&Kitchen("norte"), ask("ana")).await.unwrap();
    assert_eq!(answer.err(), Some("full"));
    assert_eq!(decision.commit().await.unwrap(), Committed::default());
    assert_eq!(traces(&store).await, [0; 4]);
}

pub(crate) async fn a_lost_guard_takes_everything_back(test_db: &TestDb) {
    let store = test_db.store().await;
    kitchen(&store, "norte", 5).await;
    let stale = |_: &Places| {
        let take = |seen| Take { who: "ana".into(), seen };
        Ok::<_, &str>(vec![take(0), take(7)])
    };
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    decision.effect(bell("never"));
    let lost = decision.command(&Kitchen("norte"), stale).await.err();
    assert!(matches!(lost, Some(Error::Conflict(_))), "{lost:?}");
    let refused = decision.commit().await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    assert_eq!(traces(&store).await, [0; 4]);
    assert_eq!(used(&store, "norte").await, 0);
}

pub(crate) async fn a_failed_statement_dooms_the_decision(test_db: &TestDb) {
    let store = test_db.store().await;
    kitchen(&store, "norte", 5).await;
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    let sql = "UPDATE kitchens SET used = 4 WHERE name = $1";
    decision.tx.execute(sql, &["norte".into()]).await.unwrap();
    let sql = "INSERT INTO kitchens (name, used, capacity) VALUES ($1, 0, 1)";
    let twice = decision.tx.execute(sql, &["norte".into()]).await;
    assert!(matches!(twice, Err(Error::Duplicate { .. })), "{twice:?}");
    assert!(decision.commit().await.is_err(), "what is half done is not kept");
    assert_eq!(used(&store, "norte").await, 0);
    let mut orphan = store.decide(&scope("norte"), now()).await.unwrap();
    let sql = "INSERT INTO spendings (kitchen, who) VALUES ('sur', 'ana')";
    let orphaned = orphan.tx.execute(sql, &[]).await;
    assert!(matches!(orphaned, Err(Error::Database(_))), "{orphaned:?}");
}

pub(crate) async fn a_reader_sees_one_moment(test_db: &TestDb) {
    let (store, other) = (test_db.store().await, test_db.open().await);
    kitchen(&store, "norte", 5).await;
    let sql = "SELECT used FROM kitchens WHERE name = 'norte'";
    let mut reader = other.read().await.unwrap();
    assert_eq!(reader.one(sql, &[]).await.unwrap().get::<i64>("used").unwrap(), 0);
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    decision.command(&Kitchen("norte"), ask("ana")).await.unwrap().unwrap();
    assert_eq!(used(&other, "norte").await, 0, "a reader does not wait for a writer");
    decision.commit().await.unwrap();
    assert_eq!(reader.one(sql, &[]).await.unwrap().get::<i64>("used").unwrap(), 0);
    assert_eq!(used(&other, "norte").await, 1);
}

pub(crate) async fn a_reader_cannot_write(test_db: &TestDb) {
    let store = test_db.store().await;
    let mut reader = store.read().await.unwrap();
    let sql = "INSERT INTO kitchens (name, used, capacity) VALUES ('norte', 0, 1)";
    assert!(reader.execute(sql, &[]).await.is_err());
    assert!(reader.commit().await.is_err());
    assert_eq!(count(&store, "SELECT COUNT(*) AS n FROM kitchens").await, 0);
    store.ping().await.unwrap();
}

pub(crate) async fn a_commit_tells_who_listens(test_db: &TestDb) {
    let store = test_db.store().await;
    let (teller, told) = std::sync::mpsc::channel();
    store.when_committed(move |committed| teller.send(committed.clone()).unwrap());
    let mut dropped = store.decide(&scope("norte"), now()).await.unwrap();
    dropped.wake("cocina");
    drop(dropped);
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    decision.emit(taken("ana"));
    decision.wake("cocina");
    decision.wake("cocina");
    assert!(told.try_recv().is_err(), "nothing is committed yet");
    let committed = decision.commit().await.unwrap();
    assert_eq!(committed.wakes, ["cocina"], "one wake-up is enough");
    assert_eq!(told.try_recv(), Ok(committed));
    assert!(told.try_recv().is_err());
}

/// Drops a future that is not ready after so many polls: at every await, one after the other.
async fn cancelled_after<F: Future>(polls: u32, future: F) -> Option<F::Output> {
    let mut future = std::pin::pin!(future);
    let mut left = polls;
    std::future::poll_fn(|cx| {
        let Some(fewer) = left.checked_sub(1) else {
            return Poll::Ready(None);
        };
        left = fewer;
        future.as_mut().poll(cx).map(Some)
    })
    .await
}

/// A browser that goes away cancels its request anywhere, also inside BEGIN or COMMIT.
pub(crate) async fn a_cancelled_caller_leaves_the_store_usable(test_db: &TestDb) {
    let (store, other) = (test_db.store().await, test_db.open().await);
    kitchen(&store, "norte", 1_000).await;
    let spend = async || {
        let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
        decision.command(&Kitchen("norte"), ask("ana")).await.unwrap().unwrap();
        decision.commit().await.unwrap();
    };
    for polls in 0..40 {
        // Several, so that connections which a reader left in the middle wait for the writer, and
        // a word with another process, so that they are back in their pool by then.
        for _ in 0..4 {
            cancelled_after(polls, store.ping()).await;
        }
        used(&other, "norte").await;
        spend().await;
        cancelled_after(polls, spend()).await;
        store.ping().await.unwrap();
    }
    // A commit that was cancelled may still be on its way; the scope is free when it is through.
    drop(store.decide(&scope("norte"), now()).await.unwrap());
    let places = used(&store, "norte").await;
    assert!(places >= 40);
    assert_eq!(count(&store, SPENDINGS).await, places);
    assert_eq!(count(&store, EVENTS).await, places);
}

pub(crate) async fn events_are_found_by_application_and_name(test_db: &TestDb) {
    let store = test_db.store().await;
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    for (app, name) in [("demo", "a"), ("demo", "b"), ("other", "a")] {
        decision.emit(NewEvent { app, name, subject: None, data: json!({}) });
    }
    let seqs = decision.commit().await.unwrap().events;
    let mut tx = store.read().await.unwrap();
    for (app, name, expected) in [
        (None, None, vec![seqs[2], seqs[1], seqs[0]]),
        (Some("demo"), None, vec![seqs[1], seqs[0]]),
        (None, Some("a"), vec![seqs[2], seqs[0]]),
        (Some("other"), Some("b"), vec![]),
    ] {
        let found = events::latest(&mut tx, i64::MAX, app, name, 10).await.unwrap();
        assert_eq!(found.iter().map(|event| event.seq).collect::<Vec<_>>(), expected);
    }
    let newest = events::latest(&mut tx, seqs[2], None, None, 1).await.unwrap();
    assert_eq!(newest[0].seq, seqs[1]);
    assert_eq!(events::bounds(&mut tx).await.unwrap(), (seqs[0], seqs[2]));
    assert_eq!(audit::verify(&mut tx).await.unwrap(), None);
}

pub(crate) async fn old_events_are_forgotten(test_db: &TestDb) {
    let store = test_db.store().await;
    let mut seqs = Vec::new();
    for hour in 0..3 {
        let at = now() + SignedDuration::from_hours(hour);
        let mut decision = store.decide(&scope("norte"), at).await.unwrap();
        decision.emit(taken("ana"));
        seqs.extend(decision.commit().await.unwrap().events);
    }
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    let before = now() + SignedDuration::from_hours(2);
    assert_eq!(events::prune(&mut decision.tx, before).await.unwrap(), 2);
    decision.emit(taken("bea"));
    let newest = decision.commit().await.unwrap().events[0];
    assert!(newest > seqs[2], "a number is never given twice");
    let mut tx = store.read().await.unwrap();
    assert_eq!(events::bounds(&mut tx).await.unwrap(), (seqs[2], newest));
}
