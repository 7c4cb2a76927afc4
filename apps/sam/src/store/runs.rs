//! Runs: every statement that changes one names the state it expects.

use std::collections::HashMap;

use db::{Error, Row, Rows, Tx};
use engine::Word as _;
use jiff::{Timestamp, civil::Date};
use serde_json::Value as Json;

use crate::{
    model::{Closing, Hold, RobotId, Run, RunId, RunState, RunnerId, ScheduleId, Stop},
    rules::launch::Launch,
};

const COLUMNS: &str = "id, robot_id, runner_id, user_id, hold, schedule_id, slot, slot_at, state, live, deployment_id, \
     claimed_at, started_at, finished_at, closing, attempts, posted_at, misses, unknown_since, \
     raw_status, cause, slot_until, message, retry_at, overdue_at, suspect, stop_at, stop_by, \
     stop_reason, asked_by, asked_why";

fn read(row: &Row) -> Result<Run, Error> {
    let slot: Option<String> = row.maybe("slot")?;
    let closing: Option<String> = row.maybe("closing")?;
    let closing = closing.map(|word| {
        Closing::from_word(&word).ok_or_else(|| Error::corrupt(format!("closing = {word:?}")))
    });
    Ok(Run {
        id: RunId(row.get("id")?),
        robot: RobotId(row.get("robot_id")?),
        runner: RunnerId(row.get("runner_id")?),
        user_id: row.get("user_id")?,
        hold: row.word("hold", Hold::from_word)?,
        schedule: row.maybe("schedule_id")?.map(ScheduleId),
        slot: slot
            .map(|text| text.parse::<Date>())
            .transpose()
            .map_err(|error| Error::corrupt(format!("slot: {error}")))?,
        slot_at: row.maybe("slot_at")?,
        state: row.word("state", RunState::from_word)?,
        live: row.get("live")?,
        deployment: row.maybe("deployment_id")?,
        claimed_at: row.get("claimed_at")?,
        started_at: row.maybe("started_at")?,
        finished_at: row.maybe("finished_at")?,
        closing: closing.transpose()?,
        attempts: row.get("attempts")?,
        posted_at: row.maybe("posted_at")?,
        misses: row.get("misses")?,
        unknown_since: row.maybe("unknown_since")?,
        raw_status: row.maybe("raw_status")?,
        cause: row.maybe("cause")?,
        slot_until: row.maybe("slot_until")?,
        message: row.maybe("message")?,
        retry_at: row.maybe("retry_at")?,
        overdue_at: row.maybe("overdue_at")?,
        suspect: row.maybe("suspect")?,
        stop: stop(row)?,
        asked_by: row.maybe("asked_by")?,
        asked_why: row.maybe("asked_why")?,
    })
}

fn stop(row: &Row) -> Result<Option<Stop>, Error> {
    let at: Option<Timestamp> = row.maybe("stop_at")?;
    let reason: Option<String> = row.maybe("stop_reason")?;
    let by = row.maybe("stop_by")?;
    Ok(at.map(|at| Stop { at, by, reason: reason.unwrap_or_default() }))
}

pub async fn live(tx: &mut Tx) -> Result<Vec<Run>, Error> {
    let sql = db::trusted(format!("SELECT {COLUMNS} FROM runs WHERE live ORDER BY id"));
    tx.all(sql, &[]).await?.iter().map(read).collect()
}

pub async fn find(tx: &mut Tx, id: RunId) -> Result<Option<Run>, Error> {
    let sql = db::trusted(format!("SELECT {COLUMNS} FROM runs WHERE id = $1"));
    tx.optional(sql, &[id.into()]).await?.as_ref().map(read).transpose()
}

/// What was said of the end of these: the Control Room's message, or why they ended so.
pub async fn said(
    tx: &mut Tx,
    runs: impl Iterator<Item = RunId>,
) -> Result<HashMap<RunId, String>, Error> {
    let sql = "SELECT r.id, COALESCE(r.message, r.cause) AS said
               FROM ROWS JOIN runs r ON r.id = v.key
               WHERE r.message IS NOT NULL OR r.cause IS NOT NULL";
    let rows = tx.all_of(sql, &[], &Rows::of(&["key"], runs)).await?;
    rows.iter()
        .map(|row| {
            let said: String = row.get("said")?;
            Ok((RunId(row.get("id")?), said))
        })
        .collect()
}

