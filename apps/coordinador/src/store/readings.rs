//! What gets brought: the last value of each ONU and OID, with its time.

use std::collections::HashMap;

use db::{Error, Row, Rows, Tx, Value};
use jiff::Timestamp;

use crate::model::{Oid, OltId, OnuId, RunId};

/// One get of an OLT, as it ended.
#[derive(Debug, Clone)]
pub struct Reading<'a> {
    pub olt: OltId,
    pub oid: &'a Oid,
    pub run: RunId,
    pub values: &'a [(OnuId, Option<String>)],
    pub errors: usize,
}

/// Keeps what came. Whoever did not answer keeps the value and the time from before.
pub async fn keep(tx: &mut Tx, reading: &Reading<'_>, now: Timestamp) -> Result<(), Error> {
    let sql = "INSERT INTO olt_readings (olt_id, oid, run_id, read_at, values_read, errors)
               VALUES ($1, $2, $3, $4, $5, $6)
               ON CONFLICT (olt_id, oid) DO UPDATE SET run_id = excluded.run_id,
                 read_at = excluded.read_at, values_read = excluded.values_read,
                 errors = excluded.errors RETURNING id";
    let args: [Value; 6] = [
        reading.olt.into(),
        reading.oid.to_string().into(),
        reading.run.into(),
        now.into(),
        (reading.values.len() as i64).into(),
        (reading.errors as i64).into(),
    ];
    let id: i64 = tx.one(sql, &args).await?.get("id")?;
    let mut rows = Rows::new(&["onu", "value"]);
    for (onu, value) in reading.values {
        rows.push([(*onu).into(), value.clone().into()]);
    }
    let sql = "INSERT INTO onu_readings (onu_id, reading_id, value, read_at)
               SELECT v.onu, $1, v.value, $2 FROM ROWS WHERE TRUE
               ON CONFLICT (onu_id, reading_id) DO UPDATE SET value = excluded.value,
                 read_at = excluded.read_at";
    tx.each(sql, &[id.into(), now.into()], &rows).await.map(drop)
}

/// The last value of an OID of an ONU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Last {
    pub oid: String,
    /// None: it answered with nothing.
    pub value: Option<String>,
    pub at: Timestamp,
}

fn read(row: &Row) -> Result<(OnuId, Last), Error> {
    let last = Last { oid: row.get("oid")?, value: row.maybe("value")?, at: row.get("read_at")? };
    Ok((OnuId(row.get("onu_id")?), last))
}

/// All that was read of these ONUs, by OID.
pub async fn of(
    tx: &mut Tx,
    onus: impl Iterator<Item = OnuId>,
) -> Result<HashMap<OnuId, Vec<Last>>, Error> {
    let keys = Rows::of(&["id"], onus);
    let sql = "SELECT r.onu_id, o.oid, r.value, r.read_at
               FROM ROWS JOIN onu_readings r ON r.onu_id = v.id
               JOIN olt_readings o ON o.id = r.reading_id ORDER BY r.onu_id, o.oid";
    let mut found: HashMap<OnuId, Vec<Last>> = HashMap::new();
    for row in &tx.all_of(sql, &[], &keys).await? {
        let (onu, last) = read(row)?;
        found.entry(onu).or_default().push(last);
    }
    Ok(found)
}
