//! Looking at the queue: where a message stands, what is dead, how stages are doing.

use std::collections::HashMap;

use db::{Error, Row, Tx};
use jiff::Timestamp;

use engine::Word as _;

use super::{outside, workers::WorkerProcess};
use crate::{
    drivers::runtime::ROUTER,
    model::{Component, Item},
    rules::{
        alarms::{self, Server, UnservedQueue},
        why::Queued,
    },
    wire::TimelineView,
};

/// What the queue knows of everything a request has sent.
pub async fn of_request(
    tx: &mut Tx,
    request: &str,
    now: Timestamp,
    hosted: Option<&[String]>,
) -> Result<HashMap<(Item, i32), Queued>, Error> {
    let sql = "SELECT id, item, stage_at, component, state, worker, started_at, due_at, attempt,
               error, priority, deadline_utc, outside FROM messages
               WHERE request_id = $1 AND state IN ('READY', 'CLAIMED') ORDER BY id LIMIT 2000";
    let mut found = HashMap::new();
    for row in tx.all(sql, &[request.into()]).await? {
        let item: String = row.get("item")?;
        let key = (Item::from_key(&item), row.get::<i64>("stage_at")? as i32);
        let component: String = row.get("component")?;
        let due: Timestamp = row.get("due_at")?;
        let queued = if row.get::<String>("state")? == "CLAIMED" {
            Queued::InHand { worker: row.get("worker")?, since: row.get("started_at")? }
        } else if due > now {
            let error = row.maybe::<String>("error")?.unwrap_or_default();
            Queued::Retry { at: due, attempt: row.get("attempt")?, error }
        } else if row.get::<i64>("outside")? == 1 {
            let seen = outside::seen_at(tx, &component).await?;
            let lately = seen.is_some_and(|seen| alarms::is_there(seen, now));
            let ahead = ahead(tx, &row, &component, now).await?;
            Queued::Outside { component, seen, lately, ahead }
        } else if hosted.is_some_and(|all| !all.contains(&component)) {
            Queued::Nobody { component }
        } else {
            Queued::Behind { ahead: ahead(tx, &row, &component, now).await? }
        };
        found.insert(key, queued);
    }
    Ok(found)
}

async fn ahead(tx: &mut Tx, row: &Row, component: &str, now: Timestamp) -> Result<u32, Error> {
    let sql = "SELECT COUNT(*) AS n FROM messages WHERE state = 'READY' AND component = $1
               AND due_at <= $2 AND (priority < $3 OR (priority = $3 AND
               (deadline_utc < $4 OR (deadline_utc = $4 AND id < $5))))";
    let (priority, deadline, id): (i64, Timestamp, i64) =
        (row.get("priority")?, row.get("deadline_utc")?, row.get("id")?);
    let args = [component.into(), now.into(), priority.into(), deadline.into(), id.into()];
    tx.one(sql, &args).await?.get::<i64>("n").map(|n| n as u32)
}

/// What waits for components of ours that no process takes.
pub async fn ours(
    tx: &mut Tx,
    workers: &[WorkerProcess],
    now: Timestamp,
) -> Result<Vec<UnservedQueue>, Error> {
    let mut waiting: HashMap<String, (i64, Timestamp)> = HashMap::new();
    let sql = "SELECT component, COUNT(*) AS n, MIN(due_at) AS due FROM messages
               WHERE outside = 0 AND state = 'READY' AND due_at <= $1 GROUP BY component";
    for row in tx.all(sql, &[now.into()]).await? {
        waiting.insert(row.get("component")?, (row.get("n")?, row.get("due")?));
    }
    let names = Component::OURS.into_iter().filter(|one| !one.is_join()).map(Component::word);
    let queue = |component: &str| {
        let served = workers.iter().any(|worker| worker.takes(component));
        let found = waiting.get(component).filter(|_| !served);
        UnservedQueue {
            component: component.to_owned(),
            waiting: found.map_or(0, |(n, _)| *n),
            since: found.map(|(_, due)| *due),
            by: Server::Process,
        }
    };
    Ok(names.chain([ROUTER]).map(queue).collect())
}

/// Everything that ran or waits for a request, in the order it was sent.
pub async fn timeline(tx: &mut Tx, request: &str) -> Result<Vec<TimelineView>, Error> {
    let sql = "SELECT * FROM messages WHERE request_id = $1 ORDER BY id LIMIT 5000";
    tx.all(sql, &[request.into()]).await?.iter().map(moment).collect()
}

