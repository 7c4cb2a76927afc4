//! Versions of workflows. Each content that was ever loaded stays, for the requests that began
//! with it.

use ::store::{Decision, Error, Tx, sha256_hex};
use jiff::Timestamp;

/// A version as it was loaded.
#[derive(Clone, Debug)]
pub struct Version {
    pub id: i64,
    pub name: String,
    pub digest: String,
    pub source: String,
    pub loaded_at: Timestamp,
    pub active: bool,
}

/// Makes `source` the version of `name` that new requests take.
pub async fn activate(decision: &mut Decision, name: &str, source: &str) -> Result<i64, Error> {
    let digest = sha256_hex(source.as_bytes());
    let sql = "UPDATE workflows SET active = $3 WHERE name = $1 AND digest <> $2 AND active = $4";
    let args = [name.into(), digest.as_str().into(), false.into(), true.into()];
    decision.tx.execute(sql, &args).await?;
    let sql = "INSERT INTO workflows (name, digest, source, loaded_at, active)
               VALUES ($1, $2, $3, $4, $5)
               ON CONFLICT (name, digest) DO UPDATE SET active = excluded.active RETURNING id";
    let args = [name.into(), digest.into(), source.into(), decision.now.into(), true.into()];
    decision.tx.one(sql, &args).await?.get("id")
}

/// No new request takes a workflow whose file is gone.
pub async fn retire_others(decision: &mut Decision, kept: &[i64]) -> Result<(), Error> {
    let list: Vec<_> = kept.iter().map(ToString::to_string).collect();
    let sql = format!(
        "UPDATE workflows SET active = $1 WHERE active = $2 AND id NOT IN ({})",
        list.join(", ")
    );
    decision.tx.execute(::store::trusted(sql), &[false.into(), true.into()]).await.map(drop)
}

pub async fn find(tx: &mut Tx, id: i64) -> Result<Option<Version>, Error> {
    let sql = "SELECT * FROM workflows WHERE id = $1";
    tx.optional(sql, &[id.into()]).await?.as_ref().map(version).transpose()
}

/// Newest first.
pub async fn versions(tx: &mut Tx, name: Option<&str>) -> Result<Vec<Version>, Error> {
    let sql = "SELECT * FROM workflows WHERE $1 IS NULL OR name = $1
               ORDER BY name, loaded_at DESC, id DESC LIMIT 500";
    tx.all(sql, &[name.into()]).await?.iter().map(version).collect()
}

fn version(row: &::store::Row) -> Result<Version, Error> {
    Ok(Version {
        id: row.get("id")?,
        name: row.get("name")?,
        digest: row.get("digest")?,
        source: row.get("source")?,
        loaded_at: row.get("loaded_at")?,
        active: row.get("active")?,
    })
}
