//! The one `SQLite` writer, shared: decisions that come while the disk is busy reach it together.
//!
//! Each decision has its turn alone, in a savepoint of one open transaction. Its commit releases
//! the savepoint and then waits for the transaction that carries it. That transaction is ended by a
//! task that queues for the connection like everyone else: it comes after all who were waiting, so
//! one sync pays for all of them, and whoever comes alone waits for one sync and nothing else.

use std::{
    io, mem,
    sync::Arc,
    task::{Context, Waker},
    time::Duration,
};

use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use tokio::{
    runtime::Handle,
    sync::{Mutex, OwnedMutexGuard, oneshot},
    task::unconstrained,
    time::timeout,
};

use crate::Error;

/// Commits between two checkpoints. The log grows by some twenty megabytes in that time.
const CHECKPOINT: u32 = 256;
const CARRY: &str = "PRAGMA wal_checkpoint(PASSIVE)";

#[derive(Clone, Debug)]
pub(crate) struct Writer {
    options: Arc<SqliteConnectOptions>,
    timeout: Duration,
    batch: Arc<Mutex<Batch>>,
}

/// The transaction that several decisions share, and who waits for it.
#[derive(Debug, Default)]
struct Batch {
    /// None until it is needed, and after a failure.
    connection: Option<SqliteConnection>,
    open: bool,
    /// A task is on its way to end the transaction.
    ending: bool,
    waiting: Vec<oneshot::Sender<Result<(), sqlx::Error>>>,
    log: Log,
    closed: bool,
}

/// How far the last commits are from the log into the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Log {
    /// So many commits since the last checkpoint.
    Filling(u32),
    /// A checkpoint runs beside the decisions.
    Carrying,
    /// It is through; the next commit carries what came meanwhile.
    Carried,
}

impl Default for Log {
    fn default() -> Self {
        Self::Filling(0)
    }
}

/// One decision's time with the connection.
#[derive(Debug)]
pub(crate) struct Turn {
    writer: Writer,
    /// Given away when the turn is dropped, present until then.
    batch: Option<OwnedMutexGuard<Batch>>,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing was written yet.
    Opening,
    /// In its savepoint: dropped here, the turn is undone.
    Open,
    /// Kept by whoever commits the transaction around it.
    Released,
    /// The transaction is gone or in doubt; everyone on it has failed.
    Broken,
}

impl Writer {
    pub(crate) async fn open(
        options: SqliteConnectOptions,
        timeout: Duration,
    ) -> Result<Self, Error> {
        let connection = Some(options.connect().await?);
        let batch = Arc::new(Mutex::new(Batch { connection, ..Batch::default() }));
        Ok(Self { options: Arc::new(options), timeout, batch })
    }

    pub(crate) async fn begin(&self) -> Result<Turn, Error> {
        let queue = timeout(self.timeout, self.batch.clone().lock_owned());
        let batch = queue.await.map_err(|_| sqlx::Error::PoolTimedOut)?;
        if batch.closed {
            return Err(sqlx::Error::PoolClosed.into());
        }
        let mut turn = Turn { writer: self.clone(), batch: Some(batch), stage: Stage::Opening };
        turn.open().await?;
        Ok(turn)
    }

    /// Carries the log over into the database, beside the decisions that go on writing to it. What
    /// they wrote meanwhile is left to the next commit, so that the log can begin anew.
    ///
    /// `SQLite` would do all of it inside the commit that fills a thousand pages, which is every
    /// thirtieth order, and that order would wait for it.
    async fn checkpoint(&self) {
        let carried = async {
            let mut beside = self.options.connect().await?;
            sqlx::query(CARRY).execute(&mut beside).await?;
            beside.close().await
        };
        let log = match carried.await {
            Ok(()) => Log::Carried,
            Err(error) => {
                tracing::warn!(error = %error, "checkpoint failed; the log keeps everything");
                Log::default()
            }
        };
        self.batch.lock().await.log = log;
    }

    /// What `SQLite` counts for this connection: the commits of others that it has noticed. It looks
    /// at the header of the log in shared memory and reads no page.
    pub(crate) async fn version(&self) -> Result<Option<i64>, Error> {
        let mut batch = self.batch.lock().await;
        let Some(connection) = batch.connection.as_mut() else { return Ok(None) };
        let version: i64 = sqlx::query_scalar("PRAGMA data_version").fetch_one(connection).await?;
        Ok(Some(version))
    }

    pub(crate) async fn close(&self) {
        let mut batch = self.batch.lock().await;
        batch.closed = true;
        batch.end().await;
        if let Some(connection) = batch.connection.take() {
            let _ = connection.close().await;
        }
    }
}

