//! The Control Room's circuit breaker, and when its answers were last used.

use db::{Error, Tx};
use jiff::Timestamp;

use crate::rules::world::{Circuit, Opened};

pub async fn load(tx: &mut Tx, configured: bool) -> Result<(Circuit, Option<Timestamp>), Error> {
    let sql = "SELECT failures, opened_at, until, code, detail, looked_at FROM control_room
               WHERE id = 1";
    // No row: the Control Room was never spoken to.
    let Some(row) = tx.optional(sql, &[]).await? else {
        return Ok((Circuit { configured, ..Circuit::default() }, None));
    };
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
    let sql = "INSERT INTO control_room (id, failures, opened_at, until, code, detail)
               VALUES (1, $1, $2, $3, $4, $5)
               ON CONFLICT (id) DO UPDATE SET failures = excluded.failures,
                 opened_at = excluded.opened_at, until = excluded.until, code = excluded.code,
                 detail = excluded.detail";
    let args = [
        circuit.failures.into(),
        opened.map(|one| one.at).into(),
        opened.map(|one| one.until).into(),
        opened.map(|one| one.code.clone()).into(),
        opened.map(|one| one.detail.clone()).into(),
    ];
    tx.execute(sql, &args).await.map(drop)
}

/// A deploy was accepted.
pub async fn accepted(tx: &mut Tx, now: Timestamp) -> Result<(), Error> {
    let sql = "INSERT INTO control_room (id, accepted_at) VALUES (1, $1)
               ON CONFLICT (id) DO UPDATE SET accepted_at = excluded.accepted_at";
    tx.execute(sql, &[now.into()]).await.map(drop)
}

pub async fn accepted_at(tx: &mut Tx) -> Result<Option<Timestamp>, Error> {
    let sql = "SELECT accepted_at FROM control_room WHERE id = 1";
    tx.optional(sql, &[]).await?.map_or(Ok(None), |row| row.maybe("accepted_at"))
}

/// The launcher has looked.
pub async fn looked(tx: &mut Tx, now: Timestamp) -> Result<(), Error> {
    let sql = "INSERT INTO control_room (id, looked_at) VALUES (1, $1)
               ON CONFLICT (id) DO UPDATE SET looked_at = excluded.looked_at";
    tx.execute(sql, &[now.into()]).await.map(drop)
}

pub async fn synced(tx: &mut Tx, now: Timestamp, error: Option<&str>) -> Result<(), Error> {
    let sql = "INSERT INTO control_room (id, synced_at, sync_error) VALUES (1, $1, $2)
               ON CONFLICT (id) DO UPDATE SET sync_error = excluded.sync_error,
                 synced_at = COALESCE(excluded.synced_at, control_room.synced_at)";
    let at = Some(now).filter(|_| error.is_none());
    tx.execute(sql, &[at.into(), error.into()]).await.map(drop)
}

/// When the last sync succeeded, and how the last one failed.
pub async fn sync_state(tx: &mut Tx) -> Result<(Option<Timestamp>, Option<String>), Error> {
    let sql = "SELECT synced_at, sync_error FROM control_room WHERE id = 1";
    match tx.optional(sql, &[]).await? {
        Some(row) => Ok((row.maybe("synced_at")?, row.maybe("sync_error")?)),
        None => Ok((None, None)),
    }
}
