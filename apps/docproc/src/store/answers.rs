//! Answers as they were given (§3.10): a first one that lacks documents, then the final one.
//! Those somebody wants to be told of are delivered one after another.

use std::collections::HashMap;

use db::{Decision, Error, Rows, Tx, effects::NewEffect};
use engine::Word as _;
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::requests::RequestRow;

/// The effect that delivers an answer.
pub const CALLBACK: &str = "docproc.callback";

engine::words! {
    /// Why an answer was given.
    pub enum Kind {
        /// The workflow says that this is enough.
        Early = "early",
        /// Time was running out.
        Partial = "partial",
        Final = "final",
    }
}

/// An answer to be given.
#[derive(Clone, Debug)]
pub struct Given {
    request: String,
    kind: Kind,
    body: Json,
    told: bool,
}

impl Given {
    pub fn new(
        row: &RequestRow,
        kind: Kind,
        status: &str,
        result: Option<&Json>,
        pending: &[Json],
    ) -> Self {
        let body = json!({
            "request_id": row.id,
            "external_id": row.external_id,
            "trace_id": row.trace_id,
            "workflow_name": row.workflow_name,
            "kind": kind.word(),
            "status": status,
            "partial": kind != Kind::Final,
            "result": result,
            "pending": pending,
            "error": row.error,
            "created_at": row.created_at,
            "deadline_utc": row.deadline,
            "sla_breached_at": row.breached_at,
        });
        Self { request: row.id.clone(), kind, body, told: row.callback_url.is_some() }
    }
}

/// Keeps answers, at most one of each request, and has the first undelivered one of each delivered.
pub async fn give(decision: &mut Decision, given: &[Given]) -> Result<(), Error> {
    let mut rows = Rows::new(&["request_id", "kind", "body", "delivery"]);
    for one in given {
        let delivery = if one.told { "PENDING" } else { "NONE" };
        let (request, kind) = (one.request.as_str().into(), one.kind.word().into());
        rows.push([request, kind, one.body.clone().into(), delivery.into()]);
    }
    let sql = "INSERT INTO answers (request_id, n, kind, body, given_at, delivery)
               SELECT v.request_id, 1 + COALESCE((SELECT MAX(n) FROM answers
                      WHERE answers.request_id = v.request_id), 0), v.kind, v.body, $1, v.delivery
               FROM ROWS WHERE true";
    decision.tx.each(sql, &[decision.now.into()], &rows).await?;
    let told: Vec<&str> =
        given.iter().filter(|one| one.told).map(|one| one.request.as_str()).collect();
    for (request, n) in pending(&mut decision.tx, &told).await? {
        deliver(decision, &request, n);
    }
    Ok(())
}

/// The first answer of each of these requests that has not arrived.
async fn pending(tx: &mut Tx, requests: &[&str]) -> Result<HashMap<String, i64>, Error> {
    let sql = "SELECT request_id, MIN(n) AS n FROM answers
               WHERE delivery = 'PENDING' AND request_id IN (SELECT id FROM ROWS)
               GROUP BY request_id";
    let rows = tx.all_of(sql, &[], &Rows::of(&["id"], requests.iter().copied())).await?;
    rows.iter().map(|row| Ok((row.get("request_id")?, row.get("n")?))).collect()
}

/// One delivery of a request is under way at a time: the key makes asking twice harmless.
fn deliver(decision: &mut Decision, request: &str, n: i64) {
    let key = format!("{CALLBACK}/{request}/{n}");
    let payload = json!({ "request_id": request, "n": n });
    decision.effect(NewEffect { app: crate::NAME, kind: CALLBACK, key, payload });
}

/// An answer on its way.
#[derive(Clone, Debug)]
pub struct Outgoing {
    pub url: String,
    pub body: Json,
}

/// What is to be sent; nothing when it arrived before or was given up.
pub async fn outgoing(tx: &mut Tx, request: &str, n: i64) -> Result<Option<Outgoing>, Error> {
    let sql = "SELECT body, callback_url FROM answers JOIN requests ON requests.id = request_id
               WHERE request_id = $1 AND n = $2 AND delivery = 'PENDING'";
    let Some(row) = tx.optional(sql, &[request.into(), n.into()]).await? else { return Ok(None) };
    let Some(url) = row.maybe("callback_url")? else { return Ok(None) };
    let mut body: Json = row.get("body")?;
    body["sequence"] = n.into();
    Ok(Some(Outgoing { url, body }))
}

/// Records how a delivery ended, and begins the next one of the same request.
pub async fn delivered(
    decision: &mut Decision,
    request: &str,
    n: i64,
    arrived: bool,
) -> Result<(), Error> {
    let word = if arrived { "DONE" } else { "FAILED" };
    let sql = "UPDATE answers SET delivery = $3, delivered_at = $4
               WHERE request_id = $1 AND n = $2 AND delivery = 'PENDING'";
    let args = [request.into(), n.into(), word.into(), decision.now.into()];
    decision.tx.execute(sql, &args).await?;
    for (request, n) in pending(&mut decision.tx, &[request]).await? {
        deliver(decision, &request, n);
    }
    Ok(())
}

/// An answer with how its delivery stands.
#[derive(Clone, Debug)]
pub struct Logged {
    pub n: i64,
    pub kind: String,
    pub given_at: Timestamp,
    pub delivery: String,
    pub delivered_at: Option<Timestamp>,
    pub attempts: i64,
    pub error: Option<String>,
    pub next_at: Option<Timestamp>,
}

pub async fn log(tx: &mut Tx, request: &str) -> Result<Vec<Logged>, Error> {
    let sql = "SELECT n, answers.kind, given_at, delivery, delivered_at,
               COALESCE(effects.attempts, 0) AS attempts, last_error,
               CASE WHEN effects.state = 'PENDING' THEN due_at END AS next_at
               FROM answers LEFT JOIN effects
               ON effects.key = $2 || answers.request_id || '/' || CAST(n AS TEXT)
               WHERE request_id = $1 ORDER BY n LIMIT 200";
    let rows = tx.all(sql, &[request.into(), format!("{CALLBACK}/").into()]).await?;
    rows.iter()
        .map(|row| {
            Ok(Logged {
                n: row.get("n")?,
                kind: row.get("kind")?,
                given_at: row.get("given_at")?,
                delivery: row.get("delivery")?,
                delivered_at: row.maybe("delivered_at")?,
                attempts: row.get("attempts")?,
                error: row.maybe("last_error")?,
                next_at: row.maybe("next_at")?,
            })
        })
        .collect()
}
