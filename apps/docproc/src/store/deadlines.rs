//! What the monitor of deadlines looks at and writes, for many requests in one transaction.

use std::collections::HashMap;

use db::{Decision, Error, Rows, Slice, Tx};
use engine::Word as _;
use jiff::Timestamp;

use super::{
    answers::{self, Given, Kind},
    events, partial,
    progress::{self, Loaded},
    reviews,
};
use crate::{
    rules::{
        advance::Thresholds,
        sla::{Checkpoint, Reached, Watched},
    },
    store::catalogue::Workflows,
};

/// The requests one look is about.
#[derive(Debug)]
pub struct Deadlines<'a> {
    pub ids: &'a [String],
    pub workflows: &'a Workflows,
    pub house: Thresholds,
}

/// A request with what is on record about its deadline.
#[derive(Debug)]
pub struct Late {
    pub loaded: Loaded,
    pub watched: Watched,
}

/// What a look at one request found.
#[derive(Clone, Debug)]
pub struct Look {
    pub which: usize,
    pub reached: Vec<Reached>,
    /// When to look again.
    pub next: Option<Timestamp>,
}

/// Requests whose next checkpoint has come, most overdue first.
pub async fn due(tx: &mut Tx, now: Timestamp, limit: i64) -> Result<Vec<String>, Error> {
    let sql = "SELECT id FROM requests WHERE next_check_at <= $1
               AND status NOT IN ('completed', 'failed', 'cancelled')
               ORDER BY next_check_at LIMIT $2";
    let rows = tx.all(sql, &[now.into(), limit.into()]).await?;
    rows.iter().map(|row| row.get("id")).collect()
}

/// When the next checkpoint of any request comes.
pub async fn next(tx: &mut Tx) -> Result<Option<Timestamp>, Error> {
    let sql = "SELECT MIN(next_check_at) AS due FROM requests
               WHERE status NOT IN ('completed', 'failed', 'cancelled')";
    tx.one(sql, &[]).await?.maybe("due")
}

impl Slice for Deadlines<'_> {
    type Snapshot = Vec<Late>;
    type Change = Vec<Look>;

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<Vec<Late>, Error> {
        let sql = "SELECT request_id, checkpoint FROM sla_checkpoints
                   WHERE request_id IN (SELECT id FROM ROWS)";
        let mut reached: HashMap<String, Vec<Checkpoint>> = HashMap::new();
        for row in tx.all_of(sql, &[], &Rows::of(&["id"], self.ids)).await? {
            let checkpoint = row.word("checkpoint", Checkpoint::from_word)?;
            reached.entry(row.get("request_id")?).or_default().push(checkpoint);
        }
        let loaded = progress::load(tx, self.ids, self.workflows).await?;
        let late = |loaded: Loaded| {
            let row = &loaded.row;
            let watched = Watched {
                received: row.created_at,
                deadline: row.deadline,
                sla: loaded.workflow.sla,
                ended: row.status.is_final(),
                reached: reached.remove(&row.id).unwrap_or_default(),
            };
            Late { loaded, watched }
        };
        Ok(loaded.into_iter().map(late).collect())
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        snapshot: &Vec<Late>,
        looks: &Vec<Look>,
    ) -> Result<(), Error> {
        put_on_record(decision, snapshot, looks).await?;
        let having = |checkpoint: Checkpoint| {
            looks
                .iter()
                .filter(move |look| look.reached.iter().any(|one| one.checkpoint == checkpoint))
                .map(|look| &snapshot[look.which].loaded)
                .collect::<Vec<_>>()
        };
        for one in having(Checkpoint::Warn) {
            events::deadline(decision, &one.row.id, "request.sla_warning", one.row.deadline);
        }
        for one in having(Checkpoint::Alert) {
            events::deadline(decision, &one.row.id, "request.sla_alert", one.row.deadline);
        }
        let breached = having(Checkpoint::Breach);
        breach(decision, &breached).await?;
        escalate(decision, &having(Checkpoint::Escalate), &breached, self.house).await
    }
}