impl Turn {
    async fn open(&mut self) -> Result<(), Error> {
        if self.batch().connection.is_none() {
            let connection = self.writer.options.connect().await?;
            self.batch().connection = Some(connection);
        }
        if !mem::replace(&mut self.batch().open, true) {
            self.run("BEGIN IMMEDIATE").await?;
        }
        self.run("SAVEPOINT turn").await?;
        self.stage = Stage::Open;
        Ok(())
    }

    /// Keeps what this turn wrote; returns when it is on disk.
    pub(crate) async fn commit(mut self) -> Result<(), Error> {
        self.stage = Stage::Released;
        self.run("RELEASE turn").await?;
        let (done, outcome) = oneshot::channel();
        self.batch().waiting.push(done);
        drop(self);
        Ok(outcome.await.map_err(|_| sqlx::Error::WorkerCrashed)??)
    }

    pub(crate) fn connection(&mut self) -> &mut SqliteConnection {
        self.batch().connection.as_mut().expect("a turn begins with a connection")
    }

    /// Hears of a failed statement. Some failures take the whole transaction with them, and what
    /// came after would be on its own.
    pub(crate) fn failed(&mut self, error: &sqlx::Error) {
        if ends_transaction(error) {
            self.stage = Stage::Broken;
        }
    }

    fn batch(&mut self) -> &mut Batch {
        self.batch.as_mut().expect("held until the turn is dropped")
    }

    /// Our own statements fail only on a transaction that is not in order.
    async fn run(&mut self, sql: &'static str) -> Result<(), Error> {
        let done = sqlx::query(sql).execute(self.connection()).await;
        if done.is_err() {
            self.stage = Stage::Broken;
        }
        Ok(done.map(drop)?)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some(mut batch) = self.batch.take() else { return };
        let Ok(runtime) = Handle::try_current() else {
            // Everything is coming down; a connection that closes rolls back.
            return batch.fail();
        };
        match self.stage {
            Stage::Broken => batch.fail(),
            Stage::Open => {
                // Nobody has a turn until this one is undone.
                runtime.spawn(async move { batch.undo().await });
            }
            Stage::Opening | Stage::Released => {
                if batch.open && !mem::replace(&mut batch.ending, true) {
                    let mut queue = Box::pin(unconstrained(self.writer.batch.clone().lock_owned()));
                    // Its place in the queue is taken here, not when the task first runs: whoever
                    // comes from now on finds the transaction ended.
                    let _ = queue.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                    let writer = self.writer.clone();
                    runtime.spawn(async move {
                        let mut batch = queue.await;
                        batch.end().await;
                        if matches!(batch.log, Log::Filling(commits) if commits >= CHECKPOINT) {
                            batch.log = Log::Carrying;
                            drop(batch);
                            writer.checkpoint().await;
                        }
                    });
                }
            }
        }
    }
}

impl Batch {
    /// Commits what was released, if anything was, and tells everyone who waits.
    async fn end(&mut self) {
        self.ending = false;
        if !mem::take(&mut self.open) {
            return;
        }
        let waiting = mem::take(&mut self.waiting);
        let outcome = self.run(if waiting.is_empty() { "ROLLBACK" } else { "COMMIT" }).await;
        if let Err(error) = outcome {
            tracing::error!(error = %error, decisions = waiting.len(), "a commit failed");
            self.waiting = waiting;
            return self.fail();
        }
        for one in waiting {
            // Gone means that its caller was cancelled after it had decided.
            let _ = one.send(Ok(()));
        }
        self.log = match self.log {
            Log::Filling(commits) => Log::Filling(commits + 1),
            Log::Carrying => Log::Carrying,
            Log::Carried => {
                // What it leaves in the log, the next checkpoint carries.
                let _ = self.run(CARRY).await;
                Log::default()
            }
        };
    }

    /// Takes back the turn that was just dropped. Those before it stay.
    async fn undo(&mut self) {
        let undone = match self.run("ROLLBACK TO turn").await {
            Ok(()) => self.run("RELEASE turn").await,
            Err(error) => Err(error),
        };
        match undone {
            Err(_) => self.fail(),
            Ok(()) if self.waiting.is_empty() => self.end().await,
            Ok(()) => {}
        }
    }

    async fn run(&mut self, sql: &'static str) -> Result<(), sqlx::Error> {
        match &mut self.connection {
            Some(connection) => sqlx::query(sql).execute(connection).await.map(drop),
            None => Err(sqlx::Error::WorkerCrashed),
        }
    }

