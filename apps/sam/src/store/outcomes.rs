//! What becomes of runs after they were accepted: tries of a slot, what should have begun, what is to be
//! stopped, what the Control Room said.

use std::collections::{HashMap, HashSet};

use db::{Error, Row, Tx};
use engine::Word as _;
use jiff::{Timestamp, civil::Date};

use super::runs::{bounded, step};
use crate::{
    model::{RobotId, Run, RunId, RunState, RunnerId, ScheduleId},
    rules::world::Retrying,
};

/// A slot of a schedule on a runner.
pub type Key = (ScheduleId, RunnerId, Date);

fn key(row: &Row) -> Result<Key, Error> {
    let date: String = row.get("slot")?;
    let date = date.parse().map_err(|_| Error::corrupt(format!("slot = {date:?}")))?;
    Ok((ScheduleId(row.get("schedule_id")?), RunnerId(row.get("runner_id")?), date))
}

/// Runs that stood for the same slot, this one included.
pub async fn tries(tx: &mut Tx, run: &Run) -> Result<i64, Error> {
    let (Some(schedule), Some(slot)) = (run.schedule, run.slot) else { return Ok(1) };
    let sql = "SELECT COUNT(*) AS n FROM runs
               WHERE schedule_id = $1 AND runner_id = $2 AND slot = $3 AND attempts > 0
                 AND closing IS DISTINCT FROM 'DESPLIEGUE'";
    let args = [schedule.0.into(), run.runner.into(), slot.to_string().into()];
    tx.one(sql, &args).await?.get("n")
}

/// Slots between two tries, by the try that failed last.
pub async fn retries(tx: &mut Tx, since: Timestamp) -> Result<HashMap<Key, Retrying>, Error> {
    let sql = "SELECT id, schedule_id, runner_id, slot, state, retry_at FROM runs
               WHERE retry_at IS NOT NULL AND claimed_at >= $1 ORDER BY id";
    let rows = tx.all(sql, &[since.into()]).await?;
    rows.iter()
        .map(|row| {
            let run = RunId(row.get("id")?);
            let state = row.word("state", RunState::from_word)?;
            Ok((key(row)?, Retrying { run, state, at: row.get("retry_at")? }))
        })
        .collect()
}

/// What ran well: robot, runner, start of the slot.
pub async fn done(
    tx: &mut Tx,
    since: Timestamp,
) -> Result<HashSet<(RobotId, RunnerId, Timestamp)>, Error> {
    let sql = "SELECT robot_id, runner_id, slot_at FROM runs WHERE slot_at IS NOT NULL
                 AND claimed_at >= $1 AND state IN ('COMPLETED', 'RUN_COMPLETED')";
    let rows = tx.all(sql, &[since.into()]).await?;
    rows.iter()
        .map(|row| {
            let (robot, runner) = (RobotId(row.get("robot_id")?), RunnerId(row.get("runner_id")?));
            Ok((robot, runner, row.get("slot_at")?))
        })
        .collect()
}

/// Notes that a run should have begun.
pub async fn overdue(tx: &mut Tx, run: &Run, now: Timestamp) -> Result<(), Error> {
    let sql = "UPDATE runs SET overdue_at = $2 WHERE id = $1 AND overdue_at IS NULL AND live";
    tx.guarded("the run went on", sql, &[run.id.into(), now.into()]).await?;
    let detail = Some("aceptada y sin empezar");
    step(tx, run.id, run.state, None, "LANZADOR", detail, now).await
}

/// Somebody wants it stopped; `by` nobody is the house.
pub async fn stopping(
    tx: &mut Tx,
    run: &Run,
    by: Option<&str>,
    reason: &str,
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "UPDATE runs SET stop_at = $2, stop_by = $3, stop_reason = $4 WHERE id = $1";
    tx.execute(sql, &[run.id.into(), now.into(), by.into(), reason.into()]).await?;
    let source = if by.is_some() { "OPERADOR" } else { "LANZADOR" };
    let detail = format!("se pide detenerla: {reason}");
    step(tx, run.id, run.state, None, source, Some(&detail), now).await
}

/// One more line in the life of a run.
pub async fn note(tx: &mut Tx, run: &Run, detail: &str, now: Timestamp) -> Result<(), Error> {
    step(tx, run.id, run.state, None, "LANZADOR", Some(&bounded(detail)), now).await
}

/// What the Control Room says about how it ended.
pub async fn message(tx: &mut Tx, run: RunId, message: &str) -> Result<(), Error> {
    let sql = "UPDATE runs SET message = $2 WHERE id = $1 AND message IS NULL";
    tx.execute(sql, &[run.into(), bounded(message).into()]).await.map(drop)
}

/// In doubt and not found: how often, and what may be it.
pub async fn unfound(
    tx: &mut Tx,
    run: &Run,
    misses: i64,
    suspect: Option<&str>,
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "UPDATE runs SET misses = $2, suspect = $3, updated_at = $4
               WHERE id = $1 AND misses = $5 AND live";
    let args = [run.id.into(), misses.into(), suspect.into(), now.into(), run.misses.into()];
    tx.guarded("the run went on", sql, &args).await
}

/// The last deployments that certainly were.
pub async fn known(tx: &mut Tx, limit: i64) -> Result<Vec<String>, Error> {
    let sql = "SELECT deployment_id FROM runs WHERE deployment_id IS NOT NULL
               ORDER BY id DESC LIMIT $1";
    tx.all(sql, &[limit.into()]).await?.iter().map(|row| row.get("deployment_id")).collect()
}
