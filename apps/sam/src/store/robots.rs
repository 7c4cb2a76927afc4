//! Robots: what the operator set, and the name the Control Room has for each.

use db::{Error, Row, Tx, Value};
use engine::Word as _;
use jiff::{SignedDuration, Timestamp};

use crate::model::{Limits, PoolId, Retry, RetryCause, Robot, RobotId};

const COLUMNS: &str = "id, name, description, parameters, active, online, min_runners, \
                       max_runners, priority, tickets_per_runner, pool_id, seen_name, version, \
                       retries, retry_seconds, retry_causes";

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
        retry: retry(row)?,
    })
}

fn retry(row: &Row) -> Result<Retry, Error> {
    let words: String = row.get("retry_causes")?;
    let causes = words.split(',').filter(|word| !word.is_empty()).map(|word| {
        RetryCause::from_word(word).ok_or_else(|| Error::corrupt(format!("cause = {word:?}")))
    });
    Ok(Retry {
        times: row.get("retries")?,
        wait: SignedDuration::from_secs(row.get("retry_seconds")?),
        causes: causes.collect::<Result<_, _>>()?,
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
                 max_runners, priority, tickets_per_runner, pool_id, seen_name, retries,
                 retry_seconds, retry_causes, id)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";
    tx.execute(sql, &args).await?;
    Ok(RobotId(id))
}

/// Writes what the operator may change, one version further.
pub async fn update(tx: &mut Tx, robot: &Robot) -> Result<(), Error> {
    let sql = "UPDATE robots SET name = $1, description = $2, parameters = $3, active = $4,
                 online = $5, min_runners = $6, max_runners = $7, priority = $8,
                 tickets_per_runner = $9, pool_id = $10, seen_name = $11, retries = $12,
                 retry_seconds = $13, retry_causes = $14, version = version + 1
               WHERE id = $15 AND version = $16";
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

/// How a robot goes on when a run of a slot failed.
pub async fn retry_of(tx: &mut Tx, id: RobotId) -> Result<Retry, Error> {
    let sql = "SELECT retries, retry_seconds, retry_causes FROM robots WHERE id = $1";
    tx.optional(sql, &[id.into()]).await?.as_ref().map_or(Ok(Retry::default()), retry)
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

/// The same bot under a new file id: everything of the old one is the new one's.
pub async fn repoint(tx: &mut Tx, old: RobotId, new: RobotId) -> Result<(), Error> {
    let name: String =
        tx.one("SELECT name FROM robots WHERE id = $1", &[old.into()]).await?.get("name")?;
    // Names are unique: the new row bears another until the old one is gone.
    let copy = "INSERT INTO robots (id, name, description, parameters, active, online, min_runners,
                  max_runners, priority, tickets_per_runner, pool_id, seen_name, seen_at, retries,
                  retry_seconds, retry_causes, version)
                SELECT $2, $3, description, parameters, active, online, min_runners, max_runners,
                  priority, tickets_per_runner, pool_id, seen_name, seen_at, retries,
                  retry_seconds, retry_causes, version + 1 FROM robots WHERE id = $1";
    let aside = format!("{name} ({new})");
    tx.execute(copy, &[old.into(), new.into(), aside.into()]).await?;
    let pair = [old.into(), new.into()];
    for sql in [
        "UPDATE schedules SET robot_id = $2 WHERE robot_id = $1",
        "UPDATE assignments SET robot_id = $2 WHERE robot_id = $1",
        "UPDATE runs SET robot_id = $2 WHERE robot_id = $1",
        "UPDATE mappings SET robot_id = $2 WHERE robot_id = $1",
        "UPDATE demand SET robot_id = $2 WHERE robot_id = $1",
        "UPDATE moves SET robot_id = $2 WHERE robot_id = $1",
        "UPDATE suspensions SET robot_id = $2 WHERE robot_id = $1",
    ] {
        tx.execute(sql, &pair).await?;
    }
    tx.execute("DELETE FROM robots WHERE id = $1", &[old.into()]).await?;
    tx.execute("UPDATE robots SET name = $2 WHERE id = $1", &[new.into(), name.into()])
        .await
        .map(drop)
}

fn columns(robot: &Robot) -> Vec<Value> {
    let causes: Vec<_> = robot.retry.causes.iter().map(|cause| cause.word()).collect();
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
        robot.retry.times.into(),
        robot.retry.wait.as_secs().into(),
        causes.join(",").into(),
    ]
}
