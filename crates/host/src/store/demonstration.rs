//! The row that says how much of the demonstration's past is lived.

use db::Tx;
use jiff::Timestamp;

/// Until when the past was lived, and whether all of it; none: it was not begun.
pub(crate) async fn lived(tx: &mut Tx) -> Result<Option<(Timestamp, bool)>, db::Error> {
    let sql = "SELECT lived_until, ended FROM demonstration WHERE id = 1";
    let row = tx.optional(sql, &[]).await?;
    row.map(|row| Ok((row.get("lived_until")?, row.get("ended")?))).transpose()
}

pub(crate) async fn remember(
    tx: &mut Tx,
    from: Timestamp,
    until: Timestamp,
    ended: bool,
) -> Result<(), db::Error> {
    let sql = "INSERT INTO demonstration (id, began_at, lived_until, ended)
               VALUES (1, $1, $2, $3)
               ON CONFLICT (id) DO UPDATE SET lived_until = $2, ended = $3";
    tx.execute(sql, &[from.into(), until.into(), ended.into()]).await.map(drop)
}
