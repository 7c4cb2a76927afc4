//! Assignments: which robot may run on which runner, and why.

use db::{Error, Row, Rows, Tx};
use engine::Word as _;
use jiff::Timestamp;

use crate::model::{Assignment, AssignmentId, Hold, RobotId, RunnerId, ScheduleId};

const COLUMNS: &str = "id, robot_id, runner_id, hold, schedule_id, assigned_at, assigned_by";

pub fn read(row: &Row) -> Result<Assignment, Error> {
    Ok(Assignment {
        id: AssignmentId(row.get("id")?),
        robot: RobotId(row.get("robot_id")?),
        runner: RunnerId(row.get("runner_id")?),
        hold: row.word("hold", Hold::from_word)?,
        schedule: row.maybe("schedule_id")?.map(ScheduleId),
        assigned_at: row.get("assigned_at")?,
        assigned_by: row.get("assigned_by")?,
    })
}

pub async fn all(tx: &mut Tx) -> Result<Vec<Assignment>, Error> {
    let sql = db::trusted(format!("SELECT {COLUMNS} FROM assignments ORDER BY id"));
    tx.all(sql, &[]).await?.iter().map(read).collect()
}

pub async fn find(tx: &mut Tx, id: AssignmentId) -> Result<Option<Assignment>, Error> {
    let sql = db::trusted(format!("SELECT {COLUMNS} FROM assignments WHERE id = $1"));
    tx.optional(sql, &[id.into()]).await?.as_ref().map(read).transpose()
}

pub async fn of_runner(tx: &mut Tx, runner: RunnerId) -> Result<Vec<Assignment>, Error> {
    let sql =
        db::trusted(format!("SELECT {COLUMNS} FROM assignments WHERE runner_id = $1 ORDER BY id"));
    tx.all(sql, &[runner.into()]).await?.iter().map(read).collect()
}

pub async fn of_schedule(tx: &mut Tx, schedule: ScheduleId) -> Result<Vec<Assignment>, Error> {
    let sql = db::trusted(format!(
        "SELECT {COLUMNS} FROM assignments WHERE schedule_id = $1 ORDER BY runner_id"
    ));
    tx.all(sql, &[schedule.into()]).await?.iter().map(read).collect()
}

/// A new assignment, before the database gives it its id.
#[derive(Debug, Clone)]
pub struct New<'a> {
    pub robot: RobotId,
    pub runner: RunnerId,
    pub hold: Hold,
    pub schedule: Option<ScheduleId>,
    pub by: &'a str,
}

pub async fn insert(tx: &mut Tx, new: &New<'_>, now: Timestamp) -> Result<AssignmentId, Error> {
    let sql = "INSERT INTO assignments (robot_id, runner_id, hold, schedule_id, assigned_at,
                 assigned_by) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id";
    let args = [
        new.robot.into(),
        new.runner.into(),
        new.hold.word().into(),
        new.schedule.map(|one| one.0).into(),
        now.into(),
        new.by.into(),
    ];
    Ok(AssignmentId(tx.one(sql, &args).await?.get("id")?))
}

/// Runners that schedules name from now on; what the balancer had assigned to them is taken back.
pub async fn name_all(
    tx: &mut Tx,
    named: &[(RobotId, RunnerId, ScheduleId)],
    by: &str,
    now: Timestamp,
) -> Result<(), Error> {
    let mut rows = Rows::new(&["robot", "runner", "schedule", "n"]);
    for (n, (robot, runner, schedule)) in (0_i64..).zip(named) {
        rows.push([(*robot).into(), (*runner).into(), (*schedule).into(), n.into()]);
    }
    let sql = "DELETE FROM assignments WHERE hold = 'DINAMICO'
                 AND runner_id IN (SELECT v.runner FROM ROWS)";
    tx.each(sql, &[], &rows).await?;
    let sql = "INSERT INTO assignments (robot_id, runner_id, hold, schedule_id, assigned_at,
                 assigned_by)
               SELECT v.robot, v.runner, $1, v.schedule, $2, $3 FROM ROWS ORDER BY v.n";
    tx.each(sql, &[Hold::Scheduled.word().into(), now.into(), by.into()], &rows).await.map(drop)
}

/// A runner leaves a schedule.
pub async fn unname(tx: &mut Tx, schedule: ScheduleId, runner: RunnerId) -> Result<(), Error> {
    let sql = "DELETE FROM assignments WHERE schedule_id = $1 AND runner_id = $2";
    tx.execute(sql, &[schedule.into(), runner.into()]).await.map(drop)
}

pub async fn remove(tx: &mut Tx, id: AssignmentId) -> Result<(), Error> {
    let sql = "DELETE FROM assignments WHERE id = $1";
    tx.guarded("the assignment is gone", sql, &[id.into()]).await
}

/// Takes dynamic assignments away: exactly these, or it is a conflict.
pub async fn release(tx: &mut Tx, pairs: &[(RobotId, RunnerId)]) -> Result<(), Error> {
    let mut rows = Rows::new(&["robot", "runner"]);
    for (robot, runner) in pairs {
        rows.push([(*robot).into(), (*runner).into()]);
    }
    let sql = "DELETE FROM assignments WHERE hold = 'DINAMICO' AND EXISTS (
                 SELECT 1 FROM ROWS WHERE v.robot = robot_id AND v.runner = runner_id)";
    let gone = tx.each(sql, &[], &rows).await?;
    if gone == pairs.len() as u64 {
        return Ok(());
    }
    Err(Error::conflict("an assignment was released meanwhile"))
}

/// Whether a schedule involves the runner, which fixes it (§4.1.4).
pub async fn is_scheduled(tx: &mut Tx, runner: RunnerId) -> Result<bool, Error> {
    let sql = "SELECT EXISTS (SELECT 1 FROM assignments WHERE runner_id = $1
                 AND schedule_id IS NOT NULL) AS fixed";
    tx.one(sql, &[runner.into()]).await?.get("fixed")
}
