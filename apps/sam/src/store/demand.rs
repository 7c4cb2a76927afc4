//! Pending tickets by provider.

use std::collections::BTreeMap;

use db::{Error, Rows, Tx};
use jiff::{SignedDuration, Timestamp};

use crate::{model::RobotId, rules::balance::Demand};

/// The sum over providers; one that failed, or whose word is too old, makes it unknown.
pub async fn load(
    tx: &mut Tx,
    valid: Option<SignedDuration>,
    now: Timestamp,
) -> Result<BTreeMap<RobotId, Demand>, Error> {
    let rows = tx.all("SELECT robot_id, pending, at FROM demand", &[]).await?;
    let mut demand = BTreeMap::new();
    for row in rows {
        let (at, pending): (Timestamp, Option<i64>) = (row.get("at")?, row.maybe("pending")?);
        let fresh = valid.is_none_or(|valid| now.duration_since(at) <= valid);
        let sum = demand.entry(RobotId(row.get("robot_id")?)).or_insert(Demand::Known(0));
        *sum = match (*sum, pending.filter(|_| fresh)) {
            (Demand::Known(before), Some(pending)) => Demand::Known(before.saturating_add(pending)),
            (Demand::Unknown, _) | (_, None) => Demand::Unknown,
        };
    }
    Ok(demand)
}

/// One provider's word on one robot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub provider: String,
    pub robot: RobotId,
    /// None: the provider failed.
    pub pending: Option<i64>,
}

pub async fn put(tx: &mut Tx, told: &[Told], now: Timestamp) -> Result<(), Error> {
    let mut rows = Rows::new(&["provider", "robot", "pending", "at"]);
    for one in told {
        rows.push([one.provider.as_str().into(), one.robot.into(), one.pending.into(), now.into()]);
    }
    let sql = "INSERT INTO demand (provider, robot_id, pending, at)
               SELECT v.provider, v.robot, v.pending, v.at FROM ROWS WHERE TRUE
               ON CONFLICT (provider, robot_id) DO UPDATE SET pending = excluded.pending,
                 at = excluded.at";
    tx.each(sql, &[], &rows).await.map(drop)
}

/// Makes `told` the provider's whole word: robots it no longer names have no tickets with it.
pub async fn replace(
    tx: &mut Tx,
    provider: &str,
    told: &[Told],
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "UPDATE demand SET pending = 0, at = $2 WHERE provider = $1";
    tx.execute(sql, &[provider.into(), now.into()]).await?;
    put(tx, told, now).await
}

/// The provider failed: what it said before is not known to hold.
pub async fn failed(tx: &mut Tx, provider: &str, now: Timestamp) -> Result<u64, Error> {
    let sql = "UPDATE demand SET pending = NULL, at = $2
               WHERE provider = $1 AND pending IS NOT NULL";
    tx.execute(sql, &[provider.into(), now.into()]).await
}

/// A provider's word as kept.
#[derive(Debug, Clone)]
pub struct Line {
    pub provider: String,
    pub robot: RobotId,
    pub pending: Option<i64>,
    pub at: Timestamp,
}

pub async fn lines(tx: &mut Tx) -> Result<Vec<Line>, Error> {
    let sql = "SELECT provider, robot_id, pending, at FROM demand ORDER BY robot_id, provider
               LIMIT 10000";
    let rows = tx.all(sql, &[]).await?;
    rows.iter()
        .map(|row| {
            Ok(Line {
                provider: row.get("provider")?,
                robot: RobotId(row.get("robot_id")?),
                pending: row.maybe("pending")?,
                at: row.get("at")?,
            })
        })
        .collect()
}