pub async fn by_deployment(tx: &mut Tx, deployment: &str) -> Result<Option<Run>, Error> {
    let sql = db::trusted(format!("SELECT {COLUMNS} FROM runs WHERE deployment_id = $1"));
    tx.optional(sql, &[deployment.into()]).await?.as_ref().map(read).transpose()
}

/// Which runs are wanted; 0 and nothing stand for all.
#[derive(Debug, Clone, Copy)]
pub struct Narrowing<'a> {
    pub robot: i64,
    pub runner: i64,
    /// Only those that occupy their runner, or only those that do not.
    pub live: Option<bool>,
    pub state: &'a str,
    /// Only those with a smaller id.
    pub before: i64,
}

/// The newest first, at most `limit`.
pub async fn page(tx: &mut Tx, wanted: &Narrowing<'_>, limit: i64) -> Result<Vec<Run>, Error> {
    let sql = db::trusted(format!(
        "SELECT {COLUMNS} FROM runs WHERE ($1 = 0 OR robot_id = $1) AND ($2 = 0 OR runner_id = $2)
           AND ($3 = -1 OR ($3 = 1 AND live) OR ($3 = 0 AND NOT live))
           AND ($4 = '' OR state = $4) AND ($5 = 0 OR id < $5) ORDER BY id DESC LIMIT $6"
    ));
    let args = [
        wanted.robot.into(),
        wanted.runner.into(),
        wanted.live.map_or(-1_i64, i64::from).into(),
        wanted.state.into(),
        wanted.before.into(),
        limit.into(),
    ];
    tx.all(sql, &args).await?.iter().map(read).collect()
}

/// Who starts a run by hand, and why.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub by: &'a str,
    pub why: &'a str,
}

/// Claims a runner: from here on it is busy, whatever the Control Room will say.
pub async fn claim(
    tx: &mut Tx,
    launch: &Launch,
    user_id: i64,
    repetitions: i64,
    asked: Option<Asked<'_>>,
    now: Timestamp,
) -> Result<RunId, Error> {
    let sql = "INSERT INTO runs (robot_id, runner_id, user_id, hold, schedule_id, slot, slot_at,
                 slot_taken, state, live, claimed_at, updated_at, repetitions, slot_until, asked_by,
                 asked_why)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'PENDING_EXECUTION', $9, $10, $10, $11,
                 $12, $13, $14) RETURNING id";
    let slot = launch.slot.as_ref();
    let args = [
        launch.robot.into(),
        launch.runner.into(),
        user_id.into(),
        launch.hold.word().into(),
        launch.schedule.map(|one| one.0).into(),
        slot.map(|slot| slot.date.to_string()).into(),
        slot.map(|slot| slot.start).into(),
        slot.is_some().into(),
        true.into(),
        now.into(),
        repetitions.into(),
        slot.map(|slot| slot.until).into(),
        asked.map(|asked| asked.by).into(),
        asked.map(|asked| asked.why).into(),
    ];
    let id = RunId(tx.one(sql, &args).await?.get("id")?);
    let source = if asked.is_some() { "OPERADOR" } else { "LANZADOR" };
    let why = asked.map(|asked| asked.why);
    step(tx, id, RunState::Pending, None, source, why, now).await?;
    Ok(id)
}

/// A deploy is about to be posted: from now on it may exist.
pub async fn posting(tx: &mut Tx, run: &Run, now: Timestamp) -> Result<(), Error> {
    let sql = "UPDATE runs SET posted_at = $2, attempts = attempts + 1, updated_at = $2
               WHERE id = $1 AND state = 'PENDING_EXECUTION' AND posted_at IS NULL";
    tx.guarded("the run is being posted", sql, &[run.id.into(), now.into()]).await
}

/// The deploy certainly did not happen; it may be posted again.
pub async fn unposted(tx: &mut Tx, run: &Run) -> Result<(), Error> {
    let sql = "UPDATE runs SET posted_at = NULL WHERE id = $1 AND state = 'PENDING_EXECUTION'";
    tx.guarded("the run went on", sql, &[run.id.into()]).await
}

/// The Control Room accepted it.
pub async fn deployed(
    tx: &mut Tx,
    run: &Run,
    deployment: &str,
    source: &str,
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "UPDATE runs SET state = 'DEPLOYED', deployment_id = $2, posted_at = NULL,
                 misses = 0, suspect = NULL, updated_at = $3 WHERE id = $1 AND state = 'PENDING_EXECUTION'";
    let args = [run.id.into(), deployment.into(), now.into()];
    tx.guarded("the run went on", sql, &args).await?;
    step(tx, run.id, RunState::Deployed, None, source, Some(deployment), now).await
}

