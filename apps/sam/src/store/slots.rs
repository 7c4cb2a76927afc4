//! Slots that wait or were missed, with the rule that held them.

use std::collections::HashMap;

use db::{Error, Tx};
use jiff::{Timestamp, civil::Date};
use serde_json::{Value as Json, json};

use crate::{
    model::{Run, RunnerId, ScheduleId},
    rules::{launch::SlotKey, reason::Reason, world::SlotNote},
};

pub async fn since(
    tx: &mut Tx,
    since: Timestamp,
) -> Result<HashMap<(ScheduleId, RunnerId, Date), SlotNote>, Error> {
    let sql = "SELECT schedule_id, runner_id, slot, missed, reason FROM slots WHERE until >= $1";
    let rows = tx.all(sql, &[since.into()]).await?;
    rows.iter()
        .map(|row| {
            let date: String = row.get("slot")?;
            let date = date.parse().map_err(|_| Error::corrupt(format!("slot = {date:?}")))?;
            let reason: Json = row.get("reason")?;
            let code = reason["code"].as_str().unwrap_or_default().to_owned();
            let key = (ScheduleId(row.get("schedule_id")?), RunnerId(row.get("runner_id")?), date);
            Ok((key, SlotNote { code, missed: row.get("missed")? }))
        })
        .collect()
}

/// Notes why a slot waits; a slot that is missed keeps the reason it last waited for.
pub async fn note(
    tx: &mut Tx,
    key: &SlotKey,
    reason: &Reason,
    missed: bool,
    now: Timestamp,
) -> Result<(), Error> {
    let sql =
        "INSERT INTO slots (schedule_id, runner_id, slot, starts_at, until, missed, reason, at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
               ON CONFLICT (schedule_id, runner_id, slot) DO UPDATE SET missed = excluded.missed,
                 reason = CASE WHEN excluded.missed THEN slots.reason ELSE excluded.reason END,
                 at = excluded.at";
    let reason = json!({ "code": reason.code(), "data": reason.data(), "until": reason.until() });
    let args = [
        key.schedule.into(),
        key.runner.into(),
        key.slot.date.to_string().into(),
        key.slot.start.into(),
        key.slot.until.into(),
        missed.into(),
        reason.into(),
        now.into(),
    ];
    tx.execute(sql, &args).await.map(drop)
}

/// A slot that is over without a run that ended well, for the reason that is known only now.
pub async fn over(tx: &mut Tx, run: &Run, reason: &Reason, now: Timestamp) -> Result<(), Error> {
    let (Some(schedule), Some(slot), Some(start)) = (run.schedule, run.slot, run.slot_at) else {
        return Ok(());
    };
    // Nothing refers to a schedule that was removed meanwhile.
    let sql =
        "INSERT INTO slots (schedule_id, runner_id, slot, starts_at, until, missed, reason, at)
               SELECT $1, $2, $3, $4, $5, $6, $7, $8 FROM schedules WHERE id = $1
               ON CONFLICT (schedule_id, runner_id, slot) DO UPDATE SET missed = excluded.missed,
                 reason = excluded.reason, at = excluded.at";
    let reason = json!({ "code": reason.code(), "data": reason.data() });
    let args = [
        schedule.into(),
        run.runner.into(),
        slot.to_string().into(),
        start.into(),
        run.slot_until.unwrap_or(start).into(),
        true.into(),
        reason.into(),
        now.into(),
    ];
    tx.execute(sql, &args).await.map(drop)
}

/// What was noted of a slot does not hold any more: it ran well after all.
pub async fn forget(tx: &mut Tx, run: &Run) -> Result<(), Error> {
    let (Some(schedule), Some(slot)) = (run.schedule, run.slot) else { return Ok(()) };
    let sql = "DELETE FROM slots WHERE schedule_id = $1 AND runner_id = $2 AND slot = $3";
    let args = [schedule.into(), run.runner.into(), slot.to_string().into()];
    tx.execute(sql, &args).await.map(drop)
}

/// A slot that nobody ran.
#[derive(Debug, Clone)]
pub struct Missed {
    pub schedule: ScheduleId,
    pub runner: RunnerId,
    pub starts_at: Timestamp,
    pub until: Timestamp,
    pub code: String,
    /// The run that stood for it, if there was one, and how it ended.
    pub run: Option<i64>,
    pub state: Option<String>,
}

/// How many were missed since.
pub async fn count_missed(tx: &mut Tx, since: Timestamp) -> Result<usize, Error> {
    let sql = "SELECT COUNT(*) AS n FROM slots WHERE missed AND until >= $1";
    let n: i64 = tx.one(sql, &[since.into()]).await?.get("n")?;
    Ok(usize::try_from(n).unwrap_or_default())
}

/// The newest first: so many, behind so many.
pub async fn missed(
    tx: &mut Tx,
    schedule: Option<ScheduleId>,
    since: Timestamp,
    (limit, behind): (usize, usize),
) -> Result<Vec<Missed>, Error> {
    let sql = "SELECT schedule_id, runner_id, starts_at, until, reason FROM slots
               WHERE missed AND until >= $1 AND ($2 = 0 OR schedule_id = $2)
               ORDER BY until DESC, schedule_id, runner_id, starts_at LIMIT $3 OFFSET $4";
    let schedule = schedule.map_or(0, |one| one.0);
    let (limit, behind) = (limit as i64, behind as i64);
    let args = [since.into(), schedule.into(), limit.into(), behind.into()];
    let rows = tx.all(sql, &args).await?;
    rows.iter()
        .map(|row| {
            let reason: Json = row.get("reason")?;
            Ok(Missed {
                schedule: ScheduleId(row.get("schedule_id")?),
                runner: RunnerId(row.get("runner_id")?),
                starts_at: row.get("starts_at")?,
                until: row.get("until")?,
                code: reason["code"].as_str().unwrap_or_default().to_owned(),
                run: reason["data"]["ejecucion_id"].as_i64(),
                state: reason["data"]["estado"].as_str().map(str::to_owned),
            })
        })
        .collect()
}

/// Forgets what was missed long ago.
pub async fn prune(tx: &mut Tx, before: Timestamp) -> Result<(), Error> {
    tx.execute("DELETE FROM slots WHERE until < $1", &[before.into()]).await.map(drop)
}

/// When the oldest slot that is known ended.
pub async fn oldest(tx: &mut Tx) -> Result<Option<Timestamp>, Error> {
    tx.one("SELECT MIN(until) AS at FROM slots", &[]).await?.maybe("at")
}
