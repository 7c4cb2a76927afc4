//! Rows as neutral JSON, out of either database and into either.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};
use sqlx::AssertSqlSafe;

use super::{BackupError, sink::Sink};
use crate::{Dialect, Error, Tx, Value};

/// Rows read at a time: some carry a small document.
const PAGE: i64 = 200;

pub(super) struct Column {
    name: String,
    kind: String,
}

/// The tables, parents before children: both catalogues list them in order of creation. The ledger
/// comes with the version; who lived when the backup was taken does not matter later, nor which
/// backups lay on a disk then.
pub(super) async fn tables(tx: &mut Tx) -> Result<Vec<String>, Error> {
    let sql = tx.dialect().pick(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
         AND name NOT IN ('migrations', 'processes', 'backups') ORDER BY rowid",
        "SELECT relname::text AS name FROM pg_class WHERE relkind = 'r'
         AND relname NOT IN ('migrations', 'processes', 'backups')
         AND relnamespace = current_schema()::regnamespace ORDER BY oid",
    );
    tx.all(sql, &[]).await?.iter().map(|row| row.get("name")).collect()
}

pub(super) async fn columns_of(tx: &mut Tx, table: &str) -> Result<Vec<Column>, Error> {
    let sql = tx.dialect().pick(
        "SELECT name, type AS kind FROM pragma_table_info($1) ORDER BY cid",
        "SELECT column_name::text AS name, data_type::text AS kind FROM information_schema.columns
         WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position",
    );
    let rows = tx.all(sql, &[table.into()]).await?;
    rows.iter().map(|r| Ok(Column { name: r.get("name")?, kind: r.get("kind")? })).collect()
}

/// Applied steps by name. Checksums differ between dialects on purpose and are left out.
pub(super) async fn ledger(tx: &mut Tx) -> Result<BTreeSet<String>, Error> {
    let rows = tx.all("SELECT line, name FROM migrations", &[]).await?;
    // Sorted here: the collation of a server is not ours to know.
    rows.iter()
        .map(|row| Ok(format!("{}/{}", row.get::<String>("line")?, row.get::<String>("name")?)))
        .collect()
}

pub(super) async fn dump(tx: &mut Tx, table: &str, out: &mut Sink) -> Result<u64, BackupError> {
    let columns = columns_of(tx, table).await?;
    let fetch = match tx.dialect() {
        Dialect::Sqlite => format!(
            "SELECT *, rowid AS position_in_file FROM {table} WHERE rowid >= $1
             ORDER BY rowid LIMIT {PAGE}"
        ),
        // A cursor, because PostgreSQL has no cheap position to continue from.
        Dialect::Postgres => {
            let sql = format!("DECLARE backup_{table} NO SCROLL CURSOR FOR SELECT * FROM {table}");
            tx.execute(AssertSqlSafe(sql), &[]).await?;
            format!("FETCH {PAGE} FROM backup_{table}")
        }
    };
    let mut from = Some(i64::MIN);
    let mut written = 0;
    while let Some(start) = from {
        let args = tx.dialect().pick(vec![Value::from(start)], Vec::new());
        let rows = tx.all(AssertSqlSafe(fetch.clone()), &args).await?;
        for row in &rows {
            let mut values = Map::new();
            for (index, column) in columns.iter().enumerate() {
                values.insert(column.name.clone(), row.json_at(index)?);
            }
            out.line(json!({ "table": table, "row": values })).await?;
        }
        written += rows.len() as u64;
        from = match (rows.last(), tx.dialect()) {
            (Some(last), Dialect::Sqlite) => last.get::<i64>("position_in_file")?.checked_add(1),
            (Some(_), Dialect::Postgres) => Some(start),
            (None, _) => None,
        };
    }
    Ok(written)
}

pub(super) async fn require_empty(tx: &mut Tx, table: &str) -> Result<(), BackupError> {
    let sql = format!("SELECT COUNT(*) AS n FROM {table}");
    if tx.one(AssertSqlSafe(sql), &[]).await?.get::<i64>("n")? > 0 {
        let reason = format!("the target is not empty ({table} has rows); nothing was changed");
        return Err(BackupError::Unusable(reason));
    }
    Ok(())
}

pub(super) async fn insert(
    tx: &mut Tx,
    table: &str,
    columns: &[Column],
    row: &Json,
) -> Result<(), BackupError> {
    let names: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
    let marks: Vec<_> = (1..=columns.len()).map(|n| format!("${n}")).collect();
    let sql = format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), marks.join(", "));
    let values = columns
        .iter()
        .map(|column| native(&column.kind, &row[&column.name]))
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| BackupError::Unusable(format!("a row of {table} has a wrong value")))?;
    tx.execute(AssertSqlSafe(sql), &values).await?;
    Ok(())
}

/// A neutral value as the target column wants it.
fn native(kind: &str, value: &Json) -> Option<Value> {
    let instant = |value: &Json| match value {
        Json::String(text) => text.parse::<Timestamp>().ok(),
        other => other.as_i64().and_then(|micros| Timestamp::from_microsecond(micros).ok()),
    };
    if value.is_null() {
        return Some(match kind {
            "timestamp with time zone" => Value::Time(None),
            "boolean" => Value::Bool(None),
            "jsonb" => Value::Json(None),
            "bigint" | "INTEGER" => Value::Int(None),
            "double precision" | "REAL" => Value::Real(None),
            "bytea" | "BLOB" => Value::Bytes(None),
            _ => Value::Text(None),
        });
    }
    Some(match kind {
        "timestamp with time zone" => Value::Time(Some(instant(value)?)),
        "boolean" => Value::Bool(Some(value.as_bool().or(value.as_i64().map(|n| n != 0))?)),
        "jsonb" => match value {
            Json::String(text) => Value::Json(Some(serde_json::from_str(text).ok()?)),
            wrapped => Value::Json(Some(wrapped.get("json")?.clone())),
        },
        "bigint" => Value::Int(Some(value.as_i64()?)),
        "INTEGER" => match value {
            Json::Bool(flag) => Value::Int(Some(i64::from(*flag))),
            Json::String(_) => Value::Int(Some(instant(value)?.as_microsecond())),
            number => Value::Int(Some(number.as_i64()?)),
        },
        "double precision" | "REAL" => Value::Real(Some(value.as_f64()?)),
        "bytea" | "BLOB" => Value::Bytes(Some(crate::unhex(value.as_str()?)?)),
        _ => match value {
            Json::String(text) => Value::Text(Some(text.clone())),
            wrapped => Value::Text(Some(wrapped.get("json")?.to_string())),
        },
    })
}
