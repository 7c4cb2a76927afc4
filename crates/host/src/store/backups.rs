//! Rows of the backups that the house made by itself.

use std::path::PathBuf;

use db::{Row, Tx};
use jiff::Timestamp;

use crate::backups::plan::History;

/// Rows that tell of backups long gone.
const REMEMBERED: i64 = 1_000;

/// A backup as its row tells of it: who writes it, or on whose disk it is.
pub(crate) struct Written {
    pub(crate) id: i64,
    pub(crate) process: String,
    pub(crate) host: String,
    pub(crate) file: PathBuf,
}

/// How one ended.
pub(crate) struct Ending {
    pub(crate) good: bool,
    pub(crate) told: Option<String>,
    pub(crate) rows: Option<i64>,
    pub(crate) files: Option<i64>,
}

/// A backup that is being written from now on; its id. The first and the last good one stay: by them
/// it is known how long there was none.
pub(crate) async fn begin(
    tx: &mut Tx,
    process: &str,
    host: &str,
    file: String,
    now: Timestamp,
) -> Result<i64, db::Error> {
    let sql = "INSERT INTO backups (process, host, file, state, started_at)
               VALUES ($1, $2, $3, 'RUNNING', $4) RETURNING id";
    let args = [process.into(), host.into(), file.into(), now.into()];
    let id: i64 = tx.one(sql, &args).await?.get("id")?;
    let sql = "DELETE FROM backups WHERE id <= $1 AND state IN ('FAILED', 'REMOVED')
               AND id <> (SELECT MIN(id) FROM backups) AND id <> COALESCE(
                   (SELECT MAX(id) FROM backups WHERE state IN ('GOOD', 'REMOVED')), 0)";
    tx.execute(sql, &[(id - REMEMBERED).into()]).await?;
    Ok(id)
}

pub(crate) async fn end(
    tx: &mut Tx,
    id: i64,
    ending: Ending,
    now: Timestamp,
) -> Result<(), db::Error> {
    let sql = "UPDATE backups SET state = $2, ended_at = $3, told = $4, row_count = $5,
               file_count = $6 WHERE id = $1 AND state = 'RUNNING'";
    let Ending { good, told, rows, files } = ending;
    let state = if good { "GOOD" } else { "FAILED" };
    let args = [id.into(), state.into(), now.into(), told.into(), rows.into(), files.into()];
    tx.execute(sql, &args).await.map(drop)
}

/// Its file is gone.
pub(crate) async fn remove(tx: &mut Tx, id: i64) -> Result<(), db::Error> {
    let sql = "UPDATE backups SET state = 'REMOVED' WHERE id = $1 AND state = 'GOOD'";
    tx.execute(sql, &[id.into()]).await.map(drop)
}

pub(crate) async fn running(tx: &mut Tx) -> Result<Vec<Written>, db::Error> {
    let sql = "SELECT id, process, host, file FROM backups WHERE state = 'RUNNING' LIMIT 100";
    tx.all(sql, &[]).await?.iter().map(written).collect()
}

/// Good ones that were not removed, newest first.
pub(crate) async fn good(tx: &mut Tx) -> Result<Vec<Written>, db::Error> {
    let sql = "SELECT id, process, host, file FROM backups WHERE state = 'GOOD'
               ORDER BY id DESC LIMIT 1000";
    tx.all(sql, &[]).await?.iter().map(written).collect()
}

fn written(row: &Row) -> Result<Written, db::Error> {
    Ok(Written {
        id: row.get("id")?,
        process: row.get("process")?,
        host: row.get("host")?,
        file: row.get::<String>("file")?.into(),
    })
}

/// Each by a query of its own: however many failed, the last good one is seen behind them.
pub(crate) async fn history(tx: &mut Tx) -> Result<History, db::Error> {
    let sql = "SELECT id FROM backups WHERE state = 'RUNNING' LIMIT 1";
    let running = tx.optional(sql, &[]).await?.is_some();
    let sql = "SELECT started_at FROM backups ORDER BY id LIMIT 1";
    let first = tx.optional(sql, &[]).await?;
    let sql = "SELECT id, started_at, told FROM backups WHERE state IN ('GOOD', 'REMOVED')
               ORDER BY id DESC LIMIT 1";
    let good = tx.optional(sql, &[]).await?;
    let after: i64 = good.as_ref().map(|row| row.get("id")).transpose()?.unwrap_or_default();
    let sql = "SELECT ended_at, told FROM backups WHERE state = 'FAILED' AND id > $1
               ORDER BY id DESC LIMIT 1";
    let failed = tx.optional(sql, &[after.into()]).await?;
    let good = good.map(|row| Ok::<_, db::Error>((row.get("started_at")?, row.maybe("told")?)));
    let failed = failed.map(|row| {
        let told: Option<String> = row.maybe("told")?;
        Ok::<_, db::Error>((row.get("ended_at")?, told.unwrap_or_default()))
    });
    Ok(History {
        running,
        first: first.map(|row| row.get("started_at")).transpose()?,
        good: good.transpose()?,
        failed: failed.transpose()?,
    })
}
