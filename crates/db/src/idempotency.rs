//! A client's `Idempotency-Key`: the same request twice is one change and one answer.

use jiff::Timestamp;
use serde_json::Value as Json;

use crate::{Decision, Error};

/// What is known of a key inside the decision that uses it.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// Never: go ahead and [`remember`].
    New,
    /// This very request was answered already.
    Same(Json),
    /// The key was used for another request.
    Other,
}

/// Looks a key up; `fingerprint` identifies the request body.
pub async fn recall(
    decision: &mut Decision,
    scope: &str,
    key: &str,
    fingerprint: &str,
) -> Result<Seen, Error> {
    let sql = "SELECT fingerprint, answer FROM idempotency WHERE scope = $1 AND key = $2";
    let Some(row) = decision.tx.optional(sql, &[scope.into(), key.into()]).await? else {
        return Ok(Seen::New);
    };
    if row.get::<String>("fingerprint")? == fingerprint {
        Ok(Seen::Same(row.get("answer")?))
    } else {
        Ok(Seen::Other)
    }
}

/// Keeps the answer with the change it belongs to.
pub async fn remember(
    decision: &mut Decision,
    scope: &str,
    key: &str,
    fingerprint: &str,
    answer: &Json,
) -> Result<(), Error> {
    let sql = "INSERT INTO idempotency (scope, key, fingerprint, answer, created_at)
               VALUES ($1, $2, $3, $4, $5)";
    let now = decision.now;
    let args = [scope.into(), key.into(), fingerprint.into(), answer.clone().into(), now.into()];
    decision.tx.execute(sql, &args).await.map(drop)
}

/// Forgets keys older than `before`, a bounded number at a time.
pub async fn prune(decision: &mut Decision, before: Timestamp) -> Result<u64, Error> {
    let sql = "DELETE FROM idempotency WHERE key IN
               (SELECT key FROM idempotency WHERE created_at < $1 ORDER BY created_at LIMIT 500)
               AND created_at < $1";
    decision.tx.execute(sql, &[before.into()]).await
}
