//! Numbers that were given out and are not given again.

use serde_json::{Map, Value as Json};
use sqlx::AssertSqlSafe;

use crate::{Dialect, Error, Tx};

/// The highest number each table ever gave out. Rows may be gone since, and a number given twice
/// would hide new events from a reader that has seen the old ones.
pub(super) async fn of(tx: &mut Tx) -> Result<Json, Error> {
    let sql = tx.dialect().pick(
        "SELECT name AS t, seq AS mark FROM sqlite_sequence",
        "SELECT table_name::text AS t, COALESCE(pg_sequence_last_value(
             pg_get_serial_sequence(table_name::text, column_name::text)::regclass), 0) AS mark
         FROM information_schema.columns
         WHERE table_schema = current_schema() AND is_identity = 'YES'",
    );
    let mut marks = Map::new();
    for row in tx.all(sql, &[]).await? {
        marks.insert(row.get("t")?, row.get::<i64>("mark")?.into());
    }
    Ok(marks.into())
}

/// Counters go on from where the source stood, whatever rows came with it.
pub(super) async fn go_on(tx: &mut Tx, marks: &Json) -> Result<(), Error> {
    match tx.dialect() {
        Dialect::Sqlite => {
            for (table, mark) in marks.as_object().into_iter().flatten() {
                let args = [table.as_str().into(), mark.as_i64().unwrap_or(0).into()];
                let raise = "UPDATE sqlite_sequence SET seq = MAX(seq, $2) WHERE name = $1";
                if tx.execute(raise, &args).await? == 0 {
                    let first = "INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)";
                    tx.execute(first, &args).await?;
                }
            }
        }
        Dialect::Postgres => {
            let sql = "SELECT table_name::text AS t, column_name::text AS c
                       FROM information_schema.columns
                       WHERE table_schema = current_schema() AND is_identity = 'YES'";
            for row in tx.all(sql, &[]).await? {
                let (table, column): (String, String) = (row.get("t")?, row.get("c")?);
                let mark = marks[&table].as_i64().unwrap_or(0);
                let sql = format!(
                    "SELECT setval(pg_get_serial_sequence('{table}', '{column}'), mark)
                     FROM (SELECT GREATEST(MAX({column}), $1) AS mark FROM {table}) highest
                     WHERE mark > 0"
                );
                tx.execute(AssertSqlSafe(sql), &[mark.into()]).await?;
            }
        }
    }
    Ok(())
}
