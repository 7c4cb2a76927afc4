//! A transaction: statements written once for both databases.

use std::pin::pin;

use futures::{Stream, TryStreamExt as _};
use sqlx::SqlSafeStr;

use crate::{Dialect, Error, Row, Value, rows::Bound, session::Session, writer::Turn};

/// An open transaction. Statements are written once, with `$1` placeholders; one that cannot be
/// shared is chosen with [`Tx::dialect`]. Dropping it without commit rolls back.
#[derive(Debug)]
pub struct Tx {
    inner: Inner,
    /// A statement failed, was cancelled, or met another state than expected. `PostgreSQL` would
    /// answer a commit with a silent rollback, `SQLite` would keep the rest; both refuse instead.
    doomed: bool,
}

#[derive(Debug)]
enum Inner {
    /// Reads.
    Sqlite(sqlx::Transaction<'static, sqlx::Sqlite>),
    /// Writes, in turn with the other decisions of this process.
    Turn(Turn),
    Postgres(Session),
}

impl Tx {
    pub(crate) fn sqlite(tx: sqlx::Transaction<'static, sqlx::Sqlite>) -> Self {
        Self { inner: Inner::Sqlite(tx), doomed: false }
    }

    pub(crate) fn turn(turn: Turn) -> Self {
        Self { inner: Inner::Turn(turn), doomed: false }
    }

    pub(crate) fn postgres(session: Session) -> Self {
        Self { inner: Inner::Postgres(session), doomed: false }
    }

