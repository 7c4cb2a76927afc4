//! Runners: what the operator set, and what the Control Room was last seen to say.

use db::{Error, Row, Tx, Value};
use jiff::Timestamp;

use crate::model::{Licence, PoolId, Runner, RunnerId};

const COLUMNS: &str = "id, name, user_id, user_name, licence, active, dynamic, pool_id, \
                       connected, seen_name, version";

pub fn read(row: &Row) -> Result<Runner, Error> {
    let licence: String = row.get("licence")?;
    Ok(Runner {
        id: RunnerId(row.get("id")?),
        name: row.get("name")?,
        user_id: row.get("user_id")?,
        user_name: row.maybe("user_name")?,
        licence: Licence::parse(&licence),
        active: row.get("active")?,
        dynamic: row.get("dynamic")?,
        pool: row.maybe("pool_id")?.map(PoolId),
        connected: row.maybe("connected")?,
        seen_name: row.maybe("seen_name")?,
        version: row.get("version")?,
    })
}

pub async fn all(tx: &mut Tx) -> Result<Vec<Runner>, Error> {
    let sql = db::trusted(format!("SELECT {COLUMNS} FROM runners ORDER BY id"));
    tx.all(sql, &[]).await?.iter().map(read).collect()
}

pub async fn find(tx: &mut Tx, id: RunnerId) -> Result<Option<Runner>, Error> {
    let sql = db::trusted(format!("SELECT {COLUMNS} FROM runners WHERE id = $1"));
    tx.optional(sql, &[id.into()]).await?.as_ref().map(read).transpose()
}

pub async fn by_name(tx: &mut Tx, name: &str) -> Result<Option<Runner>, Error> {
    let sql = db::trusted(format!("SELECT {COLUMNS} FROM runners WHERE name = $1"));
    tx.optional(sql, &[name.into()]).await?.as_ref().map(read).transpose()
}

/// With the runner's id, or one of the database's choosing when it is 0.
pub async fn insert(tx: &mut Tx, runner: &Runner) -> Result<RunnerId, Error> {
    let mut args = columns(runner);
    let id = if runner.id.0 == 0 { super::free_id(tx, "runners").await? } else { runner.id.0 };
    args.push(id.into());
    let sql = "INSERT INTO runners (name, user_id, user_name, licence, active, dynamic, pool_id,
                 connected, seen_name, id)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    tx.execute(sql, &args).await?;
    Ok(RunnerId(id))
}

/// Writes what the operator may change, one version further.
pub async fn update(tx: &mut Tx, runner: &Runner) -> Result<(), Error> {
    let sql = "UPDATE runners SET name = $1, user_id = $2, user_name = $3, licence = $4,
                 active = $5, dynamic = $6, pool_id = $7, connected = $8, seen_name = $9,
                 version = version + 1 WHERE id = $10 AND version = $11";
    let mut args = columns(runner);
    args.extend([runner.id.into(), runner.version.into()]);
    tx.guarded("the runner changed meanwhile", sql, &args).await
}

pub async fn remove(tx: &mut Tx, id: RunnerId) -> Result<(), Error> {
    tx.execute("DELETE FROM suspensions WHERE runner_id = $1", &[id.into()]).await?;
    tx.execute("DELETE FROM slots WHERE runner_id = $1", &[id.into()]).await?;
    tx.guarded("the runner is gone", "DELETE FROM runners WHERE id = $1", &[id.into()]).await
}

/// Whether anything refers to it that must not be forgotten.
pub async fn in_use(tx: &mut Tx, id: RunnerId) -> Result<bool, Error> {
    let sql = "SELECT (EXISTS (SELECT 1 FROM assignments WHERE runner_id = $1)
                 OR EXISTS (SELECT 1 FROM runs WHERE runner_id = $1)
                 OR EXISTS (SELECT 1 FROM moves WHERE runner_id = $1)) AS used";
    tx.one(sql, &[id.into()]).await?.get("used")
}

/// What the Control Room says of a runner.
#[derive(Debug, Clone)]
pub struct Sight<'a> {
    pub name: Option<&'a str>,
    pub connected: bool,
    pub licence: Option<&'a str>,
    pub user: Option<(i64, &'a str)>,
}

pub async fn seen(
    tx: &mut Tx,
    id: RunnerId,
    sight: &Sight<'_>,
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "UPDATE runners SET seen_name = COALESCE($2, seen_name), connected = $3,
                 licence = COALESCE($4, licence), user_id = COALESCE($5, user_id),
                 user_name = COALESCE($6, user_name), seen_at = $7 WHERE id = $1";
    let args = [
        id.into(),
        sight.name.into(),
        sight.connected.into(),
        sight.licence.into(),
        sight.user.map(|(id, _)| id).into(),
        sight.user.map(|(_, name)| name).into(),
        now.into(),
    ];
    tx.execute(sql, &args).await.map(drop)
}

/// The same machine under a new device id: everything of the old one is the new one's.
pub async fn repoint(tx: &mut Tx, old: RunnerId, new: RunnerId) -> Result<(), Error> {
    let name: String =
        tx.one("SELECT name FROM runners WHERE id = $1", &[old.into()]).await?.get("name")?;
    // Names are unique: the new row bears another until the old one is gone.
    let copy = "INSERT INTO runners (id, name, user_id, user_name, licence, active, dynamic,
                  pool_id, connected, seen_name, seen_at, version)
                SELECT $2, $3, user_id, user_name, licence, active, dynamic, pool_id, connected,
                  seen_name, seen_at, version + 1 FROM runners WHERE id = $1";
    let aside = format!("{name} ({new})");
    tx.execute(copy, &[old.into(), new.into(), aside.into()]).await?;
    let pair = [old.into(), new.into()];
    for sql in [
        "UPDATE assignments SET runner_id = $2 WHERE runner_id = $1",
        "UPDATE runs SET runner_id = $2 WHERE runner_id = $1",
        "UPDATE slots SET runner_id = $2 WHERE runner_id = $1",
        "UPDATE strangers SET runner_id = $2 WHERE runner_id = $1",
        "UPDATE moves SET runner_id = $2 WHERE runner_id = $1",
        "UPDATE suspensions SET runner_id = $2 WHERE runner_id = $1",
    ] {
        tx.execute(sql, &pair).await?;
    }
    tx.execute("DELETE FROM runners WHERE id = $1", &[old.into()]).await?;
    tx.execute("UPDATE runners SET name = $2 WHERE id = $1", &[new.into(), name.into()])
        .await
        .map(drop)
}

fn columns(runner: &Runner) -> Vec<Value> {
    vec![
        runner.name.as_str().into(),
        runner.user_id.into(),
        runner.user_name.clone().into(),
        runner.licence.text().into(),
        runner.active.into(),
        runner.dynamic.into(),
        runner.pool.map(|pool| pool.0).into(),
        runner.connected.into(),
        runner.seen_name.clone().into(),
    ]
}
