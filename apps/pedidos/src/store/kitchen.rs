//! The kitchen's own row: the pause in force and what was last said about late orders.

use std::collections::BTreeSet;

use ::store::{Decision, Error, Tx};
use serde_json::json;

use super::{KitchenView, events, orders};
use crate::{
    model::OrderId,
    policy::Pause,
    rules::{
        exceptions,
        lateness::{Announced, Occasion, announce},
    },
    wire::OrderView,
};

pub async fn pause(tx: &mut Tx) -> Result<Option<Pause>, Error> {
    let sql = "SELECT pause_reason, pause_until, paused_by FROM kitchen WHERE id = 1";
    let Some(row) = tx.optional(sql, &[]).await? else { return Ok(None) };
    let Some(reason) = row.maybe("pause_reason")? else { return Ok(None) };
    let by: Option<String> = row.maybe("paused_by")?;
    Ok(Some(Pause { reason, until: row.maybe("pause_until")?, by: by.unwrap_or_default() }))
}

pub async fn set_pause(decision: &mut Decision, pause: Option<&Pause>) -> Result<(), Error> {
    let sql = "INSERT INTO kitchen (id, pause_reason, pause_until, paused_by, late_announced)
               VALUES (1, $1, $2, $3, $4) ON CONFLICT (id) DO UPDATE SET
               pause_reason = excluded.pause_reason, pause_until = excluded.pause_until,
               paused_by = excluded.paused_by";
    let args = [
        pause.map(|p| p.reason.clone()).into(),
        pause.and_then(|p| p.until).into(),
        pause.map(|p| p.by.clone()).into(),
        json!([]).into(),
    ];
    decision.tx.execute(sql, &args).await.map(drop)
}

/// Says who is late, when that changed or a reminder is due.
pub async fn announce_late(decision: &mut Decision, view: &KitchenView) -> Result<(), Error> {
    let now = decision.now;
    let previous = announced(&mut decision.tx).await?;
    let mut overdue = orders::overdue(&mut decision.tx, now).await?;
    let stale_hours = view.policy.stale_hours;
    overdue.retain(|order| !exceptions::is_leftover(order, &view.today, stale_hours, now));
    let reminder = view.policy.reminder_minutes;
    let Some(said) = announce(&previous, &overdue, now, reminder) else { return Ok(()) };
    let ids: Vec<i64> = said.late.iter().map(|id| id.0).collect();
    let sql = "INSERT INTO kitchen (id, late_announced, late_announced_at) VALUES (1, $1, $2)
               ON CONFLICT (id) DO UPDATE SET late_announced = excluded.late_announced,
               late_announced_at = excluded.late_announced_at";
    decision.tx.execute(sql, &[json!(ids).into(), now.into()]).await?;
    let late: Vec<_> = overdue
        .iter()
        .filter(|order| said.late.contains(&order.id))
        .map(|order| OrderView::new(order, &[], now))
        .collect();
    let cause = match said.occasion {
        Occasion::Changed => "CAMBIO",
        Occasion::Reminder => "RECORDATORIO",
    };
    events::late(decision, &late, cause);
    Ok(())
}

pub async fn announced(tx: &mut Tx) -> Result<Announced, Error> {
    let sql = "SELECT late_announced, late_announced_at FROM kitchen WHERE id = 1";
    let Some(row) = tx.optional(sql, &[]).await? else { return Ok(Announced::default()) };
    let ids: serde_json::Value = row.get("late_announced")?;
    let ids: BTreeSet<OrderId> =
        ids.as_array().into_iter().flatten().filter_map(|id| id.as_i64().map(OrderId)).collect();
    Ok(Announced { late: ids, at: row.maybe("late_announced_at")? })
}
