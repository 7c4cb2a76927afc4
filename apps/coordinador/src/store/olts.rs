//! OLTs as they are kept: what an operator says, and what their devices showed.

use std::collections::HashMap;

use db::{Error, Row, Rows, Tx, Value, trusted};
use engine::Word as _;
use jiff::Timestamp;

use crate::model::{Backoff, Oid, Olt, OltId, RunId, SnmpVersion};

const COLUMNS: &str = "id, name, brand, model, address, port, snmp, enabled, workflow_active, \
                       failures, down_since, retry_at, version";

pub fn read(row: &Row) -> Result<Olt, Error> {
    let port: i64 = row.get("port")?;
    Ok(Olt {
        id: OltId(row.get("id")?),
        name: row.get("name")?,
        brand: row.get("brand")?,
        model: row.maybe("model")?,
        address: row.get("address")?,
        port: u16::try_from(port).map_err(|_| Error::corrupt("port"))?,
        version: row.word("snmp", SnmpVersion::from_word)?,
        enabled: row.get("enabled")?,
        workflow_active: row.get("workflow_active")?,
        backoff: backoff(row)?,
        row_version: row.get("version")?,
    })
}

pub fn backoff(row: &Row) -> Result<Option<Backoff>, Error> {
    let (since, until) = (row.maybe("down_since")?, row.maybe("retry_at")?);
    let failures: i64 = row.get("failures")?;
    Ok(since.zip(until).map(|(since, until)| Backoff {
        failures: u32::try_from(failures).unwrap_or(u32::MAX),
        since,
        until,
    }))
}

/// What the screens show beside the rules' view.
#[derive(Debug, Clone)]
pub struct Health {
    pub repetitions: Option<i64>,
    pub answered_at: Option<Timestamp>,
    pub response_us: Option<i64>,
    pub walked_at: Option<Timestamp>,
    pub held_run: Option<RunId>,
    pub deleted_at: Option<Timestamp>,
}

const HEALTH: &str = "repetitions, answered_at, response_us, walked_at, held_run, deleted_at";

fn read_health(row: &Row) -> Result<Health, Error> {
    Ok(Health {
        repetitions: row.maybe("repetitions")?,
        answered_at: row.maybe("answered_at")?,
        response_us: row.maybe("response_us")?,
        walked_at: row.maybe("walked_at")?,
        held_run: row.maybe("held_run")?.map(RunId),
        deleted_at: row.maybe("deleted_at")?,
    })
}

pub async fn health(tx: &mut Tx, id: OltId) -> Result<Health, Error> {
    let sql = trusted(format!("SELECT {HEALTH} FROM olts WHERE id = $1"));
    read_health(&tx.one(sql, &[id.into()]).await?)
}

pub async fn all_with_health(tx: &mut Tx) -> Result<Vec<(Olt, Health)>, Error> {
    let sql = trusted(format!(
        "SELECT {COLUMNS}, {HEALTH} FROM olts WHERE deleted_at IS NULL ORDER BY name, id"
    ));
    let rows = tx.all(sql, &[]).await?;
    rows.iter().map(|row| Ok((read(row)?, read_health(row)?))).collect()
}

/// All that were not deleted.
pub async fn all(tx: &mut Tx) -> Result<Vec<Olt>, Error> {
    let sql =
        trusted(format!("SELECT {COLUMNS} FROM olts WHERE deleted_at IS NULL ORDER BY name, id"));
    tx.all(sql, &[]).await?.iter().map(read).collect()
}

/// These, deleted or not.
pub async fn of(tx: &mut Tx, mut ids: Vec<OltId>) -> Result<Vec<Olt>, Error> {
    ids.sort_unstable();
    ids.dedup();
    let sql = "SELECT o.id, o.name, o.brand, o.model, o.address, o.port, o.snmp, o.enabled,
                 o.workflow_active, o.failures, o.down_since, o.retry_at, o.version
               FROM ROWS JOIN olts o ON o.id = v.key ORDER BY o.id";
    tx.all_of(sql, &[], &Rows::of(&["key"], ids)).await?.iter().map(read).collect()
}

pub async fn any(tx: &mut Tx) -> Result<bool, Error> {
    let sql = "SELECT EXISTS (SELECT 1 FROM olts WHERE deleted_at IS NULL) AS one";
    tx.one(sql, &[]).await?.get("one")
}

pub async fn find(tx: &mut Tx, id: OltId) -> Result<Option<Olt>, Error> {
    let sql = trusted(format!("SELECT {COLUMNS} FROM olts WHERE id = $1 AND deleted_at IS NULL"));
    tx.optional(sql, &[id.into()]).await?.as_ref().map(read).transpose()
}

