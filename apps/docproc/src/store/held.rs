//! Answers that may still be taken back (§8.2).

use db::{Decision, Error, Row, Tx};
use jiff::Timestamp;
use serde_json::Value as Json;

#[derive(Clone, Debug)]
pub struct HeldRow {
    pub task_id: String,
    pub operator: String,
    /// What was said, as it came.
    pub said: Json,
    pub golden: bool,
    pub due_at: Timestamp,
}

/// Looked at in one turn; the rest follows at once.
const BATCH: i64 = 100;

pub async fn keep(decision: &mut Decision, held: &HeldRow) -> Result<(), Error> {
    let sql = "INSERT INTO held_answers (task_id, operator, said, golden, due_at)
               VALUES ($1, $2, $3, $4, $5)";
    let args = [
        held.task_id.as_str().into(),
        held.operator.as_str().into(),
        held.said.clone().into(),
        i64::from(held.golden).into(),
        held.due_at.into(),
    ];
    decision.tx.execute(sql, &args).await.map(drop)
}

pub async fn find(tx: &mut Tx, task: &str) -> Result<Option<HeldRow>, Error> {
    let sql = "SELECT * FROM held_answers WHERE task_id = $1";
    tx.optional(sql, &[task.into()]).await?.as_ref().map(held).transpose()
}

/// Tasks whose answers count by now, with their requests, longest due first.
pub async fn due(tx: &mut Tx, now: Timestamp) -> Result<Vec<(String, String)>, Error> {
    let sql = "SELECT h.task_id, t.request_id FROM held_answers h
               JOIN review_tasks t ON t.id = h.task_id
               WHERE h.due_at <= $1 ORDER BY h.due_at, h.task_id LIMIT $2";
    let rows = tx.all(sql, &[now.into(), BATCH.into()]).await?;
    rows.iter().map(|row| Ok((row.get("task_id")?, row.get("request_id")?))).collect()
}

/// When the next one counts.
pub async fn next(tx: &mut Tx) -> Result<Option<Timestamp>, Error> {
    tx.one("SELECT MIN(due_at) AS at FROM held_answers", &[]).await?.maybe("at")
}

pub async fn remove(decision: &mut Decision, task: &str) -> Result<(), Error> {
    let sql = "DELETE FROM held_answers WHERE task_id = $1";
    decision.tx.guarded("held answer", sql, &[task.into()]).await
}

fn held(row: &Row) -> Result<HeldRow, Error> {
    Ok(HeldRow {
        task_id: row.get("task_id")?,
        operator: row.get("operator")?,
        said: row.get("said")?,
        golden: row.get::<i64>("golden")? != 0,
        due_at: row.get("due_at")?,
    })
}
