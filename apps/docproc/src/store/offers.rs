//! What nobody has and somebody could be given. More may wait than one look takes in: then it is
//! asked by what it demands, so that what few can do is not hidden behind what nobody can.

use db::{Error, Row, Rows, Tx};
use jiff::Timestamp;

use super::reviews::{self, TaskRow};

/// As many as one look takes in.
pub const LOOK: usize = 500;
/// Combinations of skills that are told apart.
const DEMANDS: i64 = 500;

/// What some waiting tasks ask of whoever answers them.
#[derive(Clone, Debug)]
pub struct Demand {
    pub required: Vec<String>,
    pub waiting: usize,
    pub nearest: Timestamp,
    /// One of them.
    pub(super) example: String,
}

/// What this operator did not give back is asked for, by what it demands; without one, all of it.
pub async fn demands(
    tx: &mut Tx,
    operator: Option<&str>,
    now: Timestamp,
) -> Result<Vec<Demand>, Error> {
    let sql = "SELECT required_skills, COUNT(*) AS n, MIN(deadline_utc) AS nearest,
               MIN(id) AS example FROM review_tasks t WHERE status IN ('pending', 'timeout')
               AND (postponed_until IS NULL OR postponed_until <= $2)
               AND NOT EXISTS (SELECT 1 FROM review_turns v WHERE v.task_id = t.id
                               AND v.operator = $1 AND v.ending = 'released')
               GROUP BY required_skills ORDER BY MIN(priority), 3, 4 LIMIT $3";
    let demand = |row: &Row| {
        Ok(Demand {
            required: reviews::skills(&row.get("required_skills")?),
            waiting: usize::try_from(row.get::<i64>("n")?).unwrap_or(0),
            nearest: row.get("nearest")?,
            example: row.get("example")?,
        })
    };
    let rows = tx.all(sql, &[operator.into(), now.into(), DEMANDS.into()]).await?;
    rows.iter().map(demand).collect()
}

/// What an operator has.
pub async fn own(tx: &mut Tx, operator: &str) -> Result<Vec<TaskRow>, Error> {
    let sql = "SELECT * FROM review_tasks WHERE status = 'assigned' AND assigned_to = $1
               ORDER BY priority, deadline_utc, created_at, id LIMIT $2";
    let rows = tx.all(sql, &[operator.into(), (LOOK as i64).into()]).await?;
    rows.iter().map(reviews::task).collect()
}

/// What nobody has, is not put off and was not given back by this operator, the most urgent first; of
/// some demands only, if they are given.
pub async fn free(
    tx: &mut Tx,
    operator: &str,
    demands: Option<&[Demand]>,
    now: Timestamp,
) -> Result<Vec<TaskRow>, Error> {
    let sql = "SELECT * FROM review_tasks t WHERE status IN ('pending', 'timeout')
               AND ($4 = 0 OR required_skills IN (SELECT e.required_skills FROM review_tasks e
                                                  WHERE e.id IN (SELECT id FROM ROWS)))
               AND (postponed_until IS NULL OR postponed_until <= $2)
               AND NOT EXISTS (SELECT 1 FROM review_turns v WHERE v.task_id = t.id
                               AND v.operator = $1 AND v.ending = 'released')
               ORDER BY priority, deadline_utc, created_at, id LIMIT $3";
    let narrowed = i64::from(demands.is_some());
    let args = [operator.into(), now.into(), (LOOK as i64).into(), narrowed.into()];
    let examples = demands.unwrap_or_default().iter().map(|demand| demand.example.as_str());
    // A table of rows is never empty.
    let examples = Rows::of(&["id"], examples.chain([""]));
    tx.all_of(sql, &args, &examples).await?.iter().map(reviews::task).collect()
}