/// Nothing ran: the claim never was, and its slot is open again.
pub async fn withdraw(tx: &mut Tx, run: &Run) -> Result<(), Error> {
    let sql = "DELETE FROM runs WHERE id = $1 AND state = 'PENDING_EXECUTION'";
    tx.execute("DELETE FROM run_steps WHERE run_id = $1", &[run.id.into()]).await?;
    tx.guarded("the run went on", sql, &[run.id.into()]).await
}

/// What was learned of a run that goes on.
#[derive(Debug, Clone)]
pub struct News<'a> {
    pub state: RunState,
    pub raw: &'a str,
    pub started_at: Option<Timestamp>,
    pub source: &'a str,
}

pub async fn told(tx: &mut Tx, run: &Run, news: &News<'_>, now: Timestamp) -> Result<(), Error> {
    let unknown_since = match (news.state, run.state) {
        (RunState::Unknown, RunState::Unknown) => run.unknown_since.or(Some(now)),
        (RunState::Unknown, _) => Some(now),
        _ => None,
    };
    let sql = "UPDATE runs SET state = $2, raw_status = $3, started_at = COALESCE($4, started_at),
                 unknown_since = $5, misses = 0, updated_at = $6
               WHERE id = $1 AND state = $7 AND live";
    let args = [
        run.id.into(),
        news.state.word().into(),
        news.raw.into(),
        news.started_at.into(),
        unknown_since.into(),
        now.into(),
        run.state.word().into(),
    ];
    tx.guarded("the run went on", sql, &args).await?;
    if news.state != run.state || run.raw_status.as_deref() != Some(news.raw) {
        step(tx, run.id, news.state, Some(news.raw), news.source, None, now).await?;
    }
    Ok(())
}

pub async fn missed(tx: &mut Tx, run: &Run, misses: i64, now: Timestamp) -> Result<(), Error> {
    let sql = "UPDATE runs SET misses = $2, updated_at = $3 WHERE id = $1 AND misses = $4 AND live";
    let args = [run.id.into(), misses.into(), now.into(), run.misses.into()];
    tx.guarded("the run went on", sql, &args).await
}

/// How a run ends.
#[derive(Debug, Clone)]
pub struct End<'a> {
    pub state: RunState,
    pub closing: Closing,
    pub raw: Option<&'a str>,
    pub started_at: Option<Timestamp>,
    pub finished_at: Timestamp,
    pub cause: Option<&'a str>,
    pub callback: Option<&'a Json>,
    /// What the Control Room says about it.
    pub message: Option<&'a str>,
    /// Whether the slot is used up.
    pub keeps_slot: bool,
    /// From when on the slot is tried again.
    pub retry_at: Option<Timestamp>,
}

impl<'a> End<'a> {
    /// At this instant and for good: its slot is used up.
    pub const fn new(state: RunState, closing: Closing, finished_at: Timestamp) -> Self {
        Self {
            state,
            closing,
            raw: None,
            started_at: None,
            finished_at,
            cause: None,
            callback: None,
            message: None,
            keeps_slot: true,
            retry_at: None,
        }
    }

    #[must_use]
    pub const fn because(self, cause: &'a str) -> Self {
        Self { cause: Some(cause), ..self }
    }
}

/// Longest message of the Control Room that is kept.
const MESSAGE: usize = 2000;

/// The beginning of a text, as much as is kept.
pub(super) fn bounded(text: &str) -> String {
    text.chars().filter(|one| *one != '\0').take(MESSAGE).collect()
}

/// Closes a live run, once: its runner is free with this commit.
pub async fn close(tx: &mut Tx, run: &Run, end: &End<'_>, now: Timestamp) -> Result<(), Error> {
    let sql = "UPDATE runs SET state = $2, live = $3, closing = $4,
                 raw_status = COALESCE($5, raw_status), started_at = COALESCE($6, started_at),
                 finished_at = $7, cause = $8, callback = COALESCE($9, callback), updated_at = $10,
                 slot_taken = CASE WHEN $11 THEN slot_taken ELSE $3 END, posted_at = NULL,
                 message = COALESCE($13, message), retry_at = $14, suspect = NULL
               WHERE id = $1 AND state = $12 AND live";
    let args = [
        run.id.into(),
        end.state.word().into(),
        false.into(),
        end.closing.word().into(),
        end.raw.into(),
        end.started_at.into(),
        end.finished_at.into(),
        end.cause.into(),
        end.callback.cloned().into(),
        now.into(),
        end.keeps_slot.into(),
        run.state.word().into(),
        end.message.map(bounded).into(),
        end.retry_at.into(),
    ];
    tx.guarded("the run was closed", sql, &args).await?;
    step(tx, run.id, end.state, end.raw, end.closing.word(), end.cause, now).await
}

