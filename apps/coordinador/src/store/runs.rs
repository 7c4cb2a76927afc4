//! Runs: every statement that changes one names the state it expects.

use db::{Error, Row, Rows, Tx, Value, trusted};
use engine::Word as _;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value as Json;

use crate::model::{Cause, Ending, JobType, NodeId, OltId, Run, RunId, RunState};

pub const COLUMNS: &str = "id, node_id, olt_id, job, state, cause, planned_at, asked_at, \
                           started_at, finished_at, ending";

pub fn read(row: &Row) -> Result<Run, Error> {
    Ok(Run {
        id: RunId(row.get("id")?),
        node: NodeId(row.get("node_id")?),
        olt: OltId(row.get("olt_id")?),
        job: row.word("job", JobType::from_word)?,
        state: row.word("state", RunState::from_word)?,
        cause: row.word("cause", Cause::from_word)?,
        planned_at: row.get("planned_at")?,
        asked_at: row.get("asked_at")?,
        started_at: row.maybe("started_at")?,
        finished_at: row.maybe("finished_at")?,
        ending: row.maybe_word("ending", Ending::from_word)?,
    })
}

pub async fn live(tx: &mut Tx) -> Result<Vec<Run>, Error> {
    let sql =
        trusted(format!("SELECT {COLUMNS} FROM node_runs WHERE finished_at IS NULL ORDER BY id"));
    tx.all(sql, &[]).await?.iter().map(read).collect()
}

/// The live runs of these nodes.
pub async fn live_of(tx: &mut Tx, nodes: &[NodeId]) -> Result<Vec<Run>, Error> {
    let keys = Rows::of(&["key"], nodes.iter().copied());
    let sql = format!(
        "SELECT {COLUMNS} FROM ROWS JOIN node_runs r ON r.node_id = v.key
         WHERE r.finished_at IS NULL ORDER BY r.id"
    );
    tx.all_of(&sql, &[], &keys).await?.iter().map(read).collect()
}

pub async fn find(tx: &mut Tx, id: RunId) -> Result<Option<Run>, Error> {
    let sql = trusted(format!("SELECT {COLUMNS} FROM node_runs WHERE id = $1"));
    tx.optional(sql, &[id.into()]).await?.as_ref().map(read).transpose()
}

/// A run that is to be, or that begins with its row.
#[derive(Debug, Clone)]
pub struct NewRun<'a> {
    pub node: NodeId,
    pub olt: OltId,
    pub job: JobType,
    pub cause: Cause,
    pub planned_at: Timestamp,
    pub asked_by: Option<&'a str>,
    /// The run it comes after in a chain.
    pub follows: Option<RunId>,
    /// It starts now; otherwise it waits for its turn.
    pub starts: bool,
    /// In test mode, when it ends.
    pub ends_at: Option<Timestamp>,
    /// The run that it is asked together with.
    pub rides_with: Option<RunId>,
}

impl NewRun<'_> {
    /// One that waits for its turn.
    pub const fn waiting(
        node: NodeId,
        olt: OltId,
        job: JobType,
        cause: Cause,
        planned_at: Timestamp,
    ) -> Self {
        let (asked_by, follows, starts, ends_at, rides_with) = (None, None, false, None, None);
        Self { node, olt, job, cause, planned_at, asked_by, follows, starts, ends_at, rides_with }
    }
}

pub async fn insert(tx: &mut Tx, run: &NewRun<'_>, now: Timestamp) -> Result<RunId, Error> {
    let state = if run.starts { RunState::Running } else { RunState::Pending };
    let sql = "INSERT INTO node_runs (node_id, olt_id, job, state, cause, planned_at, asked_at,
                 asked_by, follows, started_at, ends_at, rides_with)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id";
    let args: [Value; 12] = [
        run.node.into(),
        run.olt.into(),
        run.job.word().into(),
        state.word().into(),
        run.cause.word().into(),
        run.planned_at.into(),
        now.into(),
        run.asked_by.into(),
        run.follows.map(|run| run.0).into(),
        run.starts.then_some(now).into(),
        run.ends_at.into(),
        run.rides_with.map(|run| run.0).into(),
    ];
    Ok(RunId(tx.one(sql, &args).await?.get("id")?))
}

/// A waiting run begins.
pub async fn begin(
    tx: &mut Tx,
    id: RunId,
    ends_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "UPDATE node_runs SET state = 'RUNNING', started_at = $2, ends_at = $3
               WHERE id = $1 AND state = 'PENDING'";
    tx.guarded("the run no longer waits", sql, &[id.into(), now.into(), ends_at.into()]).await
}

