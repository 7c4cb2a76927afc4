//! Several processes on one scope take turns.

use std::collections::HashMap;

use db::{Decision, Dialect, Hold, Store, audit, events};

use crate::{
    deciding::{Kitchen, SPENDINGS, ask, entry, kitchen, taken, used},
    test_db::{TestDb, count, now, scope},
};

const SCOPES: [&str; 8] = ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"];

async fn processes(test_db: &TestDb, number: usize) -> Vec<Store> {
    let mut stores = vec![test_db.store().await];
    while stores.len() < number {
        stores.push(test_db.open().await);
    }
    stores
}

pub(crate) async fn a_limit_is_never_passed(test_db: &TestDb) {
    const CAPACITY: i64 = 30;
    let stores = processes(test_db, 4).await;
    kitchen(&stores[0], "norte", CAPACITY).await;
    let tasks: Vec<_> = (0..8)
        .map(|task| {
            let store = stores[task % stores.len()].clone();
            tokio::spawn(async move {
                let mut won = 0;
                for _ in 0..8 {
                    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
                    let answer = decision.command(&Kitchen("norte"), ask("ana")).await.unwrap();
                    decision.commit().await.unwrap();
                    won += i64::from(answer.is_ok());
                }
                won
            })
        })
        .collect();
    let mut won = 0;
    for task in tasks {
        won += task.await.unwrap();
    }
    assert_eq!(won, CAPACITY, "64 asked, every test_db was given once");
    assert_eq!(used(&stores[0], "norte").await, CAPACITY);
    assert_eq!(count(&stores[0], SPENDINGS).await, CAPACITY);
    assert_eq!(count(&stores[0], "SELECT COUNT(*) AS n FROM events").await, CAPACITY);
}

async fn hold(store: Store, part: Option<&'static str>) -> Decision {
    let mut decision = store.decide_all(&[], now()).await.unwrap();
    let (whole, part) = (scope("queue"), part.map(scope));
    let hold = Hold { scope: &whole, part: part.as_ref(), lightly: true };
    decision.hold_as(hold).await.unwrap();
    decision
}

/// Parts of a scope are held side by side, each by one; the whole is held alone.
pub(crate) async fn parts_are_held_side_by_side(test_db: &TestDb) {
    let stores = processes(test_db, 2).await;
    if stores[0].dialect() == Dialect::Sqlite {
        // It has one writer at a time, whatever they hold.
        return;
    }
    kitchen(&stores[0], "norte", 9).await;
    let mut one = hold(stores[0].clone(), Some("one")).await;
    let two = hold(stores[1].clone(), Some("two")).await;
    let whole = tokio::spawn(hold(stores[1].clone(), None));
    one.command(&Kitchen("norte"), ask("ana")).await.unwrap().unwrap();
    assert!(!whole.is_finished());
    one.commit().await.unwrap();
    assert_eq!(used(&stores[1], "norte").await, 1, "seen by all, whatever the disk has");
    assert!(!whole.is_finished(), "somebody holds the other part");
    two.commit().await.unwrap();
    let whole = whole.await.unwrap();
    let same = tokio::spawn(hold(stores[0].clone(), Some("one")));
    assert!(!same.is_finished());
    whole.commit().await.unwrap();
    same.await.unwrap().commit().await.unwrap();
}

/// A reader that remembers only the last number it saw misses nothing and sees nothing twice.
pub(crate) async fn numbers_follow_commits(test_db: &TestDb) {
    const ROUNDS: usize = 10;
    let stores = processes(test_db, 4).await;
    let mut writers = Vec::new();
    for (task, name) in SCOPES.into_iter().enumerate() {
        let store = stores[task % stores.len()].clone();
        writers.push(tokio::spawn(async move {
            let mut seqs = Vec::new();
            for round in 0..ROUNDS {
                let mut decision = store.decide(&scope(name), now()).await.unwrap();
                decision.emit(taken(name));
                if round % 2 == 0 {
                    decision.emit(taken(name));
                }
                // Every third is given up, which leaves gaps in the numbers of some databases.
                if round % 3 == 2 {
                    drop(decision);
                } else {
                    seqs.extend(decision.commit().await.unwrap().events);
                }
            }
            (name, seqs)
        }));
    }
    let reader = test_db.open().await;
    let mut seen: Vec<(i64, String)> = Vec::new();
    let mut running = true;
    while running {
        running = writers.iter().any(|writer| !writer.is_finished());
        let last = seen.last().map_or(0, |(seq, _)| *seq);
        let batch = events::since(&mut reader.read().await.unwrap(), last).await.unwrap();
        seen.extend(batch.into_iter().map(|event| (event.seq, event.subject.unwrap())));
    }
    assert!(seen.is_sorted_by(|(a, _), (b, _)| a < b));
    let mut by_writer: HashMap<String, Vec<i64>> = HashMap::new();
    for (seq, who) in seen {
        by_writer.entry(who).or_default().push(seq);
    }
    for writer in writers {
        let (name, seqs) = writer.await.unwrap();
        assert_eq!(by_writer.remove(name), Some(seqs), "{name}");
    }
    assert!(by_writer.is_empty());
}

pub(crate) async fn the_audit_chain_survives_racing_scopes(test_db: &TestDb) {
    let stores = processes(test_db, 2).await;
    let mut writers = Vec::new();
    for (task, name) in SCOPES.into_iter().enumerate() {
        let store = stores[task % stores.len()].clone();
        writers.push(tokio::spawn(async move {
            for _ in 0..5 {
                let mut decision = store.decide(&scope(name), now()).await.unwrap();
                decision.audit(entry(name));
                decision.audit(entry("second"));
                decision.commit().await.unwrap();
            }
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let mut tx = stores[0].read().await.unwrap();
    assert_eq!(audit::verify(&mut tx).await.unwrap(), None);
    assert_eq!(count(&stores[0], "SELECT COUNT(*) AS n FROM audit").await, 80);
}

/// Only `PostgreSQL` promises this: `SQLite` has one writer at a time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scopes_wait_only_for_themselves() {
    crate::test_db::on_postgres("scopes", async |test_db: &TestDb| {
        let stores = processes(test_db, 2).await;
        kitchen(&stores[0], "norte", 5).await;
        let mut held = stores[0].decide(&scope("norte"), now()).await.unwrap();
        held.command(&Kitchen("norte"), ask("ana")).await.unwrap().unwrap();
        let waiter = stores[1].clone();
        let second = tokio::spawn(async move {
            let mut decision = waiter.decide(&scope("norte"), now()).await.unwrap();
            decision.command(&Kitchen("norte"), ask("bea")).await.unwrap().unwrap();
            decision.commit().await.unwrap()
        });
        for name in SCOPES {
            let mut decision = stores[1].decide(&scope(name), now()).await.unwrap();
            decision.emit(taken(name));
            decision.commit().await.unwrap();
        }
        assert!(!second.is_finished(), "one scope, one decision");
        let first = held.commit().await.unwrap();
        assert!(second.await.unwrap().events > first.events);
        assert_eq!(used(&stores[0], "norte").await, 2);
    })
    .await;
}
