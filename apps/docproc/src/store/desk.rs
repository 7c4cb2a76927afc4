//! How an operator's day is going.

use db::{Error, Tx};
use jiff::{SignedDuration, Timestamp};

/// One operator since an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Numbers {
    pub answered: i64,
    /// Of those, how often the person disagreed with the machine.
    pub changed: i64,
    pub lapsed: i64,
    /// From taking a task to answering it.
    pub mean: Option<SignedDuration>,
}

/// Longer days than this are averaged over their end.
const MOST: i64 = 5_000;

pub async fn numbers(tx: &mut Tx, operator: &str, since: Timestamp) -> Result<Numbers, Error> {
    let sql = "SELECT began_at, ended_at, ending FROM review_turns
               WHERE operator = $1 AND ended_at >= $2 ORDER BY ended_at DESC LIMIT $3";
    let mut numbers = Numbers::default();
    let mut whole = SignedDuration::ZERO;
    for row in tx.all(sql, &[operator.into(), since.into(), MOST.into()]).await? {
        let ending: String = row.get("ending")?;
        match ending.as_str() {
            "submitted" | "regrouped" => {
                let (began, ended): (Timestamp, Timestamp) =
                    (row.get("began_at")?, row.get("ended_at")?);
                numbers.answered += 1;
                whole += ended.duration_since(began);
            }
            "timeout" => numbers.lapsed += 1,
            _ => {}
        }
    }
    let count = i32::try_from(numbers.answered).unwrap_or(i32::MAX);
    numbers.mean = (count > 0).then(|| whole / count);
    let sql = "SELECT COUNT(*) AS n FROM review_corrections
               WHERE operator = $1 AND created_at >= $2 AND changed = 1";
    numbers.changed = tx.one(sql, &[operator.into(), since.into()]).await?.get("n")?;
    Ok(numbers)
}