/// This process carries it out from here on. `false`: somebody else does, or it is over.
pub async fn take(tx: &mut Tx, id: RunId, worker: &str) -> Result<bool, Error> {
    let sql = "UPDATE node_runs SET worker = $2
               WHERE id = $1 AND state = 'RUNNING' AND worker IS NULL";
    Ok(tx.execute(sql, &[id.into(), worker.into()]).await? == 1)
}

/// How a run ended.
#[derive(Debug, Clone)]
pub struct Ended {
    pub state: RunState,
    pub ending: Option<Ending>,
    pub detail: Option<String>,
    pub summary: Option<Json>,
    /// It is to be run once more at once.
    pub again: bool,
}

impl Ended {
    pub fn success(summary: Json) -> Self {
        let state = RunState::Success;
        Self { state, ending: None, detail: None, summary: Some(summary), again: false }
    }

    pub fn failed(ending: Ending, detail: String) -> Self {
        let (state, ending) = (ending.state(), Some(ending));
        Self { state, ending, detail: Some(detail), summary: None, again: false }
    }

    pub fn interrupted(ending: Ending, summary: Json) -> Self {
        let (state, ending) = (ending.state(), Some(ending));
        Self { state, ending, detail: None, summary: Some(summary), again: false }
    }
}

/// Ends a live run. `false`: it was over already, and this answer comes too late.
pub async fn end(tx: &mut Tx, id: RunId, end: &Ended, now: Timestamp) -> Result<bool, Error> {
    let sql = "UPDATE node_runs SET state = $2, ending = $3, detail = $4, summary = $5,
                 finished_at = $6 WHERE id = $1 AND state IN ('PENDING', 'RUNNING')";
    let args: [Value; 6] = [
        id.into(),
        end.state.word().into(),
        end.ending.map(Ending::word).into(),
        end.detail.clone().into(),
        end.summary.clone().into(),
        now.into(),
    ];
    Ok(tx.execute(sql, &args).await? == 1)
}

/// Live runs that are asked together with this one.
pub async fn riders(tx: &mut Tx, leader: RunId) -> Result<Vec<Run>, Error> {
    let sql = trusted(format!(
        "SELECT {COLUMNS} FROM node_runs WHERE rides_with = $1 AND finished_at IS NULL ORDER BY id"
    ));
    tx.all(sql, &[leader.into()]).await?.iter().map(read).collect()
}

/// Those that this process carries out and that are not over.
pub async fn carried_by(tx: &mut Tx, worker: &str) -> Result<Vec<RunId>, Error> {
    let sql = "SELECT id FROM node_runs WHERE finished_at IS NULL AND worker = $1";
    let rows = tx.all(sql, &[worker.into()]).await?;
    rows.iter().map(|row| Ok(RunId(row.get("id")?))).collect()
}

/// Rehearsed runs whose time is over, and when the next one's is.
pub async fn rehearsed(
    tx: &mut Tx,
    now: Timestamp,
) -> Result<(Vec<Run>, Option<Timestamp>), Error> {
    let sql = trusted(format!(
        "SELECT {COLUMNS} FROM node_runs WHERE finished_at IS NULL AND ends_at <= $1
         ORDER BY ends_at, id"
    ));
    let over = tx.all(sql, &[now.into()]).await?.iter().map(read).collect::<Result<_, _>>()?;
    let sql = "SELECT MIN(ends_at) AS at FROM node_runs WHERE finished_at IS NULL AND ends_at > $1";
    Ok((over, tx.one(sql, &[now.into()]).await?.maybe("at")?))
}

/// What can be asked about runs.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub node: Option<NodeId>,
    pub olt: Option<OltId>,
    pub state: Option<RunState>,
    pub job: Option<JobType>,
    pub since: Option<Timestamp>,
    /// Older than this one.
    pub before: Option<RunId>,
}

/// A run with what only its page shows.
#[derive(Debug, Clone)]
pub struct Told {
    pub run: Run,
    pub detail: Option<String>,
    pub summary: Option<Json>,
    pub asked_by: Option<String>,
    pub follows: Option<RunId>,
    /// The run that it was asked together with.
    pub rides_with: Option<RunId>,
    pub rehearsed: bool,
}

const TOLD: &str = "detail, summary, asked_by, follows, ends_at, rides_with";

