//! The queue (§2.3, §5): messages in order of urgency, taken by one worker at a time.

use std::collections::HashMap;

use db::{Decision, Error, Row, Rows, Tx, Value, trusted};
use jiff::Timestamp;

use super::steps::BACKOFFICE;
use crate::{
    model::Item,
    rules::course::Ran,
    wire::message::{Address, PipelineMessage, Sent},
};

/// Wakes whoever takes messages.
pub const WORK: &str = "docproc.work";
/// Wakes whoever outside waits for messages.
pub const OUTSIDE: &str = "docproc.outside";
/// Notes of messages that were sent with this commit, for the broker: the letter itself.
pub const SENT: &str = "docproc.sent";
/// Notes of messages that wait from this commit on, for the broker: the number, for what its letter
/// says has to be looked up.
pub const WAITS: &str = "docproc.waits";

/// Whether the result that a message follows is a person's: 1 or 0. They answer about the same item
/// at the stage before.
pub const BY_PERSON: &str = "CAST(CASE WHEN EXISTS (SELECT 1 FROM review_tasks AS asked
    WHERE asked.request_id = messages.request_id AND asked.run = messages.run
    AND asked.stage_at = messages.stage_at - 1 AND asked.item = messages.item
    AND asked.status = 'completed') THEN 1 ELSE 0 END AS BIGINT) AS by_person";

/// A message to be put into the queue.
#[derive(Clone, Debug)]
pub struct NewMessage {
    pub request: String,
    pub run: i64,
    pub at: i32,
    pub stage: String,
    pub component: String,
    /// Somebody outside fetches it.
    pub outside: bool,
    pub item: Item,
    pub priority: i64,
    pub deadline: Timestamp,
    pub trace: String,
    pub workflow: String,
    /// The routing key that its stage asks for.
    pub key: String,
    /// The component whose result it follows.
    pub source: String,
}

/// A message that this process holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    pub id: i64,
    pub request: String,
    pub run: i64,
    pub at: i32,
    pub stage: String,
    pub component: String,
    pub item: Item,
    /// Counts from 1 and is the token of this claim: a late worker's result is refused.
    pub attempt: i64,
    pub priority: i64,
    pub deadline: Timestamp,
    pub claimed_at: Timestamp,
}

impl NewMessage {
    /// What every statement that writes a message gives, in the order of the columns.
    fn values(&self) -> [Value; 8] {
        [
            self.request.as_str().into(),
            self.run.into(),
            self.at.into(),
            self.stage.as_str().into(),
            self.component.as_str().into(),
            self.item.key().into(),
            self.priority.into(),
            self.deadline.into(),
        ]
    }

    /// Tells the broker's side of this process, so that it need not look anything up. What somebody
    /// outside works on is more than is known here.
    fn note(&self, decision: &mut Decision, id: i64, by_person: bool) {
        let source = if by_person { BACKOFFICE } else { &self.source };
        let to = Address {
            id,
            attempt: 0,
            request: self.request.clone(),
            trace: self.trace.clone(),
            workflow: self.workflow.clone(),
            stage: self.stage.clone(),
            component: self.component.clone(),
            source: source.to_owned(),
            item: self.item.clone(),
            deadline: self.deadline,
            key: self.key.clone(),
            ready: true,
            due: decision.now,
            outside: self.outside,
        };
        let (component, key) = (to.component.clone(), to.key.clone());
        let sent = Sent { component, key, message: PipelineMessage::small(&to) };
        match serde_json::to_string(&sent) {
            Ok(text) if !self.outside => decision.note(SENT, text),
            _ => decision.note(WAITS, id.to_string()),
        }
    }
}

pub async fn send(decision: &mut Decision, messages: &[NewMessage]) -> Result<(), Error> {
    let mut rows = Rows::new(db::columns![
        request_id run stage_at stage component item priority deadline_utc outside
    ]);
    for message in messages {
        let [request, run, at, stage, component, item, priority, deadline] = message.values();
        let outside = i64::from(message.outside).into();
        rows.push([request, run, at, stage, component, item, priority, deadline, outside]);
        decision.wake(if message.outside { OUTSIDE } else { WORK });
    }
    let sql = format!(
        "INSERT INTO messages (request_id, run, stage_at, stage, component, item, priority,
         deadline_utc, outside, due_at, created_at)
         SELECT request_id, run, stage_at, stage, component, item, priority, deadline_utc,
         outside, $1, $1 FROM ROWS RETURNING id, request_id, stage_at, item, {BY_PERSON}"
    );
    let mut ids = HashMap::with_capacity(messages.len());
    for row in decision.tx.all_of(&sql, &[decision.now.into()], &rows).await? {
        let key: (String, i64, String) =
            (row.get("request_id")?, row.get("stage_at")?, row.get("item")?);
        ids.insert(key, (row.get::<i64>("id")?, row.get::<i64>("by_person")? != 0));
    }
    for message in messages {
        let key = (message.request.clone(), i64::from(message.at), message.item.key());
        if let Some((id, by_person)) = ids.get(&key) {
            message.note(decision, *id, *by_person);
        }
    }
    Ok(())
}