fn moment(row: &Row) -> Result<TimelineView, Error> {
    let item: String = row.get("item")?;
    let (page_index, document_id) = TimelineView::of_item(&Item::from_key(&item));
    Ok(TimelineView {
        stage: row.get("stage")?,
        component: row.get("component")?,
        page_index,
        document_id,
        state: row.get("state")?,
        attempt: row.get("attempt")?,
        queued_at: row.get("created_at")?,
        started_at: row.maybe("started_at")?,
        finished_at: row.maybe("finished_at")?,
        worker: row.maybe("worker")?,
        error: row.maybe("error")?,
    })
}

/// A message that was given up.
#[derive(Clone, Debug)]
pub struct DeadLetter {
    pub id: i64,
    pub request_id: String,
    pub stage: String,
    pub component: String,
    pub item: String,
    pub attempt: i64,
    pub error: String,
    pub code: String,
    pub at: Timestamp,
}

/// Newest first.
pub async fn dead(tx: &mut Tx, before: i64, limit: i64) -> Result<Vec<DeadLetter>, Error> {
    let sql = "SELECT * FROM messages WHERE state = 'DEAD' AND id < $1 ORDER BY id DESC LIMIT $2";
    let rows = tx.all(sql, &[before.into(), limit.into()]).await?;
    rows.iter()
        .map(|row| {
            Ok(DeadLetter {
                id: row.get("id")?,
                request_id: row.get("request_id")?,
                stage: row.get("stage")?,
                component: row.get("component")?,
                item: row.get("item")?,
                attempt: row.get("attempt")?,
                error: row.maybe::<String>("error")?.unwrap_or_default(),
                code: row.maybe::<String>("error_code")?.unwrap_or_default(),
                at: row.get("finished_at")?,
            })
        })
        .collect()
}

/// Dead letters by what killed them: code, stage, how many, the newest.
pub async fn dead_by_error(tx: &mut Tx) -> Result<Vec<(String, String, i64, Timestamp)>, Error> {
    let sql = "SELECT error_code, stage, COUNT(*) AS n, MAX(finished_at) AS latest FROM messages
               WHERE state = 'DEAD' GROUP BY error_code, stage ORDER BY n DESC LIMIT 100";
    let rows = tx.all(sql, &[]).await?;
    rows.iter()
        .map(|row| {
            let code = row.maybe::<String>("error_code")?.unwrap_or_default();
            Ok((code, row.get("stage")?, row.get("n")?, row.get("latest")?))
        })
        .collect()
}

/// What a stage did since an instant, and what waits for it.
#[derive(Clone, Debug)]
pub struct StageLoad {
    pub component: String,
    pub ready: i64,
    pub in_hand: i64,
    pub done: i64,
    pub mean_ms: Option<f64>,
}

pub async fn load(tx: &mut Tx, since: Timestamp) -> Result<Vec<StageLoad>, Error> {
    let micros = tx.dialect().pick(
        "finished_at - started_at",
        "EXTRACT(EPOCH FROM (finished_at - started_at))::float8 * 1000000.0",
    );
    let sql = format!(
        "SELECT component, SUM(CASE WHEN state = 'READY' THEN 1 ELSE 0 END) AS ready,
         SUM(CASE WHEN state = 'CLAIMED' THEN 1 ELSE 0 END) AS in_hand,
         SUM(CASE WHEN state = 'DONE' THEN 1 ELSE 0 END) AS done,
         AVG(CASE WHEN state = 'DONE' THEN {micros} END) AS mean
         FROM messages WHERE state IN ('READY', 'CLAIMED')
         OR (state = 'DONE' AND finished_at >= $1) GROUP BY component"
    );
    let rows = tx.all(db::trusted(sql), &[since.into()]).await?;
    rows.iter()
        .map(|row| {
            let mean: Option<f64> = row.maybe("mean")?;
            Ok(StageLoad {
                component: row.get("component")?,
                ready: row.get("ready")?,
                in_hand: row.get("in_hand")?,
                done: row.get("done")?,
                mean_ms: mean.map(|micros| micros / 1000.0),
            })
        })
        .collect()
}