fn told(row: &Row) -> Result<Told, Error> {
    let ends_at: Option<Timestamp> = row.maybe("ends_at")?;
    Ok(Told {
        run: read(row)?,
        detail: row.maybe("detail")?,
        summary: row.maybe("summary")?,
        asked_by: row.maybe("asked_by")?,
        follows: row.maybe("follows")?.map(RunId),
        rides_with: row.maybe("rides_with")?.map(RunId),
        rehearsed: ends_at.is_some(),
    })
}

pub async fn one(tx: &mut Tx, id: RunId) -> Result<Option<Told>, Error> {
    let sql = trusted(format!("SELECT {COLUMNS}, {TOLD} FROM node_runs WHERE id = $1"));
    tx.optional(sql, &[id.into()]).await?.as_ref().map(told).transpose()
}

/// The newest first.
pub async fn list(tx: &mut Tx, filter: &Filter, limit: i64) -> Result<Vec<Told>, Error> {
    let sql = trusted(format!(
        "SELECT {COLUMNS}, {TOLD} FROM node_runs
         WHERE ($1 IS NULL OR node_id = $1) AND ($2 IS NULL OR olt_id = $2)
           AND ($3 IS NULL OR state = $3) AND ($4 IS NULL OR job = $4)
           AND ($5 IS NULL OR COALESCE(started_at, asked_at) >= $5)
           AND ($6 IS NULL OR id < $6)
         ORDER BY id DESC LIMIT $7"
    ));
    let args: [Value; 7] = [
        filter.node.map(|id| id.0).into(),
        filter.olt.map(|id| id.0).into(),
        filter.state.map(RunState::word).into(),
        filter.job.map(JobType::word).into(),
        filter.since.into(),
        filter.before.map(|id| id.0).into(),
        limit.into(),
    ];
    tx.all(sql, &args).await?.iter().map(told).collect()
}

/// What the good runs of a node said they brought since an instant, the newest ones first.
pub async fn summaries(
    tx: &mut Tx,
    node: NodeId,
    since: Timestamp,
    limit: i64,
) -> Result<Vec<(Timestamp, Json)>, Error> {
    let sql = "SELECT started_at, summary FROM node_runs
               WHERE node_id = $1 AND started_at >= $2 AND state = 'SUCCESS'
                 AND summary IS NOT NULL
               ORDER BY started_at DESC LIMIT $3";
    let rows = tx.all(sql, &[node.0.into(), since.into(), limit.into()]).await?;
    rows.iter().map(|row| Ok((row.get("started_at")?, row.get("summary")?))).collect()
}

/// When the run ended that has been over for longest.
pub async fn oldest(tx: &mut Tx) -> Result<Option<Timestamp>, Error> {
    tx.one("SELECT MIN(finished_at) AS at FROM node_runs", &[]).await?.maybe("at")
}

/// Ended runs older than the house keeps.
pub async fn forget(tx: &mut Tx, before: Timestamp) -> Result<u64, Error> {
    tx.execute("DELETE FROM node_runs WHERE finished_at < $1", &[before.into()]).await
}

/// Starts since an instant, the oldest first; what is asked together starts once.
pub async fn starts_since(tx: &mut Tx, since: Timestamp) -> Result<Vec<Timestamp>, Error> {
    let sql = "SELECT started_at FROM node_runs WHERE started_at > $1 AND rides_with IS NULL
               ORDER BY started_at";
    tx.all(sql, &[since.into()]).await?.iter().map(|row| row.get("started_at")).collect()
}

/// How late scheduled runs began since an instant.
pub async fn lateness_since(tx: &mut Tx, since: Timestamp) -> Result<Vec<SignedDuration>, Error> {
    let sql = "SELECT planned_at, started_at FROM node_runs
               WHERE started_at > $1 AND cause = 'PROGRAMADA'";
    let rows = tx.all(sql, &[since.into()]).await?;
    rows.iter()
        .map(|row| {
            let (planned, started): (Timestamp, Timestamp) =
                (row.get("planned_at")?, row.get("started_at")?);
            Ok(started.duration_since(planned))
        })
        .collect()
}

/// The runs of a chain that followed this one, the oldest first.
pub async fn followers(tx: &mut Tx, first: RunId) -> Result<Vec<Run>, Error> {
    let sql = trusted(format!("SELECT {COLUMNS} FROM node_runs WHERE follows = $1 ORDER BY id"));
    tx.all(sql, &[first.into()]).await?.iter().map(read).collect()
}