/// Whether a message follows a person's answer.
pub async fn by_person(tx: &mut Tx, id: i64) -> Result<bool, Error> {
    let sql = format!("SELECT {BY_PERSON} FROM messages WHERE id = $1");
    let row = tx.optional(trusted(sql), &[id.into()]).await?;
    Ok(row.map(|row| row.get::<i64>("by_person")).transpose()? == Some(1))
}

/// Tells the broker's side of this process which messages wait now.
fn note(decision: &mut Decision, rows: &[Row]) -> Result<(), Error> {
    for row in rows {
        let id: i64 = row.get("id")?;
        decision.note(WAITS, id.to_string());
    }
    Ok(())
}

const CLAIM: &str = "UPDATE messages SET state = 'CLAIMED', attempt = attempt + 1, worker = $1,
        started_at = $2
    WHERE id IN (SELECT id FROM messages WHERE state = 'READY' AND outside = 0 AND due_at <= $2
                 AND component NOT IN ($4, $5) ORDER BY priority, deadline_utc, id LIMIT $3)
    RETURNING id, request_id, run, stage_at, stage, component, item, attempt, priority,
        deadline_utc, started_at";
/// The same for one component: it has its own index.
const CLAIM_OF: &str = "UPDATE messages SET state = 'CLAIMED', attempt = attempt + 1, worker = $1,
        started_at = $2
    WHERE id IN (SELECT id FROM messages WHERE state = 'READY' AND due_at <= $2 AND component = $4
                 ORDER BY priority, deadline_utc, id LIMIT $3)
    RETURNING id, request_id, run, stage_at, stage, component, item, attempt, priority,
        deadline_utc, started_at";

