//! Backups by the clock: one process of several writes each, few are kept, and a failure is told.

use std::{path::Path, time::Duration};

use db::{Store, backup};
use host::{App, Clock, Schedule};
use jiff::{SignedDuration, Timestamp};
use testkit::{Setup, TestDb, on_both};

fn ours(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut all: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

async fn count(store: &Store, sql: &'static str) -> i64 {
    store.read().await.unwrap().one(sql, &[]).await.unwrap().get("n").unwrap()
}

fn setup(database: &TestDb, folder: &Path) -> Setup {
    let backups = Some(Schedule {
        every: SignedDuration::from_millis(300),
        keep: 2,
        folder: folder.to_owned(),
        contents: backup::Contents::default(),
    });
    Setup { clock: Clock::Real, backups, ..Setup::at(Timestamp::now(), database) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_process_writes_each_backup_and_the_oldest_go() {
    on_both(async |database: &TestDb| {
        let folder = database.dir.join("kept");
        let setup = setup(database, &folder);
        let one = setup.clone().prepare(App::default()).await.start().await;
        let two = setup.prepare(App::default()).await.start().await;
        let store = one.context().store.clone();
        let mut poll = tokio::time::interval(Duration::from_millis(50));
        let gone = "SELECT COUNT(*) AS n FROM backups WHERE state = 'REMOVED'";
        while count(&store, gone).await < 3 {
            poll.tick().await;
        }
        let together = "SELECT COUNT(*) AS n FROM backups a JOIN backups b ON a.id < b.id
                        WHERE b.started_at < a.ended_at AND a.ended_at IS NOT NULL";
        assert_eq!(count(&store, together).await, 0, "never two at once");
        two.stop().await;
        one.stop().await;
        let kept = ours(&folder);
        assert!((1..=3).contains(&kept.len()), "{kept:?}");
        assert!(kept.iter().all(|path| path.extension().is_some_and(|end| end == "gz")));
        for file in &kept {
            backup::check(file).await.unwrap();
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_that_cannot_be_written_raises_an_alert_until_one_can() {
    let database = TestDb::sqlite();
    let folder = database.dir.join("kept");
    std::fs::write(&folder, "in the way").unwrap();
    let server = setup(&database, &folder).prepare(App::default()).await.start().await;
    let store = server.context().store.clone();
    let mut poll = tokio::time::interval(Duration::from_millis(50));
    let firing = "SELECT COUNT(*) AS n FROM alerts WHERE fingerprint = 'host/backup'
                  AND state = 'FIRING'";
    while count(&store, firing).await == 0 {
        poll.tick().await;
    }
    std::fs::remove_file(&folder).unwrap();
    while count(&store, firing).await > 0 {
        poll.tick().await;
    }
    assert!(!ours(&folder).is_empty());
    server.stop().await;
}
