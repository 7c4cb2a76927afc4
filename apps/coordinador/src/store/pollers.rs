//! Signs of life of the processes that carry out runs.

use db::{Error, Tx};
use jiff::Timestamp;

pub async fn heartbeat(tx: &mut Tx, id: &str, now: Timestamp) -> Result<(), Error> {
    let sql = "INSERT INTO pollers (id, beat_at) VALUES ($1, $2)
               ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at";
    tx.execute(sql, &[id.into(), now.into()]).await.map(drop)
}

pub async fn forget(tx: &mut Tx, before: Timestamp) -> Result<(), Error> {
    tx.execute("DELETE FROM pollers WHERE beat_at < $1", &[before.into()]).await.map(drop)
}

/// Whether another process gave a sign of life since.
pub async fn others(tx: &mut Tx, me: &str, since: Timestamp) -> Result<bool, Error> {
    let sql = "SELECT EXISTS (SELECT 1 FROM pollers WHERE id <> $1 AND beat_at >= $2) AS lives";
    tx.one(sql, &[me.into(), since.into()]).await?.get("lives")
}
