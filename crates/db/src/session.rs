//! Connections to `PostgreSQL`, and a transaction on one of them.
//!
//! The connection that was used last is used next: it has the statements prepared, and a house that is
//! not busy needs two or three of them. Nobody asks it whether it lives. The statement that opens a
//! transaction does, and where nobody answers it nothing was decided: another connection opens it.

use std::{
    collections::VecDeque,
    str::FromStr as _,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use sqlx::{
    Executor as _, PgConnection, PgPool, Postgres,
    pool::PoolConnection,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout},
};

use crate::{
    Error,
    database::{BUSY_TIMEOUT, STATEMENTS},
    trusted,
};

const CONNECTIONS: u32 = 12;
/// As long a connection is kept from the pool, which ends those that are old or that nobody needs.
const KEPT: Duration = Duration::from_mins(1);
/// Opening a transaction waits for locks as long as the server lets it, and for a server that is silent
/// no longer than this.
const OPENED_WITHIN: Duration = BUSY_TIMEOUT.saturating_mul(2);
/// Classes of answers of a server that is going, or is not there yet.
const GONE: [&str; 2] = ["08", "57P"];

#[derive(Clone, Debug)]
pub(crate) struct Sessions(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    pool: PgPool,
    /// The last one was used last.
    rested: Mutex<VecDeque<Lent>>,
    /// One for each connection: whoever waits is served in turn.
    permits: Arc<Semaphore>,
}

/// A connection on loan from the pool.
#[derive(Debug)]
struct Lent {
    connection: PoolConnection<Postgres>,
    since: Instant,
}

/// A transaction on a connection of its own.
#[derive(Debug)]
pub(crate) struct Session {
    sessions: Sessions,
    /// Both are given away when the session is dropped, present until then.
    lent: Option<Lent>,
    permit: Option<OwnedSemaphorePermit>,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nobody knows what the server made of it: dropped here, the connection is ended.
    Opening,
    /// Dropped here, the transaction is undone.
    Open,
    Over,
}

impl Sessions {
    pub(crate) async fn open(url: &str) -> Result<Self, Error> {
        let options = PgConnectOptions::from_str(url)?
            .application_name("turno")
            .statement_cache_capacity(STATEMENTS)
            .options([
                ("lock_timeout", "5000"),
                ("statement_timeout", "30000"),
                ("timezone", "UTC"),
            ]);
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(BUSY_TIMEOUT)
            .connect_with(options)
            .await?;
        let permits = Arc::new(Semaphore::new(CONNECTIONS as usize));
        Ok(Self(Arc::new(Inner { pool, rested: Mutex::default(), permits })))
    }

    pub(crate) fn pool(&self) -> &PgPool {
        &self.0.pool
    }

    /// Opens a transaction with these statements.
    pub(crate) async fn begin(&self, opening: String) -> Result<Session, Error> {
        let (began, queue) = (Instant::now(), self.0.permits.clone().acquire_owned());
        let permit = timeout(BUSY_TIMEOUT, queue).await.map_err(|_| sqlx::Error::PoolTimedOut)?;
        let permit = permit.map_err(|_| sqlx::Error::PoolClosed)?;
        let mut session = Session {
            sessions: self.clone(),
            lent: None,
            permit: Some(permit),
            stage: Stage::Over,
        };
        loop {
            session.stage = Stage::Opening;
            session.lent = Some(self.lend().await?);
            let opened = session.connection().execute(trusted(opening.clone()));
            let opened = timeout(OPENED_WITHIN, opened).await;
            match opened.unwrap_or(Err(sqlx::Error::PoolTimedOut)) {
                Ok(_) => {
                    session.stage = Stage::Open;
                    return Ok(session);
                }
                Err(error) if is_gone(&error) && began.elapsed() < BUSY_TIMEOUT => {
                    session.end();
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The connection that was used last, else one of the pool.
    async fn lend(&self) -> Result<Lent, Error> {
        if let Some(lent) = self.with(VecDeque::pop_back) {
            return Ok(lent);
        }
        let connection = self.0.pool.acquire().await?;
        Ok(Lent { connection, since: Instant::now() })
    }

    fn with<T>(&self, act: impl FnOnce(&mut VecDeque<Lent>) -> T) -> T {
        act(&mut self.0.rested.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes a connection back that is in no transaction. The one that rests longest is the pool's
    /// again once it was kept long enough.
    fn take_back(&self, lent: Lent) {
        let over = self.with(|rested| {
            rested.push_back(lent);
            let ends = |lent: &&Lent| lent.since.elapsed() > KEPT || self.0.pool.is_closed();
            rested.front().filter(ends)?;
            rested.pop_front()
        });
        drop(over);
    }

    pub(crate) async fn close(&self) {
        self.0.permits.close();
        // The pool waits for what it has lent; whatever comes back from now on goes there.
        let closing = self.0.pool.close();
        drop(self.with(std::mem::take));
        closing.await;
    }
}

impl Session {
    pub(crate) fn connection(&mut self) -> &mut PgConnection {
        &mut self
            .lent
            .as_mut()
            .expect("a connection is lent until the session is dropped")
            .connection
    }

    pub(crate) async fn commit(mut self) -> Result<(), sqlx::Error> {
        self.connection().execute("COMMIT").await?;
        self.stage = Stage::Over;
        Ok(())
    }

    /// Ends a connection of which nobody knows what is on it.
    fn end(&mut self) {
        if let Some(Lent { mut connection, .. }) = self.lent.take() {
            connection.close_on_drop();
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Without a runtime there is nobody to talk to the server: closed, it undoes by itself.
        let Ok(runtime) = Handle::try_current() else {
            if let Some(lent) = self.lent.take() {
                drop(lent.connection.detach());
            }
            return;
        };
        match self.stage {
            Stage::Opening => self.end(),
            Stage::Over => {
                if let Some(lent) = self.lent.take() {
                    self.sessions.take_back(lent);
                }
            }
            Stage::Open => {
                let (sessions, permit) = (self.sessions.clone(), self.permit.take());
                let Some(mut lent) = self.lent.take() else { return };
                runtime.spawn(async move {
                    match lent.connection.execute("ROLLBACK").await {
                        Ok(_) => sessions.take_back(lent),
                        Err(_) => lent.connection.close_on_drop(),
                    }
                    drop(permit);
                });
            }
        }
    }
}

/// Whether a connection had nobody at its other end.
fn is_gone(error: &sqlx::Error) -> bool {
    use sqlx::Error as E;
    match error {
        E::Io(_) | E::Tls(_) | E::Protocol(_) => true,
        E::Database(said) => {
            said.code().is_some_and(|code| GONE.iter().any(|class| code.starts_with(class)))
        }
        _ => false,
    }
}