pub async fn by_name(tx: &mut Tx, name: &str) -> Result<Option<Olt>, Error> {
    let sql = trusted(format!("SELECT {COLUMNS} FROM olts WHERE name = $1 AND deleted_at IS NULL"));
    tx.optional(sql, &[name.into()]).await?.as_ref().map(read).transpose()
}

/// Those at this address and port.
pub async fn at(tx: &mut Tx, address: &str, port: u16) -> Result<Vec<Olt>, Error> {
    let sql = trusted(format!(
        "SELECT {COLUMNS} FROM olts WHERE LOWER(address) = $1 AND port = $2
         AND deleted_at IS NULL ORDER BY id"
    ));
    let args = [address.to_lowercase().into(), i64::from(port).into()];
    tx.all(sql, &args).await?.iter().map(read).collect()
}

fn columns(olt: &Olt) -> Vec<Value> {
    vec![
        olt.name.as_str().into(),
        olt.brand.as_str().into(),
        olt.model.clone().into(),
        olt.address.as_str().into(),
        i64::from(olt.port).into(),
        olt.version.word().into(),
        olt.enabled.into(),
        olt.workflow_active.into(),
    ]
}

/// A new OLT; its secret is sealed under its id, so it comes with [`seal`] in the same decision.
pub async fn insert(tx: &mut Tx, olt: &Olt, now: Timestamp) -> Result<OltId, Error> {
    let sql = "INSERT INTO olts (name, brand, model, address, port, snmp, enabled,
                 workflow_active, credential, created_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id";
    let mut args = columns(olt);
    args.extend([Vec::new().into(), now.into()]);
    Ok(OltId(tx.one(sql, &args).await?.get("id")?))
}

/// Writes what the operator may change, one version further.
pub async fn update(tx: &mut Tx, olt: &Olt) -> Result<(), Error> {
    let sql = "UPDATE olts SET name = $1, brand = $2, model = $3, address = $4, port = $5,
                 snmp = $6, enabled = $7, workflow_active = $8, version = version + 1
               WHERE id = $9 AND version = $10 AND deleted_at IS NULL";
    let mut args = columns(olt);
    args.extend([olt.id.into(), olt.row_version.into()]);
    tx.guarded("the OLT changed meanwhile", sql, &args).await
}

pub async fn seal(tx: &mut Tx, id: OltId, credential: Vec<u8>) -> Result<(), Error> {
    let sql = "UPDATE olts SET credential = $2 WHERE id = $1";
    tx.execute(sql, &[id.into(), credential.into()]).await.map(drop)
}

/// Every OLT with a secret, those that were deleted too.
pub async fn all_sealed(tx: &mut Tx) -> Result<Vec<(OltId, Vec<u8>)>, Error> {
    let sql = "SELECT id, credential FROM olts WHERE LENGTH(credential) > 0 ORDER BY id";
    let rows = tx.all(sql, &[]).await?;
    rows.iter().map(|row| Ok((OltId(row.get("id")?), row.get("credential")?))).collect()
}

pub async fn sealed(tx: &mut Tx, id: OltId) -> Result<Vec<u8>, Error> {
    tx.one("SELECT credential FROM olts WHERE id = $1", &[id.into()]).await?.get("credential")
}

/// Kept for its history, out of everybody's way.
pub async fn delete(
    tx: &mut Tx,
    olt: &Olt,
    by: &str,
    reason: Option<&str>,
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "UPDATE olts SET deleted_at = $3, deleted_by = $4, deletion_reason = $5,
                 enabled = FALSE, version = version + 1
               WHERE id = $1 AND version = $2 AND deleted_at IS NULL";
    let args = [olt.id.into(), olt.row_version.into(), now.into(), by.into(), reason.into()];
    tx.guarded("the OLT changed meanwhile", sql, &args).await
}

/// What a run found out about the device, whatever became of the run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Heard {
    pub response_us: Option<i64>,
    pub repetitions: Option<i64>,
}

/// It answered: what it was left alone for is over.
pub async fn answered(tx: &mut Tx, id: OltId, heard: Heard, now: Timestamp) -> Result<(), Error> {
    let sql = "UPDATE olts SET failures = 0, down_since = NULL, retry_at = NULL, answered_at = $2,
                 response_us = COALESCE($3, response_us), repetitions = COALESCE($4, repetitions)
               WHERE id = $1";
    let args = [id.into(), now.into(), heard.response_us.into(), heard.repetitions.into()];
    tx.execute(sql, &args).await.map(drop)
}

