//! Messages that somebody outside fetches: leases, who was seen, and what they said.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use db::{Decision, Error, Rows, Tx};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value as Json};

use super::messages::{Claim, claimed};
use crate::{
    model::Item,
    rules::alarms::{Server, UnservedQueue},
};

/// Until the time of the stage is known.
const AT_FIRST: SignedDuration = SignedDuration::from_secs(30);

/// Lends the most urgent messages of a component, at most `limit`. The caller holds the queue.
pub async fn lend(
    decision: &mut Decision,
    worker: &str,
    component: &str,
    limit: usize,
) -> Result<Vec<Claim>, Error> {
    let sql = "UPDATE messages SET state = 'CLAIMED', attempt = attempt + 1, worker = $1,
               started_at = $2, lease_until = $5
               WHERE id IN (SELECT id FROM messages WHERE state = 'READY' AND outside = 1
                            AND due_at <= $2 AND component = $4
                            ORDER BY priority, deadline_utc, id LIMIT $3)
               RETURNING id, request_id, run, stage_at, stage, component, item, attempt,
               priority, deadline_utc, started_at";
    let until = decision.now.saturating_add(AT_FIRST).unwrap_or(Timestamp::MAX);
    let args =
        [worker.into(), decision.now.into(), (limit as i64).into(), component.into(), until.into()];
    let rows = decision.tx.all(sql, &args).await?;
    let mut claims = rows.iter().map(claimed).collect::<Result<Vec<_>, _>>()?;
    claims.sort_by_key(|claim| (claim.priority, claim.deadline, claim.id));
    Ok(claims)
}

/// Says until when each message is lent.
pub async fn until(decision: &mut Decision, leases: &[(i64, Timestamp)]) -> Result<(), Error> {
    let mut rows = Rows::new(&["id", "until"]);
    for (id, until) in leases {
        rows.push([(*id).into(), (*until).into()]);
    }
    let sql = "UPDATE messages SET lease_until = v.until FROM ROWS
               WHERE messages.id = v.id AND messages.state = 'CLAIMED'";
    decision.tx.each(sql, &[], &rows).await.map(drop)
}

/// A message of somebody outside, wherever it stands.
#[derive(Clone, Debug)]
pub struct Letter {
    pub claim: Claim,
    pub state: String,
    pub worker: Option<String>,
}

impl Letter {
    pub fn waits(&self) -> bool {
        self.state == "READY"
    }

    /// Whether the one who took it for the nth time still has it.
    pub fn is_lent(&self, attempt: i64) -> bool {
        self.state == "CLAIMED" && self.claim.attempt == attempt
    }
}

/// Nothing, when there is no such message or one of us does it.
pub async fn find(tx: &mut Tx, id: i64) -> Result<Option<Letter>, Error> {
    Ok(all(tx, &[id]).await?.pop())
}

/// Those of these messages that are for somebody outside.
pub async fn all(tx: &mut Tx, ids: &[i64]) -> Result<Vec<Letter>, Error> {
    let sql = "SELECT id, request_id, run, stage_at, stage, component, item, attempt, priority,
               deadline_utc, COALESCE(started_at, due_at) AS started_at, state, worker
               FROM messages WHERE id IN (SELECT id FROM ROWS) AND outside = 1";
    let rows = tx.all_of(sql, &[], &Rows::of(&["id"], ids.iter().copied())).await?;
    rows.iter()
        .map(|row| {
            let (claim, state) = (claimed(row)?, row.get("state")?);
            Ok(Letter { claim, state, worker: row.maybe("worker")? })
        })
        .collect()
}

/// The message about an item at a stage, of the latest run.
pub async fn at_stage(
    tx: &mut Tx,
    request: &str,
    stage: &str,
    item: &Item,
) -> Result<Option<i64>, Error> {
    let sql = "SELECT id FROM messages WHERE request_id = $1 AND stage = $2 AND item = $3
               AND outside = 1 ORDER BY run DESC, id DESC LIMIT 1";
    let row = tx.optional(sql, &[request.into(), stage.into(), item.key().into()]).await?;
    row.map(|row| row.get("id")).transpose()
}

/// Takes up one message that a broker brought to somebody outside; answers the number of the try.
pub async fn take_up(decision: &mut Decision, id: i64, worker: &str) -> Result<i64, Error> {
    let sql = "UPDATE messages SET state = 'CLAIMED', attempt = attempt + 1, worker = $2,
               started_at = $3, lease_until = $3 WHERE id = $1 AND state = 'READY'
               RETURNING attempt";
    let args = [id.into(), worker.into(), decision.now.into()];
    let row = decision.tx.optional(sql, &args).await?;
    row.ok_or_else(|| Error::conflict("message"))?.get("attempt")
}

/// A letter of a message that waits came back: that was a try.
pub async fn count(decision: &mut Decision, id: i64, said: (&str, &str)) -> Result<(), Error> {
    let sql = "UPDATE messages SET attempt = attempt + 1, error_code = $2, error = $3
               WHERE id = $1 AND state = 'READY'";
    let args = [id.into(), said.0.into(), said.1.into()];
    decision.tx.guarded("message", sql, &args).await
}

/// When the first lease ends.
pub async fn next_expiry(tx: &mut Tx) -> Result<Option<Timestamp>, Error> {
    let sql = "SELECT MIN(lease_until) AS until FROM messages
               WHERE outside = 1 AND state = 'CLAIMED'";
    tx.one(sql, &[]).await?.maybe("until")
}

