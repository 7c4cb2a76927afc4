//! Effects are rows: what must happen outside, performed at least once under one key.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value as Json;

use crate::{Error, Row, Store, Tx};

/// An effect to be performed after the commit that wants it.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEffect {
    pub app: &'static str,
    pub kind: &'static str,
    /// Names the effect once and for all; a second one under the same key is the same effect.
    pub key: String,
    pub payload: Json,
}

/// An effect this process holds until its claim runs out.
#[derive(Clone, Debug, PartialEq)]
pub struct Claimed {
    pub id: i64,
    pub app: String,
    pub kind: String,
    pub key: String,
    pub payload: Json,
    /// Counts from 1 and is the token of this claim: a late worker's outcome is refused.
    pub attempt: i64,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Done,
    /// Try again at this instant.
    Retry {
        error: String,
        at: Timestamp,
    },
    /// Give up; a person has to look.
    Dead {
        error: String,
    },
}

pub(crate) async fn append(
    tx: &mut Tx,
    effect: &NewEffect,
    now: Timestamp,
) -> Result<Option<i64>, Error> {
    let sql = "INSERT INTO effects (app, kind, key, payload, due_at, created_at)
               VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT (key) DO NOTHING RETURNING id";
    let args = [
        effect.app.into(),
        effect.kind.into(),
        effect.key.as_str().into(),
        effect.payload.clone().into(),
        now.into(),
    ];
    tx.optional(sql, &args).await?.map(|row| row.get("id")).transpose()
}

const CLAIM_SQLITE: &str = "UPDATE effects SET attempts = attempts + 1, claimed_until = $2,
        claimed_by = $4
    WHERE id IN (SELECT id FROM effects WHERE state = 'PENDING' AND due_at <= $1
                 AND (claimed_until IS NULL OR claimed_until <= $1
                      OR NOT EXISTS (SELECT 1 FROM processes WHERE name = claimed_by))
                 ORDER BY due_at, id LIMIT $3)
    RETURNING id, app, kind, key, payload, attempts";

/// Differs from `SQLite`'s by SKIP LOCKED: two processes claim disjoint sets without waiting. It is
/// materialised because a join that rescans the selection would lock more than the limit.
const CLAIM_POSTGRES: &str = "WITH due AS MATERIALIZED (
        SELECT id FROM effects WHERE state = 'PENDING' AND due_at <= $1
        AND (claimed_until IS NULL OR claimed_until <= $1
             OR NOT EXISTS (SELECT 1 FROM processes WHERE name = claimed_by))
        ORDER BY due_at, id LIMIT $3 FOR UPDATE SKIP LOCKED)
    UPDATE effects SET attempts = attempts + 1, claimed_until = $2, claimed_by = $4
    WHERE id IN (SELECT id FROM due)
    RETURNING id, app, kind, key, payload, attempts";

impl Store {
    /// Takes up to `limit` effects that are due, for `lease`, by the name of a process. The claim
    /// also ends when that process is gone.
    pub async fn claim_effects(
        &self,
        by: &str,
        now: Timestamp,
        lease: SignedDuration,
        limit: i64,
    ) -> Result<Vec<Claimed>, Error> {
        // An idle poll must not take SQLite's write lock.
        if self.next_effect().await?.is_none_or(|due| due > now) {
            return Ok(Vec::new());
        }
        let mut tx = self.write_unlocked().await?;
        let sql = tx.dialect().pick(CLAIM_SQLITE, CLAIM_POSTGRES);
        let rows =
            tx.all(sql, &[now.into(), (now + lease).into(), limit.into(), by.into()]).await?;
        let mut claimed = rows.iter().map(claimed).collect::<Result<Vec<_>, _>>()?;
        tx.commit().await?;
        claimed.sort_by_key(|effect| effect.id);
        Ok(claimed)
    }

    /// Records how an attempt ended. `false`: the claim was lost to a later attempt.
    pub async fn finish_effect(
        &self,
        effect: &Claimed,
        outcome: &Outcome,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let (state, error, due) = match outcome {
            Outcome::Done => ("DONE", None, now),
            Outcome::Retry { error, at } => ("PENDING", Some(error.as_str()), *at),
            Outcome::Dead { error } => ("DEAD", Some(error.as_str()), now),
        };
        let finished = (state != "PENDING").then_some(now);
        let mut tx = self.write_unlocked().await?;
        let sql = "UPDATE effects SET state = $1, last_error = $2, due_at = $3, finished_at = $4,
                   claimed_until = NULL WHERE id = $5 AND attempts = $6 AND state = 'PENDING'";
        let args = [
            state.into(),
            error.into(),
            due.into(),
            finished.into(),
            effect.id.into(),
            effect.attempt.into(),
        ];
        let changed = tx.execute(sql, &args).await?;
        tx.commit().await?;
        Ok(changed == 1)
    }

    /// When the next effect falls due, claims in progress included.
    pub async fn next_effect(&self) -> Result<Option<Timestamp>, Error> {
        let sql = "SELECT MIN(CASE WHEN claimed_until > due_at
                       AND EXISTS (SELECT 1 FROM processes WHERE name = claimed_by)
                       THEN claimed_until ELSE due_at END) AS due
                   FROM effects WHERE state = 'PENDING'";
        self.read().await?.one(sql, &[]).await?.maybe("due")
    }
}

fn claimed(row: &Row) -> Result<Claimed, Error> {
    Ok(Claimed {
        id: row.get("id")?,
        app: row.get("app")?,
        kind: row.get("kind")?,
        key: row.get("key")?,
        payload: row.get("payload")?,
        attempt: row.get("attempts")?,
    })
}