/// Which messages to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Messages of every component but these.
    AllBut([&'static str; 2]),
    Only(&'static str),
}

/// Takes the most urgent messages, at most `limit`. The caller holds the queue, so two processes
/// never look at the same head.
pub async fn claim(
    decision: &mut Decision,
    worker: &str,
    wanted: Wanted,
    limit: usize,
) -> Result<Vec<Claim>, Error> {
    if limit == 0 {
        return Ok(Vec::new());
    }
    let (sql, components) = match &wanted {
        Wanted::AllBut(components) => (CLAIM, components.as_slice()),
        Wanted::Only(component) => (CLAIM_OF, std::slice::from_ref(component)),
    };
    let mut args: Vec<Value> = vec![worker.into(), decision.now.into(), (limit as i64).into()];
    args.extend(components.iter().map(|one| Value::from(*one)));
    let rows = decision.tx.all(sql, &args).await?;
    let mut claims = rows.iter().map(claimed).collect::<Result<Vec<_>, _>>()?;
    claims.sort_by_key(|claim| (claim.priority, claim.deadline, claim.id));
    Ok(claims)
}

pub(super) fn claimed(row: &Row) -> Result<Claim, Error> {
    let item: String = row.get("item")?;
    Ok(Claim {
        id: row.get("id")?,
        request: row.get("request_id")?,
        run: row.get("run")?,
        at: row.get::<i64>("stage_at")? as i32,
        stage: row.get("stage")?,
        component: row.get("component")?,
        item: Item::from_key(&item),
        attempt: row.get("attempt")?,
        priority: row.get("priority")?,
        deadline: row.get("deadline_utc")?,
        claimed_at: row.get("started_at")?,
    })
}

/// Which of these claims still hold. One that was given to somebody else, or whose request began
/// anew, does not. They are found by their numbers: the index of what a worker holds is full of what
/// it held a moment ago.
pub async fn still_held(tx: &mut Tx, worker: &str, claims: &[&Claim]) -> Result<Vec<bool>, Error> {
    let sql = "SELECT id, attempt, worker, state FROM messages WHERE id IN (SELECT id FROM ROWS)";
    let ids = Rows::of(&["id"], claims.iter().map(|claim| claim.id));
    let mut held = HashMap::with_capacity(claims.len());
    for row in tx.all_of(sql, &[], &ids).await? {
        let claimed = row.get::<String>("state")? == "CLAIMED";
        if claimed && row.maybe::<String>("worker")?.as_deref() == Some(worker) {
            held.insert(row.get::<i64>("id")?, row.get::<i64>("attempt")?);
        }
    }
    Ok(claims.iter().map(|claim| held.get(&claim.id) == Some(&claim.attempt)).collect())
}

/// Messages that were done: id, when a worker took it up, when it was through.
pub async fn done(
    decision: &mut Decision,
    finished: &[(i64, Timestamp, Timestamp)],
) -> Result<(), Error> {
    let mut rows = Rows::new(&["id", "started_at", "finished_at"]);
    for (id, started, at) in finished {
        rows.push([(*id).into(), (*started).into(), (*at).into()]);
    }
    let sql = "UPDATE messages SET state = 'DONE', started_at = v.started_at,
               finished_at = v.finished_at, error = NULL, error_code = NULL
               FROM ROWS WHERE messages.id = v.id AND messages.state = 'CLAIMED'";
    decision.tx.each(sql, &[], &rows).await.map(drop)
}

/// A stage that ran in the same worker as the one before it: never queued, only remembered.
#[derive(Clone, Debug)]
pub struct Past {
    pub message: NewMessage,
    pub ran: Ran,
}

pub async fn remember(decision: &mut Decision, worker: &str, past: &[Past]) -> Result<(), Error> {
    let mut rows = Rows::new(db::columns![
        request_id run stage_at stage component item priority deadline_utc started_at finished_at
    ]);
    for Past { message, ran } in past {
        let [request, run, at, stage, component, item, priority, deadline] = message.values();
        let (started, finished) = (ran.started.into(), ran.finished.into());
        rows.push([
            request, run, at, stage, component, item, priority, deadline, started, finished,
        ]);
    }
    let sql = "INSERT INTO messages (request_id, run, stage_at, stage, component, item, priority,
               deadline_utc, due_at, created_at, state, attempt, worker, started_at, finished_at)
               SELECT request_id, run, stage_at, stage, component, item, priority, deadline_utc,
               started_at, started_at, 'DONE', 1, $1, started_at, finished_at FROM ROWS WHERE true
               ON CONFLICT (request_id, run, stage_at, item) DO NOTHING";
    decision.tx.each(sql, &[worker.into()], &rows).await.map(drop)
}

pub async fn again(
    decision: &mut Decision,
    id: i64,
    at: Timestamp,
    code: &str,
    error: &str,
) -> Result<(), Error> {
    let sql = "UPDATE messages SET state = 'READY', due_at = $2, worker = NULL, error = $3,
               error_code = $4 WHERE id = $1 AND state = 'CLAIMED'";
    let args = [id.into(), at.into(), error.into(), code.into()];
    decision.tx.guarded("message", sql, &args).await?;
    decision.note(WAITS, id.to_string());
    Ok(())
}

/// To be tried later as if this try had not been.
pub async fn waits(
    decision: &mut Decision,
    id: i64,
    at: Timestamp,
    code: &str,
    error: &str,
) -> Result<(), Error> {
    let sql = "UPDATE messages SET state = 'READY', due_at = $2, worker = NULL, error = $3,
               error_code = $4, attempt = attempt - 1 WHERE id = $1 AND state = 'CLAIMED'";
    let args = [id.into(), at.into(), error.into(), code.into()];
    decision.tx.guarded("message", sql, &args).await?;
    decision.note(WAITS, id.to_string());
    Ok(())
}

/// To the dead letters. The rest of its request waits with it.
pub async fn bury(
    decision: &mut Decision,
    id: i64,
    request: &str,
    code: &str,
    error: &str,
) -> Result<(), Error> {
    let sql = "UPDATE messages SET state = 'DEAD', worker = NULL, error = $2, error_code = $3,
               finished_at = $4 WHERE id = $1 AND state IN ('READY', 'CLAIMED')";
    let args = [id.into(), error.into(), code.into(), decision.now.into()];
    decision.tx.guarded("message", sql, &args).await?;
    park(decision, request).await
}

/// Requests of which a message has waited for a worker since before an instant.
pub async fn outdated(tx: &mut Tx, before: Timestamp) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    for sql in [
        "SELECT request_id FROM messages WHERE state = 'READY' AND outside = 0 AND due_at <= $1
         GROUP BY request_id ORDER BY MIN(due_at) LIMIT 500",
        "SELECT request_id FROM messages WHERE state = 'READY' AND outside = 1 AND due_at <= $1
         GROUP BY request_id ORDER BY MIN(due_at) LIMIT 500",
    ] {
        for row in tx.all(sql, &[before.into()]).await? {
            found.push(row.get("request_id")?);
        }
    }
    Ok(found)
}