/// A callback's verdict on a run that was closed without one.
pub async fn overrule(
    tx: &mut Tx,
    run: &Run,
    state: RunState,
    raw: &str,
    payload: &Json,
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "UPDATE runs SET state = $2, raw_status = $3, closing = 'CALLBACK', callback = $4,
                 updated_at = $5
               WHERE id = $1 AND state = $6 AND NOT live AND closing <> 'CALLBACK'";
    let args = [
        run.id.into(),
        state.word().into(),
        raw.into(),
        payload.clone().into(),
        now.into(),
        run.state.word().into(),
    ];
    tx.guarded("the run has its verdict", sql, &args).await?;
    step(tx, run.id, state, Some(raw), "CALLBACK", None, now).await
}

/// A late result of a run that was given up: information only.
pub async fn late(
    tx: &mut Tx,
    run: &Run,
    raw: &str,
    payload: &Json,
    now: Timestamp,
) -> Result<bool, Error> {
    let sql = "UPDATE runs SET callback = $2, updated_at = $3 WHERE id = $1 AND callback IS NULL";
    let news = tx.execute(sql, &[run.id.into(), payload.clone().into(), now.into()]).await? == 1;
    if news {
        let detail = Some("resultado tardío, solo informativo");
        step(tx, run.id, run.state, Some(raw), "CALLBACK", detail, now).await?;
    }
    Ok(news)
}

pub(super) async fn step(
    tx: &mut Tx,
    run: RunId,
    state: RunState,
    told: Option<&str>,
    source: &str,
    detail: Option<&str>,
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "INSERT INTO run_steps (run_id, at, state, told, source, detail)
               VALUES ($1, $2, $3, $4, $5, $6)";
    let args =
        [run.into(), now.into(), state.word().into(), told.into(), source.into(), detail.into()];
    tx.execute(sql, &args).await.map(drop)
}

/// One step of a run's life.
#[derive(Debug, Clone)]
pub struct Step {
    pub at: Timestamp,
    pub state: String,
    pub told: Option<String>,
    pub source: String,
    pub detail: Option<String>,
}

pub async fn steps(tx: &mut Tx, run: RunId) -> Result<Vec<Step>, Error> {
    let sql = "SELECT at, state, told, source, detail FROM run_steps WHERE run_id = $1
               ORDER BY id LIMIT 500";
    let rows = tx.all(sql, &[run.into()]).await?;
    rows.iter()
        .map(|row| {
            Ok(Step {
                at: row.get("at")?,
                state: row.get("state")?,
                told: row.maybe("told")?,
                source: row.get("source")?,
                detail: row.maybe("detail")?,
            })
        })
        .collect()
}

/// What the callback of a run carried.
pub async fn callback(tx: &mut Tx, run: RunId) -> Result<Option<Json>, Error> {
    let sql = "SELECT callback FROM runs WHERE id = $1";
    tx.optional(sql, &[run.into()]).await?.map_or(Ok(None), |row| row.maybe("callback"))
}

/// Forgets what ended long ago.
pub async fn prune(tx: &mut Tx, before: Timestamp) -> Result<u64, Error> {
    let steps = "DELETE FROM run_steps WHERE run_id IN (SELECT id FROM runs
                   WHERE NOT live AND finished_at < $1 ORDER BY id LIMIT 5000)";
    tx.execute(steps, &[before.into()]).await?;
    let sql = "DELETE FROM runs WHERE id IN (SELECT id FROM runs
                 WHERE NOT live AND finished_at < $1 ORDER BY id LIMIT 5000)";
    tx.execute(sql, &[before.into()]).await
}

/// When the oldest run that is over ended.
pub async fn oldest(tx: &mut Tx) -> Result<Option<Timestamp>, Error> {
    let sql = "SELECT MIN(finished_at) AS at FROM runs WHERE NOT live";
    tx.one(sql, &[]).await?.maybe("at")
}
