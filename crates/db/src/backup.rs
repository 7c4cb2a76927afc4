//! One file with every row, taken from one consistent view while the server runs.
//!
//! The file is gzipped JSON lines: a manifest, the rows, a closing line with a checksum. Values are
//! neutral, so a backup of a `SQLite` shop restores into `PostgreSQL` and the other way round.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, BufRead as _, BufReader, BufWriter},
    path::Path,
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};
use sha2::{Digest as _, Sha256};
use sqlx::AssertSqlSafe;

use crate::{Dialect, Error, Scope, Store, Tx, Value, hex};

const FORMAT: i64 = 1;
const PAGE: i64 = 2_000;

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Store(#[from] Error),
    #[error("the file cannot be read or written")]
    File(#[from] io::Error),
    #[error("not a usable backup: {0}")]
    Unusable(String),
}

/// What a backup holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    pub tables: usize,
    pub rows: u64,
}

struct Column {
    name: String,
    kind: String,
}

/// Writes a backup. The file appears under its name only when it is complete.
pub async fn write(store: &Store, path: &Path, now: Timestamp) -> Result<Summary, BackupError> {
    let partial = path.with_extension("partial");
    let mut out =
        Sink::new(GzEncoder::new(BufWriter::new(File::create(&partial)?), Compression::default()));
    let mut tx = store.read().await?;
    out.line(&json!({
        "turno_backup": FORMAT,
        "at": now.to_string(),
        "migrations": ledger(&mut tx).await?,
        "identities": identities(&mut tx).await?,
    }))?;
    let mut summary = Summary { tables: 0, rows: 0 };
    for table in tables(&mut tx).await? {
        summary.tables += 1;
        summary.rows += dump(&mut tx, &table, &mut out).await?;
    }
    let digest = out.digest();
    out.line(&json!({ "end": true, "rows": summary.rows, "sha256": digest }))?;
    out.inner.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    std::fs::rename(&partial, path)?;
    Ok(summary)
}

/// Reads a backup through without changing anything: format, row count, checksum.
pub fn check(path: &Path) -> Result<Summary, BackupError> {
    read(path, |_, _| Ok(()))
}

/// Fills an empty, migrated database; all or nothing.
pub async fn restore(store: &Store, path: &Path) -> Result<Summary, BackupError> {
    check(path)?;
    let mut rows = Vec::new();
    let mut manifest = Json::Null;
    let summary = read(path, |table, row| {
        match table {
            None => manifest = row,
            Some(table) => rows.push((table, row)),
        }
        Ok(())
    })?;
    let mut tx = store.write(&[Scope::new("migrations")]).await?;
    if manifest["migrations"] != ledger(&mut tx).await? {
        let reason = "it was taken with other migrations; restore with the version that wrote it";
        return Err(BackupError::Unusable(reason.into()));
    }
    let mut known = BTreeMap::new();
    for table in tables(&mut tx).await? {
        require_empty(&mut tx, &table).await?;
        let columns = columns_of(&mut tx, &table).await?;
        known.insert(table, columns);
    }
    for (table, row) in rows {
        let columns = known
            .get(&table)
            .ok_or_else(|| BackupError::Unusable(format!("this version has no table {table}")))?;
        insert(&mut tx, &table, columns, &row).await?;
    }
    continue_identities(&mut tx, &manifest["identities"]).await?;
    tx.commit().await?;
    Ok(summary)
}

struct Sink<W: io::Write> {
    inner: W,
    hash: Sha256,
}

impl<W: io::Write> Sink<W> {
    fn new(inner: W) -> Self {
        Self { inner, hash: Sha256::new() }
    }

    fn line(&mut self, value: &Json) -> io::Result<()> {
        let line = value.to_string();
        self.hash.update(&line);
        writeln!(self.inner, "{line}")
    }

    fn digest(&self) -> String {
        hex(&self.hash.clone().finalize())
    }
}