/// Takes what waits of a request out of the queue.
pub async fn park(decision: &mut Decision, request: &str) -> Result<(), Error> {
    let sql = "UPDATE messages SET state = 'PARKED' WHERE request_id = $1 AND state = 'READY'";
    decision.tx.execute(sql, &[request.into()]).await.map(drop)
}

/// Back into the queue, with all tries before it.
pub async fn replay(decision: &mut Decision, request: &str) -> Result<u64, Error> {
    let sql = "UPDATE messages SET state = 'READY', attempt = 0, due_at = $2, finished_at = NULL,
               worker = NULL WHERE request_id = $1 AND state IN ('DEAD', 'PARKED') RETURNING id";
    let back = decision.tx.all(sql, &[request.into(), decision.now.into()]).await?;
    note(decision, &back)?;
    Ok(back.len() as u64)
}

/// Forgets everything of a request that waits or is under way: a new run begins.
pub async fn drop_open(decision: &mut Decision, request: &str) -> Result<(), Error> {
    let sql = "DELETE FROM messages WHERE request_id = $1
               AND state IN ('READY', 'CLAIMED', 'PARKED', 'DEAD')";
    decision.tx.execute(sql, &[request.into()]).await.map(drop)
}

/// Messages that could be taken now, and those a worker holds.
pub async fn left(tx: &mut Tx, now: Timestamp, worker: &str) -> Result<i64, Error> {
    let sql = "SELECT COUNT(*) AS n FROM messages
               WHERE (state = 'READY' AND outside = 0 AND due_at <= $1)
               OR (state = 'CLAIMED' AND worker = $2)";
    tx.one(sql, &[now.into(), worker.into()]).await?.get("n")
}

/// Drops what waits for or is done with documents that cease to be; a late result finds nothing.
pub async fn drop_items(
    decision: &mut Decision,
    request: &str,
    items: &[String],
) -> Result<(), Error> {
    let sql = "DELETE FROM messages WHERE request_id = $1
               AND state IN ('READY', 'CLAIMED', 'PARKED', 'DEAD')
               AND item IN (SELECT v.item FROM ROWS)";
    decision.tx.each(sql, &[request.into()], &Rows::of(&["item"], items)).await.map(drop)
}

/// Gives back what a process holds that ends in order.
pub async fn give_back(decision: &mut Decision, worker: &str) -> Result<u64, Error> {
    let sql = "UPDATE messages SET state = 'READY', worker = NULL
               WHERE worker = $1 AND state = 'CLAIMED'";
    decision.tx.execute(sql, &[worker.into()]).await
}

/// Gives back what a process is said to hold and does not, as if it had never been taken.
pub async fn disown(
    decision: &mut Decision,
    worker: &str,
    held: impl Iterator<Item = i64>,
) -> Result<usize, Error> {
    let sql = "UPDATE messages SET state = 'READY', worker = NULL, attempt = attempt - 1
               WHERE worker = $1 AND state = 'CLAIMED' AND id NOT IN (SELECT id FROM ROWS)
               RETURNING id";
    // An empty table would not be asked at all; no message has the number 0.
    let rows = Rows::of(&["id"], held.chain([0]));
    let back = decision.tx.all_of(sql, &[worker.into()], &rows).await?;
    note(decision, &back)?;
    Ok(back.len())
}

/// Whether a process that is gone holds anything, or somebody outside for longer than it may.
pub async fn any_lost(tx: &mut Tx, now: Timestamp) -> Result<bool, Error> {
    let sql = "SELECT 1 AS one FROM messages WHERE state = 'CLAIMED' AND (lease_until <= $1
               OR (lease_until IS NULL
               AND NOT EXISTS (SELECT 1 FROM processes WHERE name = worker))) LIMIT 1";
    Ok(tx.optional(sql, &[now.into()]).await?.is_some())
}

/// When the next message falls due for these components; none named: all that are ours.
pub async fn next_due(tx: &mut Tx, components: &[&str]) -> Result<Option<Timestamp>, Error> {
    let mut sql = "SELECT MIN(due_at) AS due FROM messages WHERE state = 'READY'".to_owned();
    if components.is_empty() {
        sql.push_str(" AND outside = 0");
    } else {
        let list: Vec<_> = (1..=components.len()).map(|n| format!("${n}")).collect();
        sql = format!("{sql} AND component IN ({})", list.join(", "));
    }
    let args: Vec<Value> = components.iter().map(|one| (*one).into()).collect();
    tx.one(trusted(sql), &args).await?.maybe("due")
}
