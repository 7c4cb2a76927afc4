use sqlx::{Arguments as _, SqlSafeStr, postgres::PgArguments, sqlite::SqliteArguments};

use crate::{Dialect, Error, Row, Value};

/// An open transaction. Statements are written once, with `$1` placeholders; one that cannot be
/// shared is chosen with [`Tx::dialect`]. Dropping it without commit rolls back.
#[derive(Debug)]
pub struct Tx(Inner);

#[derive(Debug)]
enum Inner {
    Sqlite(sqlx::Transaction<'static, sqlx::Sqlite>),
    Postgres(sqlx::Transaction<'static, sqlx::Postgres>),
}

impl Tx {
    pub(crate) fn sqlite(tx: sqlx::Transaction<'static, sqlx::Sqlite>) -> Self {
        Self(Inner::Sqlite(tx))
    }

    pub(crate) fn postgres(tx: sqlx::Transaction<'static, sqlx::Postgres>) -> Self {
        Self(Inner::Postgres(tx))
    }

    pub fn dialect(&self) -> Dialect {
        match self.0 {
            Inner::Sqlite(_) => Dialect::Sqlite,
            Inner::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Runs a statement and says how many rows it touched.
    pub async fn execute(&mut self, sql: impl SqlSafeStr, args: &[Value]) -> Result<u64, Error> {
        Ok(match &mut self.0 {
            Inner::Sqlite(tx) => {
                let query = sqlx::query_with(sql, sqlite_arguments(args)?);
                query.execute(&mut **tx).await?.rows_affected()
            }
            Inner::Postgres(tx) => {
                let query = sqlx::query_with(sql, postgres_arguments(args)?);
                query.execute(&mut **tx).await?.rows_affected()
            }
        })
    }

    /// Every row of a query. Callers bound the result with `LIMIT`.
    pub async fn all(&mut self, sql: impl SqlSafeStr, args: &[Value]) -> Result<Vec<Row>, Error> {
        Ok(match &mut self.0 {
            Inner::Sqlite(tx) => {
                let query = sqlx::query_with(sql, sqlite_arguments(args)?);
                query
                    .fetch_all(&mut **tx)
                    .await?
                    .into_iter()
                    .map(Row::Sqlite)
                    .collect()
            }
            Inner::Postgres(tx) => {
                let query = sqlx::query_with(sql, postgres_arguments(args)?);
                query
                    .fetch_all(&mut **tx)
                    .await?
                    .into_iter()
                    .map(Row::Postgres)
                    .collect()
            }
        })
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
        self.optional(sql, args)
            .await?
            .ok_or_else(|| Error::corrupt("a row was expected"))
    }

    /// Runs a statement guarded by the state the planner saw: exactly one row must match.
    pub async fn guarded(
        &mut self,
        what: &'static str,
        sql: impl SqlSafeStr,
        args: &[Value],
    ) -> Result<(), Error> {
        match self.execute(sql, args).await? {
            1 => Ok(()),
            _ => Err(Error::conflict(what)),
        }
    }

    /// Several statements of a migration, without parameters.
    pub(crate) async fn script(&mut self, sql: &'static str) -> Result<(), Error> {
        match &mut self.0 {
            Inner::Sqlite(tx) => drop(sqlx::raw_sql(sql).execute(&mut **tx).await?),
            Inner::Postgres(tx) => drop(sqlx::raw_sql(sql).execute(&mut **tx).await?),
        }
        Ok(())
    }

    pub async fn commit(self) -> Result<(), Error> {
        match self.0 {
            Inner::Sqlite(tx) => tx.commit().await?,
            Inner::Postgres(tx) => tx.commit().await?,
        }
        Ok(())
    }
}

fn sqlite_arguments(args: &[Value]) -> Result<SqliteArguments, Error> {
    let mut bound = SqliteArguments::default();
    for arg in args {
        match arg {
            Value::Bool(v) => bound.add(*v),
            Value::Int(v) => bound.add(*v),
            Value::Real(v) => bound.add(*v),
            Value::Text(v) => bound.add(v.clone()),
            Value::Time(v) => bound.add(v.map(jiff::Timestamp::as_microsecond)),
            Value::Json(v) => bound.add(v.as_ref().map(ToString::to_string)),
        }
        .map_err(|error| Error::Database(sqlx::Error::Encode(error)))?;
    }
    Ok(bound)
}

fn postgres_arguments(args: &[Value]) -> Result<PgArguments, Error> {
    let mut bound = PgArguments::default();
    for arg in args {
        match arg {
            Value::Bool(v) => bound.add(*v),
            Value::Int(v) => bound.add(*v),
            Value::Real(v) => bound.add(*v),
            Value::Text(v) => bound.add(v.clone()),
            Value::Time(v) => bound.add(v.map(jiff_sqlx::ToSqlx::to_sqlx)),
            Value::Json(v) => bound.add(v.clone()),
        }
        .map_err(|error| Error::Database(sqlx::Error::Encode(error)))?;
    }
    Ok(bound)
}

/// A statement put together at run time. Only for text made of our own words and numbers: values
/// from outside are bound, never written into it.
pub fn trusted(sql: String) -> sqlx::AssertSqlSafe<String> {
    sqlx::AssertSqlSafe(sql)
}
