//! What errors suspended: a robot, a runner, or a robot on a runner.

use std::collections::HashMap;

use db::{Error, Row, Tx};

use crate::{
    model::{RobotId, RunnerId},
    rules::world::{Suspended, Suspension},
};

fn key(what: Suspended) -> (i64, i64) {
    match what {
        Suspended::Robot(robot) => (robot.0, 0),
        Suspended::Runner(runner) => (0, runner.0),
        Suspended::Pair(robot, runner) => (robot.0, runner.0),
    }
}

fn read(row: &Row) -> Result<(Suspended, Suspension), Error> {
    let (robot, runner): (i64, i64) = (row.get("robot_id")?, row.get("runner_id")?);
    let what = match (robot, runner) {
        (robot, 0) => Suspended::Robot(RobotId(robot)),
        (0, runner) => Suspended::Runner(RunnerId(runner)),
        (robot, runner) => Suspended::Pair(RobotId(robot), RunnerId(runner)),
    };
    let suspension = Suspension {
        code: row.get("code")?,
        detail: row.get("detail")?,
        failures: row.get("failures")?,
        since: row.get("since")?,
        until: row.get("until")?,
    };
    Ok((what, suspension))
}

const SELECT: &str =
    "SELECT robot_id, runner_id, code, detail, failures, since, until FROM suspensions";

pub async fn all(tx: &mut Tx) -> Result<HashMap<Suspended, Suspension>, Error> {
    tx.all(SELECT, &[]).await?.iter().map(read).collect()
}

pub async fn put(tx: &mut Tx, what: Suspended, one: &Suspension) -> Result<(), Error> {
    let sql = "INSERT INTO suspensions (robot_id, runner_id, code, detail, failures, since, until)
               VALUES ($1, $2, $3, $4, $5, $6, $7)
               ON CONFLICT (robot_id, runner_id) DO UPDATE SET code = excluded.code,
                 detail = excluded.detail, failures = excluded.failures, since = excluded.since,
                 until = excluded.until";
    let (robot, runner) = key(what);
    let args = [
        robot.into(),
        runner.into(),
        one.code.as_str().into(),
        one.detail.as_str().into(),
        one.failures.into(),
        one.since.into(),
        one.until.into(),
    ];
    tx.execute(sql, &args).await.map(drop)
}

/// Whether there was one to lift.
pub async fn lift(tx: &mut Tx, what: Suspended) -> Result<bool, Error> {
    let (robot, runner) = key(what);
    let sql = "DELETE FROM suspensions WHERE robot_id = $1 AND runner_id = $2";
    Ok(tx.execute(sql, &[robot.into(), runner.into()]).await? > 0)
}

/// Lifts all that were suspended for this cause; how many.
pub async fn lift_all(tx: &mut Tx, code: &str) -> Result<u64, Error> {
    tx.execute("DELETE FROM suspensions WHERE code = $1", &[code.into()]).await
}

/// Whether any holds for this cause.
pub async fn any(tx: &mut Tx, code: &str) -> Result<bool, Error> {
    let sql = "SELECT EXISTS (SELECT 1 FROM suspensions WHERE code = $1) AS held";
    tx.one(sql, &[code.into()]).await?.get("held")
}
