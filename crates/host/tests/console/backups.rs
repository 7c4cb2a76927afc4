//! Backups by the clock: one process of several writes each, few are kept, and a failure is told.

use std::{path::Path, sync::Arc, time::Duration};

use db::{
    Scope, Store, Tx,
    backup::{self, BackupError, Files, Incoming, Owed},
};
use futures::future::BoxFuture;
use host::{App, Clock, DiskLimits, Schedule};
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

/// Rows of backups of before, as this process finds them.
async fn remember(store: &Store, process: &str, file: &Path, rows: &[(&str, Timestamp)]) {
    let mut decision = store.decide(&Scope::new("test"), Timestamp::now()).await.unwrap();
    let sql = "INSERT INTO backups (process, host, file, state, started_at, ended_at, told)
               VALUES ($1, 'here', $2, $3, $4, $4, NULL)";
    for (state, at) in rows {
        let file = file.display().to_string();
        let args = [process.into(), file.into(), (*state).into(), (*at).into()];
        decision.tx.execute(sql, &args).await.unwrap();
    }
    decision.commit().await.unwrap();
}

const CRITICAL: &str = "SELECT COUNT(*) AS n FROM alerts WHERE fingerprint = 'host/backup'
                        AND state = 'FIRING' AND severity = 'CRITICAL'";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_leaves_the_room_that_is_kept_for_what_was_accepted() {
    let database = TestDb::sqlite();
    let folder = database.dir.join("kept");
    let room = DiskLimits::new(u64::MAX, 0, database.dir.clone());
    let setup = Setup { room, ..setup(&database, &folder) };
    let server = setup.prepare(App::default()).await.start().await;
    let store = server.context().store.clone();
    let mut poll = tokio::time::interval(Duration::from_millis(50));
    let refused = "SELECT COUNT(*) AS n FROM backups WHERE state = 'FAILED'
                   AND told LIKE '%are kept for what was accepted%'";
    while count(&store, refused).await == 0 {
        let good = "SELECT COUNT(*) AS n FROM backups WHERE state = 'GOOD'";
        assert_eq!(count(&store, good).await, 0, "it was written into the reserve");
        poll.tick().await;
    }
    assert_eq!(ours(&folder), Vec::<std::path::PathBuf>::new());
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_good_one_is_seen_behind_any_number_of_failures() {
    on_both(async |database: &TestDb| {
        let folder = database.dir.join("kept");
        std::fs::write(&folder, "in the way").unwrap();
        let mut setup = setup(database, &folder);
        let every = SignedDuration::from_hours(24);
        setup.backups = setup.backups.map(|schedule| Schedule { every, ..schedule });
        let prepared = setup.prepare(App::default()).await;
        let (store, now) = (prepared.context.store.clone(), Timestamp::now());
        let mut rows = vec![("GOOD", now - SignedDuration::from_hours(72))];
        rows.extend([("FAILED", now - SignedDuration::from_mins(1)); 250]);
        remember(&store, "gone/1/a", &folder.join("turno-1.gz"), &rows).await;
        let server = prepared.start().await;
        let mut poll = tokio::time::interval(Duration::from_millis(50));
        let firing = "SELECT COUNT(*) AS n FROM alerts WHERE fingerprint = 'host/backup'";
        while count(&store, firing).await == 0 {
            poll.tick().await;
        }
        assert_eq!(count(&store, CRITICAL).await, 1, "three days without a good one");
        server.stop().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_killed_process_left_unfinished_is_removed() {
    on_both(async |database: &TestDb| {
        let folder = database.dir.join("kept");
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join("turno-1.gz");
        let partial = file.with_extension("partial");
        std::fs::write(&partial, "half of it").unwrap();
        let prepared = setup(database, &folder).prepare(App::default()).await;
        let store = prepared.context.store.clone();
        remember(&store, "gone/1/a", &file, &[("RUNNING", Timestamp::now())]).await;
        let server = prepared.start().await;
        let mut poll = tokio::time::interval(Duration::from_millis(50));
        let good = "SELECT COUNT(*) AS n FROM backups WHERE state = 'GOOD'";
        while count(&store, good).await == 0 {
            poll.tick().await;
        }
        assert!(!partial.exists(), "it lies there for ever");
        server.stop().await;
    })
    .await;
}

/// A place of files that answers no more, like a disk of the network whose server is gone.
#[derive(Debug)]
struct Silent;

impl Files for Silent {
    fn owner(&self) -> &'static str {
        "silent"
    }

    fn address(&self) -> String {
        "nowhere".to_owned()
    }

    fn owed<'a>(
        &'a self,
        _: &'a mut Tx,
        _: Option<&'a Owed>,
    ) -> BoxFuture<'a, Result<Vec<Owed>, BackupError>> {
        Box::pin(std::future::pending())
    }

    fn size<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<u64>, String>> {
        Box::pin(std::future::pending())
    }

    fn part<'a>(&'a self, _: &'a str, _: u64, _: u64) -> BoxFuture<'a, Result<Vec<u8>, String>> {
        Box::pin(std::future::pending())
    }

    fn begin(&self, _: &str) -> Box<dyn Incoming> {
        unreachable!("nothing is restored here")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_that_does_not_end_is_missed_too() {
    let database = TestDb::sqlite();
    let folder = database.dir.join("kept");
    let mut setup = setup(&database, &folder);
    let contents =
        backup::Contents { files: vec![Arc::new(Silent)], ..backup::Contents::default() };
    setup.backups = setup.backups.map(|schedule| Schedule { contents, ..schedule });
    let server = setup.prepare(App::default()).await.start().await;
    let store = server.context().store.clone();
    let mut poll = tokio::time::interval(Duration::from_millis(50));
    while count(&store, CRITICAL).await == 0 {
        poll.tick().await;
    }
    let running = "SELECT COUNT(*) AS n FROM backups WHERE state = 'RUNNING'";
    assert_eq!(count(&store, running).await, 1, "it is still being written");
    server.stop().await;
    assert_eq!(ours(&folder), Vec::<std::path::PathBuf>::new(), "nothing unfinished stays");
}