fn read(
    path: &Path,
    mut row: impl FnMut(Option<String>, Json) -> Result<(), BackupError>,
) -> Result<Summary, BackupError> {
    let unusable = |reason: &str| BackupError::Unusable(reason.into());
    let mut hash = Sha256::new();
    let mut tables = BTreeSet::new();
    let mut rows = 0;
    for (number, line) in BufReader::new(GzDecoder::new(File::open(path)?)).lines().enumerate() {
        let line = line.map_err(|_| unusable("it is cut short or is not gzip"))?;
        let mut value: Json =
            serde_json::from_str(&line).map_err(|_| unusable("a line is not JSON"))?;
        if number == 0 {
            if value["turno_backup"] != FORMAT {
                return Err(unusable("the first line is not a manifest of this format"));
            }
            row(None, value)?;
        } else if value["end"] == true {
            let digest = hex(&hash.finalize());
            if value["sha256"] != digest || value["rows"] != rows {
                return Err(unusable("its checksum does not match its contents"));
            }
            return Ok(Summary { tables: tables.len(), rows });
        } else {
            let table = value["table"].as_str().ok_or_else(|| unusable("a row has no table"))?;
            let table = table.to_owned();
            tables.insert(table.clone());
            rows += 1;
            row(Some(table), value["row"].take())?;
        }
        hash.update(&line);
    }
    Err(unusable("it has no closing line"))
}

/// The tables, parents before children: both catalogues list them in order of creation. The ledger
/// comes with the version, and who lived when the backup was taken does not matter later.
async fn tables(tx: &mut Tx) -> Result<Vec<String>, Error> {
    let sql = tx.dialect().pick(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
         AND name NOT IN ('migrations', 'processes') ORDER BY rowid",
        "SELECT relname::text AS name FROM pg_class WHERE relkind = 'r'
         AND relname NOT IN ('migrations', 'processes')
         AND relnamespace = current_schema()::regnamespace ORDER BY oid",
    );
    tx.all(sql, &[]).await?.iter().map(|row| row.get("name")).collect()
}

async fn columns_of(tx: &mut Tx, table: &str) -> Result<Vec<Column>, Error> {
    let sql = tx.dialect().pick(
        "SELECT name, type AS kind FROM pragma_table_info($1) ORDER BY cid",
        "SELECT column_name::text AS name, data_type::text AS kind FROM information_schema.columns
         WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position",
    );
    let rows = tx.all(sql, &[table.into()]).await?;
    rows.iter().map(|r| Ok(Column { name: r.get("name")?, kind: r.get("kind")? })).collect()
}

/// Applied steps by name. Checksums differ between dialects on purpose and are left out.
async fn ledger(tx: &mut Tx) -> Result<Json, Error> {
    let rows = tx.all("SELECT line, name FROM migrations", &[]).await?;
    // Sorted here: the collation of a server is not ours to know.
    let names: Result<BTreeSet<String>, Error> = rows
        .iter()
        .map(|row| Ok(format!("{}/{}", row.get::<String>("line")?, row.get::<String>("name")?)))
        .collect();
    Ok(json!(names?))
}

async fn dump<W: io::Write>(
    tx: &mut Tx,
    table: &str,
    out: &mut Sink<W>,
) -> Result<u64, BackupError> {
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
            out.line(&json!({ "table": table, "row": values }))?;
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

async fn require_empty(tx: &mut Tx, table: &str) -> Result<(), BackupError> {
    let sql = format!("SELECT COUNT(*) AS n FROM {table}");
    if tx.one(AssertSqlSafe(sql), &[]).await?.get::<i64>("n")? > 0 {
        let reason = format!("the target is not empty ({table} has rows); nothing was changed");
        return Err(BackupError::Unusable(reason));
    }
    Ok(())
}

async fn insert(
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

/// The highest number each table ever gave out. Rows may be gone since, and a number given twice
/// would hide new events from a reader that has seen the old ones.
async fn identities(tx: &mut Tx) -> Result<Json, Error> {
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
async fn continue_identities(tx: &mut Tx, marks: &Json) -> Result<(), Error> {
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
