//! Processes that die, by SIGKILL, between any two lines.

use std::process::Stdio;

use db::{Store, events};
use jiff::SignedDuration;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
};

use crate::{
    deciding::{Kitchen, ask, bell, entry, kitchen, taken, traces, used},
    test_db::{ME, TestDb, now, scope},
};

const URL: &str = "STORE_CRASH_URL";
const COMMITS: &str = "STORE_CRASH_COMMITS";
const READY: &str = "as far as it gets";

/// What the process to be killed does; without the variable this is a test of nothing.
#[test]
fn doomed() {
    let Ok(url) = std::env::var(URL) else {
        return;
    };
    let commits = std::env::var(COMMITS).is_ok_and(|word| word == "yes");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = Store::open(&url).await.unwrap();
        let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
        decision.command(&Kitchen("norte"), ask("ana")).await.unwrap().unwrap();
        decision.effect(bell("bell"));
        decision.audit(entry("ana"));
        let open = if commits {
            decision.commit().await.unwrap();
            None
        } else {
            Some(decision)
        };
        println!("{READY}");
        // The other end never writes: this waits for the kill, or for the end of the test.
        std::io::stdin().read_line(&mut String::new()).unwrap();
        drop(open);
    });
}

async fn until_ready(test_db: &TestDb, commits: &str) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crashing::doomed", "--nocapture"])
        .env(URL, &test_db.url)
        .env(COMMITS, commits)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    loop {
        let line = lines.next_line().await.unwrap();
        if line.expect("the process gets that far").contains(READY) {
            return child;
        }
    }
}

pub(crate) async fn what_committed_outlives_its_process(test_db: &TestDb) {
    let store = test_db.store().await;
    kitchen(&store, "norte", 5).await;
    until_ready(test_db, "yes").await.kill().await.unwrap();
    let heir = test_db.open().await;
    assert_eq!(traces(&heir).await, [1; 4]);
    assert_eq!(used(&heir, "norte").await, 1);
    let events = events::since(&mut heir.read().await.unwrap(), 0).await.unwrap();
    assert_eq!(events.len(), 1);
    let rest = events::since(&mut heir.read().await.unwrap(), events[0].seq).await.unwrap();
    assert_eq!(rest, [], "nothing is delivered twice");
    let lease = SignedDuration::from_secs(60);
    let claimed = heir.claim_effects(ME, now(), lease, 10).await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!(store.claim_effects(ME, now(), lease, 10).await.unwrap(), []);
}

pub(crate) async fn what_did_not_commit_dies_with_its_process(test_db: &TestDb) {
    let store = test_db.store().await;
    kitchen(&store, "norte", 5).await;
    until_ready(test_db, "no").await.kill().await.unwrap();
    // The lock died too: this does not wait for any time-out, or it would fail.
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    assert_eq!(traces(&store).await, [0; 4]);
    decision.command(&Kitchen("norte"), ask("bea")).await.unwrap().unwrap();
    decision.commit().await.unwrap();
    assert_eq!(used(&store, "norte").await, 1);
}

pub(crate) async fn a_store_dropped_after_commit_loses_nothing(test_db: &TestDb) {
    let store = test_db.store().await;
    let mut decision = store.decide(&scope("norte"), now()).await.unwrap();
    decision.emit(taken("ana"));
    let committed = decision.commit().await.unwrap();
    drop(store);
    let reopened = test_db.open().await;
    let events = events::since(&mut reopened.read().await.unwrap(), 0).await.unwrap();
    assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), committed.events);
    reopened.close().await;
    let closed = reopened.decide(&scope("norte"), now()).await;
    assert!(closed.is_err_and(|error| error.is_unavailable()));
}
