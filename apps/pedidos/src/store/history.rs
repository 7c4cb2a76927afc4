//! What happened to each order, in the order it happened.

use db::{Decision, Error, Tx};
use engine::Word as _;
use host::By;
use jiff::Timestamp;

use crate::{
    model::{OrderId, OrderState},
    rules::commands::Cause,
};

const LISTED: i64 = 500;

/// One step, in the words it was written with.
#[derive(Clone, Debug)]
pub struct Step {
    pub at: Timestamp,
    pub from: Option<String>,
    pub to: String,
    pub cause: String,
    pub actor: String,
    pub role: String,
    pub reason: Option<String>,
}

/// Oldest first.
pub async fn of_order(tx: &mut Tx, order: OrderId) -> Result<Vec<Step>, Error> {
    let sql = "SELECT * FROM order_history WHERE order_id = $1 ORDER BY id LIMIT $2";
    let rows = tx.all(sql, &[order.into(), LISTED.into()]).await?;
    rows.iter()
        .map(|row| {
            Ok(Step {
                at: row.get("at")?,
                from: row.maybe("from_state")?,
                to: row.get("to_state")?,
                cause: row.get("cause")?,
                actor: row.get("actor")?,
                role: row.get("role")?,
                reason: row.maybe("reason")?,
            })
        })
        .collect()
}

pub async fn record(
    decision: &mut Decision,
    order: OrderId,
    from: Option<OrderState>,
    to: OrderState,
    cause: Cause,
    by: &By,
    reason: Option<&str>,
) -> Result<(), Error> {
    let sql = "INSERT INTO order_history (order_id, at, from_state, to_state, cause, actor, role,
               reason) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let args = [
        order.into(),
        decision.now.into(),
        from.map(OrderState::word).into(),
        to.word().into(),
        cause.word().into(),
        by.name.as_str().into(),
        by.role.as_str().into(),
        reason.into(),
    ];
    decision.tx.execute(sql, &args).await.map(drop)
}