    pub fn dialect(&self) -> Dialect {
        match self.inner {
            Inner::Sqlite(_) | Inner::Turn(_) => Dialect::Sqlite,
            Inner::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Runs a statement and says how many rows it touched.
    pub async fn execute(&mut self, sql: impl SqlSafeStr, args: &[Value]) -> Result<u64, Error> {
        self.run(sql, Bound { args, rows: None }).await
    }

    /// Every row of a query. Callers bound the result with `LIMIT`.
    pub async fn all(&mut self, sql: impl SqlSafeStr, args: &[Value]) -> Result<Vec<Row>, Error> {
        self.fetch(sql, Bound { args, rows: None }).await
    }

    /// Hears the rows of a query one after another, keeping none: what a long answer costs in memory is
    /// what the listener keeps of it.
    pub async fn for_each(
        &mut self,
        sql: impl SqlSafeStr,
        args: &[Value],
        mut hear: impl FnMut(&Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let doomed = std::mem::replace(&mut self.doomed, true);
        self.inner.for_each(sql, Bound { args, rows: None }, &mut hear).await?;
        self.doomed = doomed;
        Ok(())
    }

    pub(crate) async fn run(
        &mut self,
        sql: impl SqlSafeStr,
        bound: Bound<'_>,
    ) -> Result<u64, Error> {
        let doomed = std::mem::replace(&mut self.doomed, true);
        let touched = self.inner.execute(sql, bound).await?;
        self.doomed = doomed;
        Ok(touched)
    }

    pub(crate) async fn fetch(
        &mut self,
        sql: impl SqlSafeStr,
        bound: Bound<'_>,
    ) -> Result<Vec<Row>, Error> {
        let doomed = std::mem::replace(&mut self.doomed, true);
        let rows = self.inner.all(sql, bound).await?;
        self.doomed = doomed;
        Ok(rows)
    }

    pub async fn optional(
        &mut self,
        sql: impl SqlSafeStr,
        args: &[Value],
    ) -> Result<Option<Row>, Error> {
        Ok(self.all(sql, args).await?.into_iter().next())
    }

    /// The single row of a query that always has one, such as a count.
    pub async fn one(&mut self, sql: impl SqlSafeStr, args: &[Value]) -> Result<Row, Error> {
        self.optional(sql, args).await?.ok_or_else(|| Error::corrupt("a row was expected"))
    }

    /// Runs a statement guarded by the state the planner saw: exactly one row must match.
    pub async fn guarded(
        &mut self,
        what: &'static str,
        sql: impl SqlSafeStr,
        args: &[Value],
    ) -> Result<(), Error> {
        if self.execute(sql, args).await? == 1 {
            return Ok(());
        }
        self.doomed = true;
        Err(Error::conflict(what))
    }

    /// Several statements of a migration, without parameters.
    pub(crate) async fn script(&mut self, sql: &'static str) -> Result<(), Error> {
        let doomed = std::mem::replace(&mut self.doomed, true);
        match &mut self.inner {
            Inner::Sqlite(tx) => sqlx::raw_sql(sql).execute(&mut **tx).await.map(|_| ())?,
            Inner::Turn(turn) => {
                sqlx::raw_sql(sql).execute(turn.connection()).await.map(|_| ())?;
            }
            Inner::Postgres(session) => {
                sqlx::raw_sql(sql).execute(session.connection()).await.map(|_| ())?;
            }
        }
        self.doomed = doomed;
        Ok(())
    }

    /// Makes everything visible at once; refused after a statement that did not succeed.
    pub async fn commit(self) -> Result<(), Error> {
        if self.doomed {
            return Err(Error::conflict("a statement of this transaction did not succeed"));
        }
        match self.inner {
            Inner::Sqlite(tx) => tx.commit().await?,
            Inner::Turn(turn) => turn.commit().await?,
            Inner::Postgres(session) => session.commit().await.map_err(Error::of_commit)?,
        }
        Ok(())
    }
}

impl Inner {
    async fn execute(&mut self, sql: impl SqlSafeStr, bound: Bound<'_>) -> Result<u64, Error> {
        Ok(match self {
            Self::Sqlite(tx) => {
                let query = sqlx::query_with(sql, bound.sqlite()?);
                query.execute(&mut **tx).await?.rows_affected()
            }
            Self::Turn(turn) => {
                let query = sqlx::query_with(sql, bound.sqlite()?);
                let done = query.execute(turn.connection()).await;
                done.inspect_err(|error| turn.failed(error))?.rows_affected()
            }
            Self::Postgres(session) => {
                let query = sqlx::query_with(sql, bound.postgres()?);
                query.execute(session.connection()).await?.rows_affected()
            }
        })
    }

    async fn for_each(
        &mut self,
        sql: impl SqlSafeStr,
        bound: Bound<'_>,
        hear: &mut impl FnMut(&Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match self {
            Self::Sqlite(tx) => {
                let rows = sqlx::query_with(sql, bound.sqlite()?).fetch(&mut **tx);
                drain(rows, |row| hear(&Row::Sqlite(row))).await?
            }
            Self::Turn(turn) => {
                let rows = sqlx::query_with(sql, bound.sqlite()?).fetch(turn.connection());
                let heard = drain(rows, |row| hear(&Row::Sqlite(row))).await;
                heard.inspect_err(|error| turn.failed(error))?
            }
            Self::Postgres(session) => {
                let rows = sqlx::query_with(sql, bound.postgres()?).fetch(session.connection());
                drain(rows, |row| hear(&Row::Postgres(row))).await?
            }
        }
    }

    async fn all(&mut self, sql: impl SqlSafeStr, bound: Bound<'_>) -> Result<Vec<Row>, Error> {
        Ok(match self {
            Self::Sqlite(tx) => {
                let query = sqlx::query_with(sql, bound.sqlite()?);
                query.fetch_all(&mut **tx).await?.into_iter().map(Row::Sqlite).collect()
            }
            Self::Turn(turn) => {
                let query = sqlx::query_with(sql, bound.sqlite()?);
                let rows = query.fetch_all(turn.connection()).await;
                let rows = rows.inspect_err(|error| turn.failed(error))?;
                rows.into_iter().map(Row::Sqlite).collect()
            }
            Self::Postgres(session) => {
                let query = sqlx::query_with(sql, bound.postgres()?);
                query
                    .fetch_all(session.connection())
                    .await?
                    .into_iter()
                    .map(Row::Postgres)
                    .collect()
            }
        })
    }
}

/// To the end of the rows, or until the listener leaves: its failure is not the database's.
async fn drain<R>(
    rows: impl Stream<Item = Result<R, sqlx::Error>>,
    mut hear: impl FnMut(R) -> Result<(), Error>,
) -> Result<Result<(), Error>, sqlx::Error> {
    let mut rows = pin!(rows);
    while let Some(row) = rows.try_next().await? {
        if let Err(error) = hear(row) {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}

/// A statement put together at run time. Only for text made of our own words and numbers: values
/// from outside are bound, never written into it.
pub fn trusted(sql: String) -> sqlx::AssertSqlSafe<String> {
    sqlx::AssertSqlSafe(sql)
}
