//! Who changed what, from what to what, and why. Append only, hash-chained.

use jiff::Timestamp;
use serde_json::{Number, Value as Json, json};

use crate::{Error, Row, Rows, Tx, columns, sha256_hex};

/// A privileged change to be recorded with the decision that makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub app: &'static str,
    pub actor: String,
    pub role: String,
    pub action: String,
    pub subject: String,
    pub before: Option<Json>,
    pub after: Option<Json>,
    pub reason: Option<String>,
}

/// A recorded change.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub id: i64,
    pub at: Timestamp,
    pub app: String,
    pub actor: String,
    pub role: String,
    pub action: String,
    pub subject: String,
    pub before: Option<Json>,
    pub after: Option<Json>,
    pub reason: Option<String>,
    pub hash: String,
}

/// All of a decision at once: whoever else wants to record something waits for two statements.
pub(crate) async fn append(tx: &mut Tx, entries: &[Entry], at: Timestamp) -> Result<(), Error> {
    if entries.is_empty() {
        return Ok(());
    }
    let mut hash: String = tx
        .optional("SELECT hash FROM audit ORDER BY id DESC LIMIT 1", &[])
        .await?
        .map(|row| row.get("hash"))
        .transpose()?
        .unwrap_or_default();
    let names = columns![n app actor role action subject before after reason hash];
    let mut rows = Rows::new(names);
    for (n, entry) in entries.iter().enumerate() {
        hash = chain(&hash, entry, at);
        rows.push([
            (n as i64).into(),
            entry.app.into(),
            entry.actor.as_str().into(),
            entry.role.as_str().into(),
            entry.action.as_str().into(),
            entry.subject.as_str().into(),
            entry.before.clone().into(),
            entry.after.clone().into(),
            entry.reason.clone().into(),
            hash.as_str().into(),
        ]);
    }
    let sql =
        "INSERT INTO audit (at, app, actor, role, action, subject, before, after, reason, hash)
               SELECT $1, v.app, v.actor, v.role, v.action, v.subject, v.before, v.after, v.reason,
                 v.hash FROM ROWS ORDER BY v.n";
    tx.each(sql, &[at.into()], &rows).await.map(drop)
}

/// The newest records before `id`, newest first, optionally of one application or actor.
pub async fn latest(
    tx: &mut Tx,
    before: i64,
    app: Option<&str>,
    actor: Option<&str>,
    limit: i64,
) -> Result<Vec<Record>, Error> {
    let sql = "SELECT id, at, app, actor, role, action, subject, before, after, reason, hash
               FROM audit WHERE id < $1 AND ($2 IS NULL OR app = $2) AND ($3 IS NULL OR actor = $3)
               ORDER BY id DESC LIMIT $4";
    let args = [before.into(), app.into(), actor.into(), limit.clamp(1, 500).into()];
    tx.all(sql, &args).await?.iter().map(record).collect()
}

/// The latest record of one action on one thing.
pub async fn last_of(
    tx: &mut Tx,
    app: &str,
    subject: &str,
    action: &str,
) -> Result<Option<Record>, Error> {
    let sql = "SELECT id, at, app, actor, role, action, subject, before, after, reason, hash
               FROM audit WHERE app = $1 AND subject = $2 AND action = $3
               ORDER BY id DESC LIMIT 1";
    let args = [app.into(), subject.into(), action.into()];
    tx.optional(sql, &args).await?.map(|row| record(&row)).transpose()
}

/// Walks the chain from the start and names the first record that does not fit.
pub async fn verify(tx: &mut Tx) -> Result<Option<i64>, Error> {
    let mut previous = String::new();
    let mut last = 0;
    loop {
        let sql = "SELECT id, at, app, actor, role, action, subject, before, after, reason, hash
                   FROM audit WHERE id > $1 ORDER BY id LIMIT 500";
        let rows = tx.all(sql, &[last.into()]).await?;
        if rows.is_empty() {
            return Ok(None);
        }
        for row in &rows {
            let record = record(row)?;
            if record.hash != chain_of(&previous, &record) {
                return Ok(Some(record.id));
            }
            last = record.id;
            previous = record.hash;
        }
    }
}

fn chain(previous: &str, entry: &Entry, at: Timestamp) -> String {
    digest(
        previous,
        &json!([
            at.as_microsecond(),
            entry.app,
            entry.actor,
            entry.role,
            entry.action,
            entry.subject,
            canonical(entry.before.as_ref()),
            canonical(entry.after.as_ref()),
            entry.reason,
        ]),
    )
}

fn chain_of(previous: &str, record: &Record) -> String {
    digest(
        previous,
        &json!([
            record.at.as_microsecond(),
            record.app,
            record.actor,
            record.role,
            record.action,
            record.subject,
            canonical(record.before.as_ref()),
            canonical(record.after.as_ref()),
            record.reason,
        ]),
    )
}

fn digest(previous: &str, body: &Json) -> String {
    sha256_hex(format!("{previous}\n{body}"))
}

/// JSON as both databases give it back: `PostgreSQL`'s `jsonb` keeps neither the order of keys nor
/// the difference between `1e16` and its digits.
fn canonical(value: Option<&Json>) -> Json {
    match value {
        Some(Json::Object(map)) => {
            let mut keys: Vec<_> = map.iter().collect();
            keys.sort_by_key(|(key, _)| *key);
            keys.into_iter().map(|(key, value)| json!([key, canonical(Some(value))])).collect()
        }
        Some(Json::Array(items)) => items.iter().map(|item| canonical(Some(item))).collect(),
        Some(Json::Number(number)) => digits(number),
        Some(other) => other.clone(),
        None => Json::Null,
    }
}

/// A float without a fraction as the whole number that `jsonb` makes of it.
fn digits(number: &Number) -> Json {
    const U64: f64 = 18_446_744_073_709_551_616.0;
    const I64: f64 = -9_223_372_036_854_775_808.0;
    match number.as_f64() {
        Some(float) if !number.is_f64() || float.fract() != 0.0 => number.clone().into(),
        Some(float) if (0.0..U64).contains(&float) => (float as u64).into(),
        Some(float) if (I64..0.0).contains(&float) => (float as i64).into(),
        _ => number.clone().into(),
    }
}

fn record(row: &Row) -> Result<Record, Error> {
    Ok(Record {
        id: row.get("id")?,
        at: row.get("at")?,
        app: row.get("app")?,
        actor: row.get("actor")?,
        role: row.get("role")?,
        action: row.get("action")?,
        subject: row.get("subject")?,
        before: row.maybe("before")?,
        after: row.maybe("after")?,
        reason: row.maybe("reason")?,
        hash: row.get("hash")?,
    })
}