    /// Gives the connection up, and with it whatever was not committed.
    fn fail(&mut self) {
        self.open = false;
        self.connection = None;
        for one in mem::take(&mut self.waiting) {
            let reason = io::Error::other("the transaction it shared could not be committed");
            let _ = one.send(Err(sqlx::Error::Io(reason)));
        }
    }
}

/// `SQLite` rolls the transaction back by itself when memory, disk or locks fail. After a refused
/// row (19), a wrong statement (1) or a wrong type (20) it goes on.
fn ends_transaction(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(error) => {
            let code = error.code().and_then(|code| code.parse::<i32>().ok());
            !code.is_some_and(|code| matches!(code & 0xff, 1 | 19 | 20))
        }
        sqlx::Error::Encode(_) | sqlx::Error::Decode(_) | sqlx::Error::ColumnDecode { .. } => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::JoinHandle;

    use super::*;

    struct TestFile(std::path::PathBuf);

    impl Drop for TestFile {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    async fn writer(name: &str) -> (TestFile, Writer) {
        let dir = std::env::temp_dir().join(format!("writer_{name}_{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        let options = SqliteConnectOptions::new().filename(dir.join("db")).create_if_missing(true);
        let writer = Writer::open(options, Duration::from_secs(5)).await.unwrap();
        let mut turn = writer.begin().await.unwrap();
        turn.run("CREATE TABLE kept (name TEXT NOT NULL)").await.unwrap();
        turn.commit().await.unwrap();
        (TestFile(dir), writer)
    }

    async fn write(turn: &mut Turn, name: &str) {
        let insert = sqlx::query("INSERT INTO kept (name) VALUES ($1)").bind(name.to_owned());
        insert.execute(turn.connection()).await.unwrap();
    }

    async fn kept(writer: &Writer) -> Vec<String> {
        let mut turn = writer.begin().await.unwrap();
        let names = sqlx::query_scalar("SELECT name FROM kept ORDER BY rowid");
        names.fetch_all(turn.connection()).await.unwrap()
    }

    /// Waits for its turn, writes its name, and goes on as `then` says.
    fn queued<F>(
        writer: &Writer,
        name: &'static str,
        then: impl FnOnce(Turn) -> F + Send + 'static,
    ) -> JoinHandle<Result<(), Error>>
    where
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        let writer = writer.clone();
        let mut begin = Box::pin(async move { writer.begin().await });
        // The first look takes a place in the queue, so that the order is the order of calls.
        let seen = polled_once(begin.as_mut());
        assert!(seen.is_pending(), "someone has the turn");
        tokio::spawn(async move {
            let mut turn = begin.await?;
            write(&mut turn, name).await;
            then(turn).await
        })
    }

    fn polled_once<F: Future>(work: std::pin::Pin<&mut F>) -> std::task::Poll<F::Output> {
        work.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[tokio::test]
    async fn neighbours_stay_when_one_gives_up() {
        let (_place, writer) = writer("neighbours").await;
        let mut first = writer.begin().await.unwrap();
        write(&mut first, "first").await;
        let second = queued(&writer, "second", |turn| async {
            drop(turn);
            Ok(())
        });
        let third = queued(&writer, "third", Turn::commit);
        first.commit().await.unwrap();
        second.await.unwrap().unwrap();
        third.await.unwrap().unwrap();
        assert_eq!(kept(&writer).await, ["first", "third"]);
    }

    #[tokio::test]
    async fn a_lost_transaction_fails_everyone_on_it_and_nobody_after() {
        let (_place, writer) = writer("lost").await;
        let mut first = writer.begin().await.unwrap();
        write(&mut first, "first").await;
        let second = queued(&writer, "second", |mut turn| async move {
            turn.failed(&sqlx::Error::WorkerCrashed);
            Ok(())
        });
        let third = queued(&writer, "third", Turn::commit);
        let lost = first.commit().await.unwrap_err();
        assert!(lost.is_unavailable(), "{lost:?}");
        second.await.unwrap().unwrap();
        third.await.unwrap().unwrap();
        assert_eq!(kept(&writer).await, ["third"]);
    }

    #[tokio::test]
    async fn a_refused_row_costs_only_its_own_decision() {
        let (_place, writer) = writer("refused").await;
        let mut turn = writer.begin().await.unwrap();
        let refused = sqlx::query("INSERT INTO kept (name) VALUES (NULL)");
        let error = refused.execute(turn.connection()).await.unwrap_err();
        turn.failed(&error);
        assert_eq!(turn.stage, Stage::Open);
    }

    #[tokio::test]
    async fn closing_ends_it() {
        let (_place, writer) = writer("closing").await;
        writer.close().await;
        assert!(writer.begin().await.unwrap_err().is_unavailable());
    }
}
