//! Robots: what the operator set, and the name the Control Room has for each.

use db::{Error, Row, Tx, Value};
use jiff::Timestamp;

use crate::model::{Limits, PoolId, Robot, RobotId};

const COLUMNS: &str = "id, name, description, parameters, active, online, min_runners, \
                       max_runners, priority, tickets_per_runner, pool_id, seen_name, version";

pub fn read(row: &Row) -> Result<Robot, Error> {
    Ok(Robot {
        id: RobotId(row.get("id")?),
        name: row.get("name")?,
        description: row.maybe("description")?,
        parameters: row.maybe("parameters")?,
        active: row.get("active")?,
        online: row.get("online")?,
        limits: Limits { least: row.get("min_runners")?, most: row.maybe("max_runners")? },
        priority: row.get("priority")?,
        tickets_per_runner: row.get("tickets_per_runner")?,
        pool: row.maybe("pool_id")?.map(PoolId),
        seen_name: row.maybe("seen_name")?,
        version: row.get("version")?,
    })
}

pub async fn all(tx: &mut Tx) -> Result<Vec<Robot>, Error> {
    let sql = db::trusted(format!("SELECT {COLUMNS} FROM robots ORDER BY id"));
    tx.all(sql, &[]).await?.iter().map(read).collect()
}

pub async fn find(tx: &mut Tx, id: RobotId) -> Result<Option<Robot>, Error> {
    let sql = db::trusted(format!("SELECT {COLUMNS} FROM robots WHERE id = $1"));
    tx.optional(sql, &[id.into()]).await?.as_ref().map(read).transpose()
}

pub async fn by_name(tx: &mut Tx, name: &str) -> Result<Option<Robot>, Error> {
    let sql = db::trusted(format!("SELECT {COLUMNS} FROM robots WHERE name = $1"));
    tx.optional(sql, &[name.into()]).await?.as_ref().map(read).transpose()
}

/// With the robot's id, or one of the database's choosing when it is 0.
pub async fn insert(tx: &mut Tx, robot: &Robot) -> Result<RobotId, Error> {
    let mut args = columns(robot);
    let id = if robot.id.0 == 0 { super::free_id(tx, "robots").await? } else { robot.id.0 };
    args.push(id.into());
    let sql = "INSERT INTO robots (name, description, parameters, active, online, min_runners,
                 max_runners, priority, tickets_per_runner, pool_id, seen_name, id)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    tx.execute(sql, &args).await?;
    Ok(RobotId(id))
}

/// Writes what the operator may change, one version further.
pub async fn update(tx: &mut Tx, robot: &Robot) -> Result<(), Error> {
    let sql = "UPDATE robots SET name = $1, description = $2, parameters = $3, active = $4,
                 online = $5, min_runners = $6, max_runners = $7, priority = $8,
                 tickets_per_runner = $9, pool_id = $10, seen_name = $11, version = version + 1
               WHERE id = $12 AND version = $13";
    let mut args = columns(robot);
    args.extend([robot.id.into(), robot.version.into()]);
    tx.guarded("the robot changed meanwhile", sql, &args).await
}

pub async fn remove(tx: &mut Tx, id: RobotId) -> Result<(), Error> {
    tx.execute("DELETE FROM demand WHERE robot_id = $1", &[id.into()]).await?;
    tx.execute("DELETE FROM suspensions WHERE robot_id = $1", &[id.into()]).await?;
    tx.guarded("the robot is gone", "DELETE FROM robots WHERE id = $1", &[id.into()]).await
}

/// Whether anything refers to it that must not be forgotten.
pub async fn in_use(tx: &mut Tx, id: RobotId) -> Result<bool, Error> {
    let sql = "SELECT (EXISTS (SELECT 1 FROM assignments WHERE robot_id = $1)
                 OR EXISTS (SELECT 1 FROM schedules WHERE robot_id = $1)
                 OR EXISTS (SELECT 1 FROM runs WHERE robot_id = $1)
                 OR EXISTS (SELECT 1 FROM mappings WHERE robot_id = $1)
                 OR EXISTS (SELECT 1 FROM moves WHERE robot_id = $1)) AS used";
    tx.one(sql, &[id.into()]).await?.get("used")
}

/// What the Control Room says of a robot; none = it is not there any more.
pub async fn seen(
    tx: &mut Tx,
    id: RobotId,
    name: Option<&str>,
    description: Option<&str>,
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "UPDATE robots SET seen_name = $2, description = COALESCE($3, description),
                 seen_at = $4 WHERE id = $1";
    let args = [id.into(), name.into(), description.into(), now.into()];
    tx.execute(sql, &args).await.map(drop)
}

fn columns(robot: &Robot) -> Vec<Value> {
    vec![
        robot.name.as_str().into(),
        robot.description.clone().into(),
        robot.parameters.clone().into(),
        robot.active.into(),
        robot.online.into(),
        robot.limits.least.into(),
        robot.limits.most.into(),
        robot.priority.into(),
        robot.tickets_per_runner.into(),
        robot.pool.map(|pool| pool.0).into(),
        robot.seen_name.clone().into(),
    ]
}
