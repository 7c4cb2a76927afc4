//! Somebody else's database, asked one question.

use futures::TryStreamExt as _;
use sqlx::{Connection as _, Row as _, postgres::PgConnection};

use crate::trusted;

/// Names and counts from a `PostgreSQL` elsewhere: the first two columns of a query that its owner
/// wrote into the settings. It may only read, and the connection is gone afterwards.
///
/// Errors come without the address, which may carry a password.
pub async fn counts(url: &str, query: &str, most: usize) -> Result<Vec<(String, i64)>, String> {
    let mut connection =
        PgConnection::connect(url).await.map_err(|_| "cannot connect".to_owned())?;
    let answer = ask(&mut connection, query, most).await;
    // Nothing was changed; whether the farewell arrives does not matter.
    let _ = connection.close().await;
    answer
}

async fn ask(
    connection: &mut PgConnection,
    query: &str,
    most: usize,
) -> Result<Vec<(String, i64)>, String> {
    let told = |error: sqlx::Error| match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        other => other.to_string(),
    };
    let mut tx = connection.begin().await.map_err(told)?;
    let careful = "SET TRANSACTION READ ONLY; SET LOCAL statement_timeout = '8s'";
    sqlx::raw_sql(careful).execute(&mut *tx).await.map_err(told)?;
    let mut rows = sqlx::query(trusted(query.to_owned())).fetch(&mut *tx);
    let mut counts = Vec::new();
    while let Some(row) = rows.try_next().await.map_err(told)? {
        if counts.len() == most {
            return Err(format!("more than {most} rows"));
        }
        let count = row.try_get::<i64, _>(1).or_else(|_| row.try_get::<i32, _>(1).map(i64::from));
        counts.push((row.try_get::<String, _>(0).map_err(told)?, count.map_err(told)?));
    }
    Ok(counts)
}