/// Since when the oldest message waits.
pub async fn oldest(tx: &mut Tx) -> Result<Option<Timestamp>, Error> {
    let sql = "SELECT MIN(due_at) AS due FROM messages WHERE outside = 1 AND state = 'READY'";
    tx.one(sql, &[]).await?.maybe("due")
}

/// When the next message of a component falls due.
pub async fn next_due(tx: &mut Tx, component: &str) -> Result<Option<Timestamp>, Error> {
    let sql = "SELECT MIN(due_at) AS due FROM messages
               WHERE outside = 1 AND state = 'READY' AND component = $1";
    tx.one(sql, &[component.into()]).await?.maybe("due")
}

/// A worker of a component gave a sign.
pub async fn seen(decision: &mut Decision, component: &str, worker: &str) -> Result<(), Error> {
    let sql = "INSERT INTO outside_workers (component, worker, first_at, seen_at)
               VALUES ($1, $2, $3, $3) ON CONFLICT (component, worker) DO UPDATE
               SET seen_at = excluded.seen_at";
    let args = [component.into(), worker.into(), decision.now.into()];
    decision.tx.execute(sql, &args).await.map(drop)
}

/// When a worker of a component last gave a sign.
pub async fn seen_at(tx: &mut Tx, component: &str) -> Result<Option<Timestamp>, Error> {
    let sql = "SELECT MAX(seen_at) AS seen FROM outside_workers WHERE component = $1";
    tx.one(sql, &[component.into()]).await?.maybe("seen")
}

/// What waits for each component outside: those that are known, were seen, or have a queue.
pub async fn queues<'a>(
    tx: &mut Tx,
    known: impl Iterator<Item = &'a str>,
    now: Timestamp,
) -> Result<Vec<UnservedQueue>, Error> {
    let mut names: BTreeSet<String> = known.map(str::to_owned).collect();
    let mut seen: BTreeMap<String, Timestamp> = BTreeMap::new();
    let sql = "SELECT component, MAX(seen_at) AS seen FROM outside_workers GROUP BY component";
    for row in tx.all(sql, &[]).await? {
        seen.insert(row.get("component")?, row.get("seen")?);
    }
    // Whoever holds a message that is not overdue is at it.
    let sql = "SELECT DISTINCT component FROM messages
               WHERE outside = 1 AND state = 'CLAIMED' AND lease_until > $1";
    for row in tx.all(sql, &[now.into()]).await? {
        seen.insert(row.get("component")?, now);
    }
    let mut waiting: BTreeMap<String, (i64, Timestamp)> = BTreeMap::new();
    let sql = "SELECT component, COUNT(*) AS n, MIN(due_at) AS due FROM messages
               WHERE outside = 1 AND state = 'READY' AND due_at <= $1 GROUP BY component";
    for row in tx.all(sql, &[now.into()]).await? {
        waiting.insert(row.get("component")?, (row.get("n")?, row.get("due")?));
    }
    names.extend(seen.keys().chain(waiting.keys()).cloned());
    let queue = |component: String| UnservedQueue {
        waiting: waiting.get(&component).map_or(0, |(n, _)| *n),
        since: waiting.get(&component).map(|(_, due)| *due),
        by: Server::Outside { seen: seen.get(&component).copied() },
        component,
    };
    Ok(names.into_iter().map(queue).collect())
}

/// What was said about an item at a stage, beside text, type and fields.
#[derive(Debug)]
pub struct Reply<'a> {
    pub request: &'a str,
    pub at: i32,
    pub item: String,
    pub stage: &'a str,
    pub payload: &'a Map<String, Json>,
}

pub async fn keep(decision: &mut Decision, replies: &[Reply<'_>]) -> Result<(), Error> {
    let sql = "INSERT INTO stage_replies (request_id, stage_at, item, stage, payload, given_at)
               VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (request_id, stage_at, item)
               DO UPDATE SET payload = excluded.payload, given_at = excluded.given_at";
    for reply in replies {
        let args = [
            reply.request.into(),
            reply.at.into(),
            reply.item.as_str().into(),
            reply.stage.into(),
            Json::Object(reply.payload.clone()).into(),
            decision.now.into(),
        ];
        decision.tx.execute(sql, &args).await?;
    }
    Ok(())
}

/// What was said about each of these requests as a whole, by stage.
pub async fn about_requests(
    tx: &mut Tx,
    requests: &[&str],
) -> Result<HashMap<String, Map<String, Json>>, Error> {
    let mut said: HashMap<String, Map<String, Json>> = HashMap::new();
    if requests.is_empty() {
        return Ok(said);
    }
    let sql = "SELECT request_id, stage, payload FROM stage_replies
               WHERE item = '' AND request_id IN (SELECT id FROM ROWS) ORDER BY stage_at";
    let ids = Rows::of(&["id"], requests.iter().copied());
    for row in tx.all_of(sql, &[], &ids).await? {
        let stage: String = row.get("stage")?;
        said.entry(row.get("request_id")?).or_default().insert(stage, row.get("payload")?);
    }
    Ok(said)
}

/// What stages before this one said about the request and about the item, later ones last.
pub async fn said_before(
    tx: &mut Tx,
    request: &str,
    item: &Item,
    at: i32,
) -> Result<Map<String, Json>, Error> {
    let sql = "SELECT payload FROM stage_replies WHERE request_id = $1 AND stage_at < $3
               AND (item = '' OR item = $2) ORDER BY stage_at";
    let mut said = Map::new();
    let args = [request.into(), item.key().into(), at.into()];
    for row in tx.all(sql, &args).await? {
        if let Json::Object(payload) = row.get("payload")? {
            said.extend(payload);
        }
    }
    Ok(said)
}
