//! Callbacks that name no run we know: kept for a day, a bounded number of them, each a few lines.
//! A deployment that becomes known in that time finds its own.

use db::{Error, Tx};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};

/// A deploy's answer comes within seconds; what nobody claimed in a day nobody will.
const KEPT: SignedDuration = SignedDuration::from_hours(24);
const MOST: i64 = 10_000;
/// What a bot puts out may be long; without its run it is not kept.
const MOST_BYTES: usize = 4_096;

/// `false`: there are too many already. Said again, it is one.
pub async fn keep(
    tx: &mut Tx,
    deployment: &str,
    status: &str,
    payload: &Json,
    now: Timestamp,
) -> Result<bool, Error> {
    forget(tx, now).await?;
    let sql = "SELECT COUNT(*) AS n FROM stray_callbacks";
    if tx.one(sql, &[]).await?.get::<i64>("n")? >= MOST {
        return Ok(false);
    }
    let short = json!({ "deploymentId": deployment, "status": status });
    let payload = if payload.to_string().len() > MOST_BYTES { &short } else { payload };
    let sql = "INSERT INTO stray_callbacks (deployment_id, status, payload, received_at)
               VALUES ($1, $2, $3, $4) ON CONFLICT (deployment_id, status) DO NOTHING";
    let args = [deployment.into(), status.into(), payload.clone().into(), now.into()];
    tx.execute(sql, &args).await?;
    Ok(true)
}

/// The first callback that waited for this deployment.
pub async fn matching(
    tx: &mut Tx,
    deployment: &str,
    now: Timestamp,
) -> Result<Option<(String, Json)>, Error> {
    forget(tx, now).await?;
    let sql = "SELECT id, status, payload FROM stray_callbacks
               WHERE deployment_id = $1 AND matched_at IS NULL ORDER BY id LIMIT 1";
    let Some(row) = tx.optional(sql, &[deployment.into()]).await? else { return Ok(None) };
    // From now on its run is known, and whatever else is said of it goes there.
    let sql = "DELETE FROM stray_callbacks WHERE deployment_id = $1";
    tx.execute(sql, &[deployment.into()]).await?;
    Ok(Some((row.get("status")?, row.get("payload")?)))
}

async fn forget(tx: &mut Tx, now: Timestamp) -> Result<(), Error> {
    let before = now.saturating_sub(KEPT).unwrap_or(Timestamp::MIN);
    let sql = "DELETE FROM stray_callbacks WHERE received_at < $1";
    tx.execute(sql, &[before.into()]).await.map(drop)
}
