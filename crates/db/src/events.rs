//! The outbox: what happened, in commit order.

use jiff::Timestamp;
use serde_json::Value as Json;

use crate::{Error, Row, Rows, Tx};

/// Something that happened, not yet committed.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    pub app: &'static str,
    pub name: &'static str,
    /// What it happened to, for filters: `pedido/7`.
    pub subject: Option<String>,
    pub data: Json,
}

/// A committed event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub seq: i64,
    pub app: String,
    pub name: String,
    pub subject: Option<String>,
    pub data: Json,
    pub at: Timestamp,
}

/// The most that one read returns.
pub const BATCH: i64 = 500;

/// Writes events in order and gives their numbers.
pub(crate) async fn append(
    tx: &mut Tx,
    events: &[NewEvent],
    at: Timestamp,
) -> Result<Vec<i64>, Error> {
    let mut rows = Rows::new(&["app", "name", "subject", "data"]);
    for event in events {
        let subject = event.subject.clone().into();
        rows.push([event.app.into(), event.name.into(), subject, event.data.clone().into()]);
    }
    let sql = "INSERT INTO events (app, name, subject, data, at)
               SELECT app, name, subject, data, $1 FROM ROWS RETURNING seq";
    let rows = tx.all_of(sql, &[at.into()], &rows).await?;
    let mut seqs = rows.iter().map(|row| row.get("seq")).collect::<Result<Vec<i64>, _>>()?;
    // Numbers are given in the order of the rows; only their return may come in another.
    seqs.sort_unstable();
    Ok(seqs)
}

/// The events after `seq`, oldest first, at most [`BATCH`].
pub async fn since(tx: &mut Tx, seq: i64) -> Result<Vec<Event>, Error> {
    let sql = "SELECT seq, app, name, subject, data, at FROM events
               WHERE seq > $1 ORDER BY seq LIMIT $2";
    tx.all(sql, &[seq.into(), BATCH.into()]).await?.iter().map(event).collect()
}

/// The newest events before `seq`, newest first, optionally of one application and name.
pub async fn latest(
    tx: &mut Tx,
    before: i64,
    app: Option<&str>,
    name: Option<&str>,
    limit: i64,
) -> Result<Vec<Event>, Error> {
    let sql = "SELECT seq, app, name, subject, data, at FROM events
               WHERE seq < $1 AND ($2 IS NULL OR app = $2) AND ($3 IS NULL OR name = $3)
               ORDER BY seq DESC LIMIT $4";
    let args = [before.into(), app.into(), name.into(), limit.clamp(1, BATCH).into()];
    tx.all(sql, &args).await?.iter().map(event).collect()
}

/// The oldest and newest sequence numbers kept; `(0, 0)` when there are none.
pub async fn bounds(tx: &mut Tx) -> Result<(i64, i64), Error> {
    let sql = "SELECT COALESCE(MIN(seq), 0) AS oldest, COALESCE(MAX(seq), 0) AS newest FROM events";
    let row = tx.one(sql, &[]).await?;
    Ok((row.get("oldest")?, row.get("newest")?))
}

/// Forgets events older than `before`, a bounded number at a time. Says how many.
pub async fn prune(tx: &mut Tx, before: Timestamp) -> Result<u64, Error> {
    let sql = "DELETE FROM events WHERE seq IN
               (SELECT seq FROM events WHERE at < $1 ORDER BY seq LIMIT $2)";
    tx.execute(sql, &[before.into(), BATCH.into()]).await
}

fn event(row: &Row) -> Result<Event, Error> {
    Ok(Event {
        seq: row.get("seq")?,
        app: row.get("app")?,
        name: row.get("name")?,
        subject: row.maybe("subject")?,
        data: row.get("data")?,
        at: row.get("at")?,
    })
}
