//! What the broker lost or was never given, and what it brought that is none of ours.

use std::{collections::BTreeMap, time::Duration};

use db::{Decision, Error, Row, Rows, Slice, Tx};
use jiff::{SignedDuration, Timestamp};

use super::catalogue::Workflows;
use crate::rules::sweep::{Lost, Unclaimed};

/// The most foreign letters that are kept, and how much of each.
const FOREIGN: i64 = 1_000;
const BODY: usize = 16 * 1024;
const EXCERPT: usize = 200;
/// Messages looked at in one sweep.
const MOST: i64 = 5_000;

/// Messages that could have been taken for a while, whose letters may be lost.
pub struct Unheard<'a> {
    pub before: Timestamp,
    pub workflows: &'a Workflows,
}

impl Slice for Unheard<'_> {
    type Snapshot = Vec<Unclaimed>;
    type Change = Lost;

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<Self::Snapshot, Error> {
        let sql = "SELECT m.id, m.component, m.resent_at, m.due_at, m.outside, m.stage_at,
                   requests.workflow_id
                   FROM (SELECT id FROM messages
                         WHERE state = 'READY' AND outside = 0 AND due_at <= $1
                         UNION ALL SELECT id FROM messages
                         WHERE state = 'READY' AND outside = 1 AND due_at <= $1) ready
                   JOIN messages m ON m.id = ready.id
                   JOIN requests ON requests.id = m.request_id
                   ORDER BY m.priority, m.deadline_utc, m.id LIMIT $2";
        let mut waiting = Vec::new();
        for row in tx.all(sql, &[self.before.into(), MOST.into()]).await? {
            let mut told: Timestamp = row.maybe("resent_at")?.unwrap_or(row.get("due_at")?);
            if row.get::<i64>("outside")? == 1 {
                told = told.saturating_add(self.allowed(tx, &row).await?).unwrap_or(Timestamp::MAX);
            }
            let (id, component) = (row.get("id")?, row.get("component")?);
            waiting.push(Unclaimed { id, component, told });
        }
        Ok(waiting)
    }

    async fn apply_all(
        &self,
        decision: &mut Decision,
        _: &Self::Snapshot,
        lost: &[Lost],
    ) -> Result<(), Error> {
        let sql = "UPDATE messages SET resent_at = $1 WHERE id IN (SELECT id FROM ROWS)";
        let rows = Rows::of(&["id"], lost.iter().map(|one| one.id));
        decision.tx.each(sql, &[decision.now.into()], &rows).await.map(drop)
    }
}

impl Unheard<'_> {
    /// Somebody outside works on a letter while its message waits in the table: for as long as its
    /// stage allows.
    async fn allowed(&self, tx: &mut Tx, row: &Row) -> Result<Duration, Error> {
        let workflow = self.workflows.version(tx, row.get("workflow_id")?).await?;
        let at = usize::try_from(row.get::<i64>("stage_at")?).ok();
        Ok(at.and_then(|at| workflow.stages.get(at)).map_or(Duration::ZERO, |stage| stage.timeout))
    }
}

/// The components for which messages wait, and whether they are outside.
pub async fn waiting(tx: &mut Tx, now: Timestamp) -> Result<BTreeMap<String, bool>, Error> {
    let sql = "SELECT component, outside FROM messages
               WHERE state = 'READY' AND outside = 0 AND due_at <= $1
               UNION SELECT component, outside FROM messages
               WHERE state = 'READY' AND outside = 1 AND due_at <= $1";
    let rows = tx.all(sql, &[now.into()]).await?;
    rows.iter().map(|row| Ok((row.get("component")?, row.get::<i64>("outside")? == 1))).collect()
}

/// Where a message stands: `READY`, `CLAIMED`, `DONE`, `DEAD`, `PARKED`.
pub async fn state(tx: &mut Tx, id: i64) -> Result<Option<String>, Error> {
    let row = tx.optional("SELECT state FROM messages WHERE id = $1", &[id.into()]).await?;
    row.map(|row| row.get("state")).transpose()
}

/// A letter that is none of ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Foreign {
    pub queue: String,
    pub exchange: String,
    pub key: String,
    pub message_id: Option<String>,
    pub reason: String,
    pub body: String,
    pub bytes: i64,
    pub received_at: Timestamp,
}

impl Foreign {
    /// Enough to see whose it is.
    pub fn excerpt(&self) -> String {
        self.body.chars().take(EXCERPT).collect()
    }

    /// The beginning of what was sent, as text.
    pub fn beginning(body: &[u8]) -> String {
        let text = String::from_utf8_lossy(&body[..body.len().min(BODY)]);
        // PostgreSQL keeps no NUL in a text.
        text.replace('\0', "\u{fffd}")
    }
}

/// Keeps a letter; the oldest make room.
pub async fn keep(decision: &mut Decision, letter: &Foreign) -> Result<(), Error> {
    let sql = "INSERT INTO foreign_letters (queue, exchange, routing_key, message_id, reason, body,
               bytes, received_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let args = [
        letter.queue.as_str().into(),
        letter.exchange.as_str().into(),
        letter.key.as_str().into(),
        letter.message_id.as_deref().into(),
        letter.reason.as_str().into(),
        letter.body.as_str().into(),
        letter.bytes.into(),
        letter.received_at.into(),
    ];
    decision.tx.execute(sql, &args).await?;
    let sql = "DELETE FROM foreign_letters WHERE id <= (SELECT MAX(id) FROM foreign_letters) - $1";
    decision.tx.execute(sql, &[FOREIGN.into()]).await.map(drop)
}

/// The latest first.
pub async fn foreign(tx: &mut Tx, limit: i64) -> Result<Vec<Foreign>, Error> {
    let sql = "SELECT * FROM foreign_letters ORDER BY id DESC LIMIT $1";
    let letter = |row: &Row| {
        Ok(Foreign {
            queue: row.get("queue")?,
            exchange: row.get("exchange")?,
            key: row.get("routing_key")?,
            message_id: row.maybe("message_id")?,
            reason: row.get("reason")?,
            body: row.get("body")?,
            bytes: row.get("bytes")?,
            received_at: row.get("received_at")?,
        })
    };
    tx.all(sql, &[limit.into()]).await?.iter().map(letter).collect()
}

/// How long a letter may be on its way before its message is looked at again.
pub const GRACE: SignedDuration = SignedDuration::from_secs(5);
