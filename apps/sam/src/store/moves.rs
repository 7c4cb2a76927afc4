//! *Histórico de balanceo*: what the balancer did and the arithmetic behind it.

use db::{Error, Row, Rows, Tx};
use engine::Word as _;
use jiff::Timestamp;
use serde_json::Value as Json;

use crate::{
    model::{PoolId, RobotId, RunnerId},
    rules::balance::{Arithmetic, Move},
};

/// One move as kept.
#[derive(Debug, Clone)]
pub struct Kept {
    pub id: i64,
    pub at: Timestamp,
    pub pool: Option<PoolId>,
    pub robot: RobotId,
    pub runner: RunnerId,
    pub action: String,
    pub motive: String,
    pub tickets: Option<i64>,
    pub before: i64,
    pub after: i64,
    pub arithmetic: Arithmetic,
}

fn read(row: &Row) -> Result<Kept, Error> {
    let arithmetic: Json = row.get("arithmetic")?;
    Ok(Kept {
        id: row.get("id")?,
        at: row.get("at")?,
        pool: row.maybe("pool_id")?.map(PoolId),
        robot: RobotId(row.get("robot_id")?),
        runner: RunnerId(row.get("runner_id")?),
        action: row.get("action")?,
        motive: row.get("motive")?,
        tickets: row.maybe("tickets")?,
        before: row.get("before")?,
        after: row.get("after")?,
        arithmetic: serde_json::from_value(arithmetic)
            .map_err(|error| Error::corrupt(format!("arithmetic: {error}")))?,
    })
}

pub async fn record(
    tx: &mut Tx,
    moves: &[(&Move, &Arithmetic)],
    now: Timestamp,
) -> Result<(), Error> {
    let mut rows = Rows::new(&[
        "at", "pool", "robot", "runner", "action", "motive", "tickets", "before", "after", "sum",
    ]);
    for (one, sum) in moves {
        let action = if one.motive.assigns() { "ASIGNAR" } else { "DESASIGNAR" };
        let json = serde_json::to_value(sum).map_err(|error| Error::corrupt(error.to_string()))?;
        rows.push([
            now.into(),
            sum.pool.map(|pool| pool.0).into(),
            one.robot.into(),
            one.runner.into(),
            action.into(),
            one.motive.word().into(),
            sum.tickets.into(),
            sum.before.into(),
            sum.after.into(),
            json.into(),
        ]);
    }
    let sql =
        "INSERT INTO moves (at, pool_id, robot_id, runner_id, action, motive, tickets, before,
                 after, arithmetic)
               SELECT v.at, v.pool, v.robot, v.runner, v.action, v.motive, v.tickets, v.before,
                 v.after, v.sum FROM ROWS";
    tx.each(sql, &[], &rows).await.map(drop)
}

/// The newest first, older than `before` when given.
pub async fn page(
    tx: &mut Tx,
    robot: Option<RobotId>,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<Kept>, Error> {
    let sql = "SELECT id, at, pool_id, robot_id, runner_id, action, motive, tickets, before, after,
                 arithmetic FROM moves
               WHERE ($1 = 0 OR robot_id = $1) AND ($2 = 0 OR id < $2) ORDER BY id DESC LIMIT $3";
    let args = [robot.map_or(0, |robot| robot.0).into(), before.unwrap_or(0).into(), limit.into()];
    tx.all(sql, &args).await?.iter().map(read).collect()
}

pub async fn since(tx: &mut Tx, since: Timestamp, limit: i64) -> Result<Vec<Kept>, Error> {
    let sql = "SELECT id, at, pool_id, robot_id, runner_id, action, motive, tickets, before, after,
                 arithmetic FROM moves WHERE at >= $1 ORDER BY id LIMIT $2";
    tx.all(sql, &[since.into(), limit.into()]).await?.iter().map(read).collect()
}

pub async fn prune(tx: &mut Tx, before: Timestamp) -> Result<(), Error> {
    tx.execute("DELETE FROM moves WHERE at < $1", &[before.into()]).await.map(drop)
}

/// When the oldest move was made.
pub async fn oldest(tx: &mut Tx) -> Result<Option<Timestamp>, Error> {
    tx.one("SELECT MIN(at) AS at FROM moves", &[]).await?.maybe("at")
}