pub async fn silent(tx: &mut Tx, id: OltId, backoff: &Backoff) -> Result<(), Error> {
    let sql = "UPDATE olts SET failures = $2, down_since = $3, retry_at = $4 WHERE id = $1";
    let failures = i64::from(backoff.failures);
    let args = [id.into(), failures.into(), backoff.since.into(), backoff.until.into()];
    tx.execute(sql, &args).await.map(drop)
}

/// A complete walk of this object was believed.
pub async fn walked(
    tx: &mut Tx,
    id: OltId,
    oid: Option<&Oid>,
    lost: Option<usize>,
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "UPDATE olts SET held_run = NULL, loss_accepted = FALSE, walked_at = $3,
                 walked_oid = $2, lost_onus = $4 WHERE id = $1";
    let lost = lost.and_then(|lost| i64::try_from(lost).ok());
    let args = [id.into(), oid.map(ToString::to_string).into(), now.into(), lost.into()];
    tx.execute(sql, &args).await.map(drop)
}

/// A walk is held back until another says the same.
pub async fn held(tx: &mut Tx, id: OltId, run: RunId) -> Result<(), Error> {
    let sql = "UPDATE olts SET held_run = $2, loss_accepted = FALSE WHERE id = $1";
    tx.execute(sql, &[id.into(), run.into()]).await.map(drop)
}

/// Brand and walked object of every OLT, to say what a state means.
pub async fn tongues(tx: &mut Tx) -> Result<HashMap<OltId, (String, Option<String>)>, Error> {
    let rows = tx.all("SELECT id, brand, walked_oid FROM olts", &[]).await?;
    let tongue =
        |row: &Row| Ok((OltId(row.get("id")?), (row.get("brand")?, row.maybe("walked_oid")?)));
    rows.iter().map(tongue).collect()
}

/// The slowest to answer, and those that do not.
pub async fn troubled(tx: &mut Tx, most: i64) -> Result<(Vec<Olt>, Vec<(Olt, i64)>), Error> {
    let sql = trusted(format!(
        "SELECT {COLUMNS} FROM olts WHERE deleted_at IS NULL AND enabled AND down_since IS NOT NULL
         ORDER BY down_since, id LIMIT $1"
    ));
    let dead = tx.all(sql, &[most.into()]).await?;
    let sql = trusted(format!(
        "SELECT {COLUMNS}, response_us FROM olts WHERE deleted_at IS NULL AND enabled
         AND down_since IS NULL AND response_us IS NOT NULL ORDER BY response_us DESC, id LIMIT $1"
    ));
    let slow = tx.all(sql, &[most.into()]).await?;
    let dead = dead.iter().map(read).collect::<Result<_, _>>()?;
    let slow = slow.iter().map(|row| Ok((read(row)?, row.get("response_us")?)));
    Ok((dead, slow.collect::<Result<_, Error>>()?))
}

/// What people should hear about OLTs that are in use.
#[derive(Debug, Clone)]
pub struct Troubled {
    pub id: OltId,
    pub name: String,
    pub failures: i64,
    pub down_since: Option<Timestamp>,
    pub held: bool,
    pub lost: Option<i64>,
}

pub async fn in_trouble(tx: &mut Tx) -> Result<Vec<Troubled>, Error> {
    let sql = "SELECT id, name, failures, down_since, held_run, lost_onus FROM olts
               WHERE deleted_at IS NULL AND enabled
                 AND (down_since IS NOT NULL OR held_run IS NOT NULL OR lost_onus IS NOT NULL)
               ORDER BY name, id";
    let rows = tx.all(sql, &[]).await?;
    rows.iter()
        .map(|row| {
            Ok(Troubled {
                id: OltId(row.get("id")?),
                name: row.get("name")?,
                failures: row.get("failures")?,
                down_since: row.maybe("down_since")?,
                held: row.maybe::<i64>("held_run")?.is_some(),
                lost: row.maybe("lost_onus")?,
            })
        })
        .collect()
}

/// Whether a person said that a great loss is true; it counts for one walk.
pub async fn loss_accepted(tx: &mut Tx, id: OltId) -> Result<bool, Error> {
    tx.one("SELECT loss_accepted FROM olts WHERE id = $1", &[id.into()]).await?.get("loss_accepted")
}

pub async fn accept_loss(tx: &mut Tx, id: OltId) -> Result<(), Error> {
    let sql = "UPDATE olts SET loss_accepted = TRUE WHERE id = $1";
    tx.execute(sql, &[id.into()]).await.map(drop)
}
