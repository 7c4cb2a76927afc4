//! Opens a database and hands out its transactions.

use std::{
    fmt,
    path::Path,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use sha2::{Digest as _, Sha256};
use sqlx::{
    PgPool, SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use tokio::time::{Instant, sleep};

use crate::{Committed, Dialect, Error, Rows, Tx, session::Sessions, writer::Writer};

/// How long a caller waits for a connection or for another process's write before it hears
/// "unavailable". Longer than any decision takes, shorter than a client waits.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Statements kept prepared per connection: more than there are.
pub(crate) const STATEMENTS: usize = 500;
const SQLITE_READERS: u32 = 4;
const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// The capacity being spent: one kitchen, one pool of runners, one budget per minute. Decisions on
/// one scope happen one after another, in every process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope(String);

impl Scope {
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    pub(crate) fn lock_key(&self) -> i64 {
        let digest = Sha256::digest(self.0.as_bytes());
        i64::from_be_bytes(digest[..8].try_into().expect("a digest has 32 bytes"))
    }
}

/// How a scope is held.
#[derive(Clone, Copy, Debug)]
pub struct Hold<'a> {
    pub scope: &'a Scope,
    /// Only this part of it: others hold other parts at the same time, and whoever holds the whole
    /// waits for all of them.
    pub part: Option<&'a Scope>,
    /// The commit does not wait for `PostgreSQL`'s disk. Whatever commits later and is kept keeps it
    /// too; a server that dies before that has never heard of it. So only what costs nothing but
    /// being decided again is decided so.
    pub lightly: bool,
}

/// A handle on the database; cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    pools: Pools,
    pub(crate) told: Told,
}

type Listener = Box<dyn Fn(&Committed) + Send + Sync>;

/// Who is told of every commit of this process, so that nobody has to wait for the next poll.
#[derive(Clone, Default)]
pub(crate) struct Told(Arc<RwLock<Vec<Listener>>>);

impl Told {
    pub(crate) fn tell(&self, committed: &Committed) {
        for listener in &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            listener(committed);
        }
    }
}

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Told")
    }
}

#[derive(Clone, Debug)]
enum Pools {
    Sqlite { writer: Writer, readers: SqlitePool },
    Postgres(Sessions),
}

impl Store {
    /// Opens `postgres://…`, or `sqlite://path` (the file is created when missing).
    pub async fn open(url: &str) -> Result<Self, Error> {
        let pools = if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            Pools::Postgres(Sessions::open(url).await?)
        } else {
            let path = url.strip_prefix("sqlite://").unwrap_or(url);
            open_together(Path::new(path)).await?
        };
        Ok(Self { pools, told: Told::default() })
    }

    pub fn dialect(&self) -> Dialect {
        match self.pools {
            Pools::Sqlite { .. } => Dialect::Sqlite,
            Pools::Postgres(_) => Dialect::Postgres,
        }
    }

    pub(crate) fn postgres(&self) -> Option<&PgPool> {
        match &self.pools {
            Pools::Sqlite { .. } => None,
            Pools::Postgres(sessions) => Some(sessions.pool()),
        }
    }

    /// A number that another one follows once another process has written to the file. What this
    /// process writes leaves it as it is, for it all goes through the one connection that is asked.
    /// `None` where a database tells by itself, and while there is no connection.
    pub async fn written_by_others(&self) -> Result<Option<i64>, Error> {
        match &self.pools {
            Pools::Sqlite { writer, .. } => writer.version().await,
            Pools::Postgres(_) => Ok(None),
        }
    }

    /// A read-only view: one consistent snapshot, never waits for a writer.
    pub async fn read(&self) -> Result<Tx, Error> {
        Ok(match &self.pools {
            Pools::Sqlite { readers, .. } => Tx::sqlite(readers.begin().await?),
            Pools::Postgres(sessions) => Tx::postgres(sessions.begin(READ.to_owned()).await?),
        })
    }

    /// A write transaction that holds the scopes until it ends.
    ///
    /// `SQLite` has one writer at a time anyway; `PostgreSQL` takes the advisory locks in the breath
    /// that opens the transaction, before the first statement that reads, so that every later one sees
    /// what earlier holders committed.
    pub(crate) async fn write(&self, scopes: &[Scope]) -> Result<Tx, Error> {
        Ok(match &self.pools {
            Pools::Sqlite { writer, .. } => Tx::turn(writer.begin().await?),
            Pools::Postgres(sessions) => Tx::postgres(sessions.begin(opening(scopes)).await?),
        })
    }

    /// A write transaction for statements that guard themselves row by row.
    pub(crate) async fn write_unlocked(&self) -> Result<Tx, Error> {
        self.write(&[]).await
    }

    /// Tells `listener` of every decision this handle and its clones commit, from now on.
    pub fn when_committed(&self, listener: impl Fn(&Committed) + Send + Sync + 'static) {
        let mut told = self.told.0.write().unwrap_or_else(PoisonError::into_inner);
        told.push(Box::new(listener));
    }

    /// One round trip, for health checks.
    pub async fn ping(&self) -> Result<(), Error> {
        self.read().await?.one("SELECT 1 AS one", &[]).await.map(drop)
    }

    pub async fn close(&self) {
        match &self.pools {
            Pools::Sqlite { writer, readers } => {
                readers.close().await;
                writer.close().await;
            }
            Pools::Postgres(sessions) => sessions.close().await,
        }
    }
}

