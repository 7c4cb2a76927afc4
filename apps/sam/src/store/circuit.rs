//! The Control Room's circuit breaker, and when its answers were last used.

use ::store::{Error, Tx};
use jiff::Timestamp;

use crate::rules::world::{Circuit, Opened};

pub async fn load(tx: &mut Tx, configured: bool) -> Result<(Circuit, Option<Timestamp>), Error> {
    let sql = "SELECT failures, opened_at, until, code, detail, looked_at FROM control_room
               WHERE id = 1";
    let row = tx.one(sql, &[]).await?;
    let opened = match (row.maybe("opened_at")?, row.maybe("until")?) {
        (Some(at), Some(until)) => Some(Opened {
            code: row.maybe("code")?.unwrap_or_default(),
            detail: row.maybe("detail")?.unwrap_or_default(),
            at,
            until,
        }),
        _ => None,
    };
    let circuit = Circuit { configured, failures: row.get("failures")?, opened };
    Ok((circuit, row.maybe("looked_at")?))
}

pub async fn save(tx: &mut Tx, circuit: &Circuit) -> Result<(), Error> {
    let opened = circuit.opened.as_ref();
    let sql = "UPDATE control_room SET failures = $1, opened_at = $2, until = $3, code = $4,
                 detail = $5 WHERE id = 1";
    let args = [
        circuit.failures.into(),
        opened.map(|one| one.at).into(),
        opened.map(|one| one.until).into(),
        opened.map(|one| one.code.clone()).into(),
        opened.map(|one| one.detail.clone()).into(),
    ];
    tx.execute(sql, &args).await.map(drop)
}

/// The launcher has looked.
pub async fn looked(tx: &mut Tx, now: Timestamp) -> Result<(), Error> {
    tx.execute("UPDATE control_room SET looked_at = $1 WHERE id = 1", &[now.into()]).await.map(drop)
}

pub async fn synced(tx: &mut Tx, now: Timestamp, error: Option<&str>) -> Result<(), Error> {
    let sql = "UPDATE control_room SET synced_at = CASE WHEN $2 IS NULL THEN $1 ELSE synced_at END,
                 sync_error = $2 WHERE id = 1";
    tx.execute(sql, &[now.into(), error.into()]).await.map(drop)
}

/// When the last sync succeeded, and how the last one failed.
pub async fn sync_state(tx: &mut Tx) -> Result<(Option<Timestamp>, Option<String>), Error> {
    let row = tx.one("SELECT synced_at, sync_error FROM control_room WHERE id = 1", &[]).await?;
    Ok((row.maybe("synced_at")?, row.maybe("sync_error")?))
}
