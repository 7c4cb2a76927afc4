//! Pools, their members, and when the balancer last changed each.

use std::collections::{BTreeSet, HashMap};

use db::{Error, Row, Rows, Tx};
use jiff::Timestamp;

use crate::{
    model::{Pool, PoolId, RobotId, RunnerId},
    rules::world::pool_number,
};

fn read(row: &Row) -> Result<Pool, Error> {
    Ok(Pool {
        id: PoolId(row.get("id")?),
        name: row.get("name")?,
        description: row.maybe("description")?,
        active: row.get("active")?,
        version: row.get("version")?,
    })
}

pub async fn all(tx: &mut Tx) -> Result<Vec<Pool>, Error> {
    let sql = "SELECT id, name, description, active, version FROM pools ORDER BY name, id";
    tx.all(sql, &[]).await?.iter().map(read).collect()
}

pub async fn find(tx: &mut Tx, id: PoolId) -> Result<Option<Pool>, Error> {
    let sql = "SELECT id, name, description, active, version FROM pools WHERE id = $1";
    tx.optional(sql, &[id.into()]).await?.as_ref().map(read).transpose()
}

pub async fn by_name(tx: &mut Tx, name: &str) -> Result<Option<Pool>, Error> {
    let sql = "SELECT id, name, description, active, version FROM pools WHERE name = $1";
    tx.optional(sql, &[name.into()]).await?.as_ref().map(read).transpose()
}

pub async fn insert(tx: &mut Tx, pool: &Pool) -> Result<PoolId, Error> {
    let sql = "INSERT INTO pools (name, description, active) VALUES ($1, $2, $3) RETURNING id";
    let args = [pool.name.as_str().into(), pool.description.clone().into(), pool.active.into()];
    Ok(PoolId(tx.one(sql, &args).await?.get("id")?))
}

pub async fn update(tx: &mut Tx, pool: &Pool) -> Result<(), Error> {
    let sql = "UPDATE pools SET name = $1, description = $2, active = $3, version = version + 1
               WHERE id = $4 AND version = $5";
    let args = [
        pool.name.as_str().into(),
        pool.description.clone().into(),
        pool.active.into(),
        pool.id.into(),
        pool.version.into(),
    ];
    tx.guarded("the pool changed meanwhile", sql, &args).await
}

/// Members go on without a pool.
pub async fn remove(tx: &mut Tx, id: PoolId) -> Result<(), Error> {
    clear(tx, id).await?;
    tx.execute("DELETE FROM pool_changes WHERE pool_id = $1", &[id.into()]).await?;
    tx.guarded("the pool is gone", "DELETE FROM pools WHERE id = $1", &[id.into()]).await
}

async fn clear(tx: &mut Tx, id: PoolId) -> Result<(), Error> {
    let robots = "UPDATE robots SET pool_id = NULL, version = version + 1 WHERE pool_id = $1";
    tx.execute(robots, &[id.into()]).await?;
    let runners = "UPDATE runners SET pool_id = NULL, version = version + 1 WHERE pool_id = $1";
    tx.execute(runners, &[id.into()]).await.map(drop)
}

/// Makes these, and only these, the members; each leaves the pool it was in (§4.1.2).
pub async fn set_members(
    tx: &mut Tx,
    id: PoolId,
    robots: &[RobotId],
    runners: &[RunnerId],
) -> Result<(), Error> {
    clear(tx, id).await?;
    let sql = "UPDATE robots SET pool_id = $1, version = version + 1
               WHERE id IN (SELECT v.id FROM ROWS)";
    tx.each(sql, &[id.into()], &Rows::of(&["id"], robots.iter().copied())).await?;
    let sql = "UPDATE runners SET pool_id = $1, version = version + 1
               WHERE id IN (SELECT v.id FROM ROWS)";
    tx.each(sql, &[id.into()], &Rows::of(&["id"], runners.iter().copied())).await.map(drop)
}

/// When the balancer last changed each pool, by its number.
pub async fn changes(tx: &mut Tx) -> Result<HashMap<i64, Timestamp>, Error> {
    let rows = tx.all("SELECT pool_id, changed_at FROM pool_changes", &[]).await?;
    rows.iter().map(|row| Ok((row.get("pool_id")?, row.get("changed_at")?))).collect()
}

/// Starts the cooling of these pools.
pub async fn changed(
    tx: &mut Tx,
    pools: &BTreeSet<Option<PoolId>>,
    now: Timestamp,
) -> Result<(), Error> {
    let mut rows = Rows::new(&["pool", "at"]);
    for pool in pools {
        rows.push([pool_number(*pool).into(), now.into()]);
    }
    let sql = "INSERT INTO pool_changes (pool_id, changed_at) SELECT v.pool, v.at FROM ROWS
               WHERE TRUE ON CONFLICT (pool_id) DO UPDATE SET changed_at = excluded.changed_at";
    tx.each(sql, &[], &rows).await.map(drop)
}
