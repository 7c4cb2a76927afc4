//! What the second reader did lately, and what it cost.

use db::{Error, Tx};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::Value as Json;

use crate::rules::second::RULE;

/// The newest so many say what is usual.
const MOST: i64 = 10_000;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Seconded {
    /// Documents it was asked about.
    pub documents: i64,
    /// Times that it did not answer, or nothing of use.
    pub failed: i64,
    pub agreed: i64,
    pub disputed: i64,
    pub added: i64,
    /// Values it named that are not on the page.
    pub unseen: i64,
    pub tokens: i64,
    pub mean_ms: i64,
}

/// The newest so many say how it is now.
const LATEST: i64 = 200;
const LATELY: SignedDuration = SignedDuration::from_hours(1);

/// How many documents it was asked about in the last hour, and how often nothing came of it.
pub async fn lately(tx: &mut Tx, now: Timestamp) -> Result<(i64, i64), Error> {
    let since = now.saturating_sub(LATELY).unwrap_or(Timestamp::MIN);
    let sql = "SELECT payload, given_at FROM stage_replies WHERE item <> ''
               ORDER BY request_id DESC LIMIT $1";
    let (mut asked, mut failed) = (0, 0);
    for row in tx.all(sql, &[LATEST.into()]).await? {
        let payload: Json = row.get("payload")?;
        if let Some(said) = payload.get(RULE)
            && row.get::<Timestamp>("given_at")? >= since
        {
            asked += 1;
            failed += i64::from(said.get("failed").is_some());
        }
    }
    Ok((asked, failed))
}

pub async fn load(tx: &mut Tx, since: Timestamp) -> Result<Seconded, Error> {
    // Requests are named in the order in which they came.
    let sql = "SELECT payload FROM stage_replies WHERE item <> '' AND given_at >= $1
               ORDER BY request_id DESC LIMIT $2";
    let mut all = Seconded::default();
    let mut ms = 0;
    for row in tx.all(sql, &[since.into(), MOST.into()]).await? {
        let payload: Json = row.get("payload")?;
        let Some(said) = payload.get(RULE) else { continue };
        let number = |name: &str| said.get(name).and_then(Json::as_i64).unwrap_or_default();
        all.documents += 1;
        all.failed += i64::from(said.get("failed").is_some());
        all.agreed += number("agreed");
        all.disputed += number("disputed");
        all.added += number("added");
        all.unseen += number("unseen");
        all.tokens += number("tokens");
        ms += number("ms");
    }
    all.mean_ms = ms / all.documents.max(1);
    Ok(all)
}
