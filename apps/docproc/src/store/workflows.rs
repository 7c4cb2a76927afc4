//! Versions of workflows. Each content that was ever loaded stays, for the requests that began
//! with it. One version of a name is active: new requests take it.

use db::{Decision, Error, Rows, Scope, Tx, sha256_hex};
use engine::Word as _;
use jiff::Timestamp;

/// What every process keeps of workflows and settings has changed: woken so that they look again.
pub const CHANGED: &str = "docproc.changed";

/// A version as it was loaded.
#[derive(Clone, Debug)]
pub struct Version {
    pub id: i64,
    pub name: String,
    pub digest: String,
    pub source: String,
    pub loaded_at: Timestamp,
    pub active: bool,
    pub environment: Environment,
    pub activated_at: Option<Timestamp>,
}

engine::words! {
    /// *Entorno* (§11.5) of a version.
    pub enum Environment {
        /// Loaded, and waiting for its promotion.
        Test = "test",
        /// Promoted, now or once.
        Production = "prod",
    }
}

/// Which version of a name is active is decided one after another.
pub fn scope() -> Scope {
    Scope::new("docproc workflows")
}

/// Keeps a content that was loaded, in test unless it was promoted once. One that is loaded again
/// while it is not in force is the newest again.
pub async fn keep(decision: &mut Decision, name: &str, source: &str) -> Result<Version, Error> {
    let sql = "INSERT INTO workflows (name, digest, source, loaded_at, active, environment)
               VALUES ($1, $2, $3, $4, $5, 'test')
               ON CONFLICT (name, digest) DO UPDATE SET loaded_at =
               CASE WHEN workflows.active THEN workflows.loaded_at
                    ELSE excluded.loaded_at END RETURNING *";
    let digest = sha256_hex(source.as_bytes());
    let args = [name.into(), digest.into(), source.into(), decision.now.into(), false.into()];
    version(&decision.tx.one(sql, &args).await?)
}

/// Makes a version the one that new requests of its name take.
pub async fn activate(decision: &mut Decision, chosen: &Version) -> Result<(), Error> {
    let sql = "UPDATE workflows SET active = $3 WHERE name = $1 AND id <> $2 AND active = $4";
    let args = [chosen.name.as_str().into(), chosen.id.into(), false.into(), true.into()];
    decision.tx.execute(sql, &args).await?;
    if chosen.active {
        return Ok(());
    }
    let sql = "UPDATE workflows SET active = $2, environment = 'prod', activated_at = $3
               WHERE id = $1 AND active = $4";
    let args = [chosen.id.into(), true.into(), decision.now.into(), false.into()];
    decision.wake(CHANGED);
    decision.tx.guarded("workflow", sql, &args).await
}

/// Takes a version out of force and back to where it was before its promotion.
pub async fn withdraw(decision: &mut Decision, id: i64) -> Result<(), Error> {
    decision.wake(CHANGED);
    let sql =
        "UPDATE workflows SET active = $2, environment = 'test' WHERE id = $1 AND active = $3";
    decision.tx.guarded("workflow", sql, &[id.into(), false.into(), true.into()]).await
}

/// No new request takes a workflow whose file is gone.
pub async fn retire_others(decision: &mut Decision, kept: &[&str]) -> Result<(), Error> {
    decision.wake(CHANGED);
    let sql = "UPDATE workflows SET active = $1
               WHERE active = $2 AND name NOT IN (SELECT v.name FROM ROWS)";
    let kept = Rows::of(&["name"], kept.iter().copied());
    decision.tx.each(sql, &[false.into(), true.into()], &kept).await.map(drop)
}

/// The versions that new requests take: name and id.
pub async fn in_force(tx: &mut Tx) -> Result<Vec<(String, i64)>, Error> {
    let sql = "SELECT name, id FROM workflows WHERE active = $1 ORDER BY name";
    let rows = tx.all(sql, &[true.into()]).await?;
    rows.iter().map(|row| Ok((row.get("name")?, row.get("id")?))).collect()
}

pub async fn active(tx: &mut Tx, name: &str) -> Result<Option<Version>, Error> {
    let sql = "SELECT * FROM workflows WHERE name = $1 AND active = $2";
    tx.optional(sql, &[name.into(), true.into()]).await?.as_ref().map(version).transpose()
}

/// The version that waits for its promotion: the newest, if it was loaded after the one in force.
pub async fn waiting(tx: &mut Tx, name: &str) -> Result<Option<Version>, Error> {
    let sql = "SELECT * FROM workflows AS w WHERE name = $1 AND active = $2
               AND NOT EXISTS (SELECT 1 FROM workflows AS now WHERE now.name = w.name
                               AND now.active = $3 AND (now.loaded_at > w.loaded_at
                               OR (now.loaded_at = w.loaded_at AND now.id > w.id)))
               ORDER BY loaded_at DESC, id DESC LIMIT 1";
    let args = [name.into(), false.into(), true.into()];
    tx.optional(sql, &args).await?.as_ref().map(version).transpose()
}

/// The version that was in force before the present one.
pub async fn previous(tx: &mut Tx, name: &str) -> Result<Option<Version>, Error> {
    let sql = "SELECT * FROM workflows WHERE name = $1 AND active = $2 AND environment = 'prod'
               AND activated_at IS NOT NULL ORDER BY activated_at DESC, id DESC LIMIT 1";
    tx.optional(sql, &[name.into(), false.into()]).await?.as_ref().map(version).transpose()
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

fn version(row: &db::Row) -> Result<Version, Error> {
    Ok(Version {
        id: row.get("id")?,
        name: row.get("name")?,
        digest: row.get("digest")?,
        source: row.get("source")?,
        loaded_at: row.get("loaded_at")?,
        active: row.get("active")?,
        environment: row.word("environment", Environment::from_word)?,
        activated_at: row.maybe("activated_at")?,
    })
}
