//! Runs as the reports see them.

use db::{Error, Row, Tx};
use engine::Word as _;
use jiff::Timestamp;

use crate::{
    model::{Closing, RobotId, RunId, RunState, RunnerId},
    rules::analysis::RunFact,
};

fn read(row: &Row) -> Result<RunFact, Error> {
    let closing: Option<String> = row.maybe("closing")?;
    let closing = closing.map(|word| {
        Closing::from_word(&word).ok_or_else(|| Error::corrupt(format!("closing = {word:?}")))
    });
    Ok(RunFact {
        run: RunId(row.get("id")?),
        robot: RobotId(row.get("robot_id")?),
        runner: RunnerId(row.get("runner_id")?),
        state: row.word("state", RunState::from_word)?,
        claimed_at: row.get("claimed_at")?,
        started_at: row.maybe("started_at")?,
        finished_at: row.maybe("finished_at")?,
        updated_at: row.get("updated_at")?,
        closing: closing.transpose()?,
        misses: row.get("misses")?,
        repetitions: row.get("repetitions")?,
    })
}

/// Runs that were there at some instant of `[from, to)`, the newest first.
pub async fn between(
    tx: &mut Tx,
    from: Timestamp,
    to: Timestamp,
    limit: i64,
) -> Result<Vec<RunFact>, Error> {
    let sql = "SELECT id, robot_id, runner_id, state, claimed_at, started_at, finished_at,
                 updated_at, closing, misses, repetitions FROM runs
               WHERE claimed_at < $2 AND (live OR finished_at >= $1) ORDER BY id DESC LIMIT $3";
    tx.all(sql, &[from.into(), to.into(), limit.into()]).await?.iter().map(read).collect()
}