async fn put_on_record(
    decision: &mut Decision,
    snapshot: &[Late],
    looks: &[Look],
) -> Result<(), Error> {
    let mut reached = Rows::new(&["request_id", "checkpoint", "due_at"]);
    let mut next = Rows::new(&["id", "at"]);
    for look in looks {
        let id = snapshot[look.which].loaded.row.id.as_str();
        for one in &look.reached {
            reached.push([id.into(), one.checkpoint.word().into(), one.due.into()]);
        }
        next.push([id.into(), look.next.into()]);
    }
    let sql = "INSERT INTO sla_checkpoints (request_id, checkpoint, due_at, reached_at)
               SELECT request_id, checkpoint, due_at, $1 FROM ROWS";
    decision.tx.each(sql, &[decision.now.into()], &reached).await?;
    let sql = "UPDATE requests SET next_check_at = v.at FROM ROWS WHERE requests.id = v.id";
    decision.tx.each(sql, &[], &next).await.map(drop)
}

async fn breach(decision: &mut Decision, breached: &[&Loaded]) -> Result<(), Error> {
    let ids = breached.iter().map(|one| one.row.id.as_str());
    // Late since the deadline, whenever somebody looked.
    let sql = "UPDATE requests SET sla_breached_at = deadline_utc, updated_at = $1
               WHERE sla_breached_at IS NULL AND id IN (SELECT id FROM ROWS)";
    decision.tx.each(sql, &[decision.now.into()], &Rows::of(&["id"], ids)).await?;
    for one in breached {
        events::deadline(decision, &one.row.id, "request.sla_breached", one.row.deadline);
    }
    Ok(())
}

/// To the front of every queue; what is known is answered.
async fn escalate(
    decision: &mut Decision,
    escalated: &[&Loaded],
    breached: &[&Loaded],
    house: Thresholds,
) -> Result<(), Error> {
    let ids: Vec<&str> = escalated.iter().map(|one| one.row.id.as_str()).collect();
    let rows = Rows::of(&["id"], ids.iter().copied());
    let sql = "UPDATE requests SET priority = 0, partial_at = $1 WHERE id IN (SELECT id FROM ROWS)";
    decision.tx.each(sql, &[decision.now.into()], &rows).await?;
    let sql = "UPDATE messages SET priority = 0 WHERE state IN ('READY', 'CLAIMED')
               AND request_id IN (SELECT id FROM ROWS)";
    decision.tx.each(sql, &[], &rows).await?;
    reviews::raise(decision, &ids).await?;
    let known = partial::of_all(&mut decision.tx, escalated, house).await?;
    let mut given = Vec::with_capacity(escalated.len());
    for one in escalated {
        let mut row = one.row.clone();
        let late = breached.iter().any(|late| late.row.id == row.id);
        row.breached_at = row.breached_at.or(late.then_some(row.deadline));
        let status = if late { "sla_breached" } else { row.status.word() };
        events::deadline(decision, &row.id, "request.escalated", row.deadline);
        if let Some(known) = known.get(&row.id) {
            let (result, pending) = (Some(&known.result), &known.pending);
            given.push(Given::new(&row, Kind::Partial, status, result, pending));
            events::partial(decision, &row.id, Kind::Partial.word(), pending.len());
        }
    }
    answers::give(decision, &given).await
}

/// What is on record of a request's deadline: checkpoint, when it was due, when it was seen.
pub async fn reached(
    tx: &mut Tx,
    request: &str,
) -> Result<Vec<(String, Timestamp, Timestamp)>, Error> {
    let sql = "SELECT checkpoint, due_at, reached_at FROM sla_checkpoints
               WHERE request_id = $1 ORDER BY due_at, checkpoint";
    let rows = tx.all(sql, &[request.into()]).await?;
    rows.iter()
        .map(|row| Ok((row.get("checkpoint")?, row.get("due_at")?, row.get("reached_at")?)))
        .collect()
}