impl Tx {
    /// Takes the locks of scopes until the transaction ends, everyone in one order. `SQLite` already
    /// holds the only write lock.
    pub(crate) async fn lock(&mut self, scopes: &[Scope]) -> Result<(), Error> {
        if self.dialect() == Dialect::Sqlite {
            return Ok(());
        }
        let keys = in_order(scopes);
        let sql = "SELECT pg_advisory_xact_lock(key) FROM ROWS";
        self.each(sql, &[], &Rows::of(&["key"], keys)).await.map(drop)
    }

    /// Takes hold of a scope as it says.
    pub(crate) async fn hold(&mut self, hold: Hold<'_>) -> Result<(), Error> {
        if self.dialect() == Dialect::Sqlite {
            return Ok(());
        }
        let mut args = vec![hold.scope.lock_key().into()];
        args.extend(hold.part.map(|part| part.lock_key().into()));
        let lock = match hold.part {
            None => "pg_advisory_xact_lock($1)",
            Some(_) => "pg_advisory_xact_lock_shared($1), pg_advisory_xact_lock($2)",
        };
        let light =
            if hold.lightly { ", set_config('synchronous_commit', 'off', true)" } else { "" };
        let sql = crate::trusted(format!("SELECT {lock}{light}"));
        self.execute(sql, &args).await.map(drop)
    }
}

/// The keys of scopes as everyone takes them.
fn in_order(scopes: &[Scope]) -> Vec<i64> {
    let mut keys: Vec<i64> = scopes.iter().map(Scope::lock_key).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Opens a write transaction of `PostgreSQL` and takes the locks of scopes in one go. The mode is said
/// each time, for a server may have other defaults.
fn opening(scopes: &[Scope]) -> String {
    let keys: Vec<String> = in_order(scopes).iter().map(i64::to_string).collect();
    let locks = match keys.as_slice() {
        [] => String::new(),
        [key] => format!("; SELECT pg_advisory_xact_lock({key})"),
        keys => {
            let keys = keys.join(",");
            format!("; SELECT pg_advisory_xact_lock(key) FROM UNNEST('{{{keys}}}'::bigint[]) key")
        }
    };
    format!("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE{locks}")
}

/// Opens the file as often as it takes, within the time everyone has.
///
/// The first connection turns a new file to write-ahead logging. `SQLite` tells another that comes in
/// this moment "locked" at once, without the waiting it does elsewhere, and nothing rings when the
/// turning is over.
async fn open_together(path: &Path) -> Result<Pools, Error> {
    const PAUSE: Duration = Duration::from_millis(5);
    let began = Instant::now();
    loop {
        match open_sqlite(path).await {
            Err(error) if error.is_locked() && began.elapsed() < BUSY_TIMEOUT => sleep(PAUSE).await,
            settled => return settled,
        }
    }
}

async fn open_sqlite(path: &Path) -> Result<Pools, Error> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // An acknowledged order is on disk: FULL syncs the log at every commit.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .statement_cache_capacity(STATEMENTS)
        // The writer does it beside the commits.
        .pragma("wal_autocheckpoint", "0")
        .busy_timeout(BUSY_TIMEOUT);
    let writer = Writer::open(options.clone(), BUSY_TIMEOUT).await?;
    let readers = SqlitePoolOptions::new()
        .max_connections(SQLITE_READERS)
        .acquire_timeout(BUSY_TIMEOUT)
        .connect_with(options.pragma("query_only", "ON"))
        .await?;
    Ok(Pools::Sqlite { writer, readers })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `SQLite` refuses a second connection while the first turns a new file to write-ahead logging:
    /// without another try this fails within some dozen files.
    #[tokio::test(flavor = "multi_thread")]
    async fn many_open_a_new_file_at_once() {
        let folder = std::env::temp_dir().join(format!("opened_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for round in 0..100 {
            let file = folder.join(format!("{round}.db"));
            let open = |_| {
                let file = file.clone();
                tokio::spawn(async move { open_together(&file).await })
            };
            for opened in (0..8).map(open).collect::<Vec<_>>() {
                opened.await.unwrap().unwrap();
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    /// More commits than fit between two checkpoints are ours; one is another process's.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_file_tells_what_others_wrote_from_what_is_ours() {
        let folder = std::env::temp_dir().join(format!("written_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let url = format!("sqlite://{}", folder.join("a.db").display());
        let (ours, theirs) = (Store::open(&url).await.unwrap(), Store::open(&url).await.unwrap());
        let write = async |store: &Store, sql: &'static str| {
            let mut tx = store.write_unlocked().await.unwrap();
            tx.execute(sql, &[]).await.unwrap();
            tx.commit().await.unwrap();
        };
        write(&ours, "CREATE TABLE t (n INTEGER)").await;
        let before = ours.written_by_others().await.unwrap();
        assert!(before.is_some());
        for _ in 0..600 {
            write(&ours, "INSERT INTO t VALUES (1)").await;
        }
        theirs.ping().await.unwrap();
        assert_eq!(ours.written_by_others().await.unwrap(), before, "nobody else wrote");
        write(&theirs, "INSERT INTO t VALUES (2)").await;
        let after = ours.written_by_others().await.unwrap();
        assert!(after.is_some() && after != before);
        assert_eq!(ours.written_by_others().await.unwrap(), after, "once is enough");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
