//! The kitchen's own row: the pause in force and what was last said about capacity and late orders.

use std::collections::BTreeSet;

use db::{Decision, Error, Tx};
use serde_json::{Value as Json, json};

use super::{KitchenView, events, orders};
use crate::{
    model::OrderId,
    policy::{Pause, capacity_bounds},
    rules::{
        exceptions,
        lateness::{Announced, Occasion, announce},
    },
    wire::{CapacityView, OrderView},
};

/// The row; empty until something was said.
#[derive(Clone, Debug, Default)]
pub struct KitchenRow {
    /// As set, whether it has expired or not.
    pub pause: Option<Pause>,
    pub late: Announced,
    capacity: Option<Json>,
}

pub async fn load(tx: &mut Tx) -> Result<KitchenRow, Error> {
    let sql = "SELECT * FROM kitchen WHERE id = 1";
    let Some(row) = tx.optional(sql, &[]).await? else { return Ok(KitchenRow::default()) };
    let reason: Option<String> = row.maybe("pause_reason")?;
    let by: Option<String> = row.maybe("paused_by")?;
    let until = row.maybe("pause_until")?;
    let ids: Json = row.get("late_announced")?;
    let ids = ids.as_array().into_iter().flatten().filter_map(|id| id.as_i64().map(OrderId));
    let late: BTreeSet<OrderId> = ids.collect();
    Ok(KitchenRow {
        pause: reason.map(|reason| Pause { reason, until, by: by.unwrap_or_default() }),
        late: Announced { late, at: row.maybe("late_announced_at")? },
        capacity: row.maybe("capacity_announced")?,
    })
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

/// Says how full the kitchen is, when that is not what was last said. As long as nothing was ever
/// said, an empty kitchen of the default capacity is no news.
pub async fn announce_capacity(decision: &mut Decision, view: &KitchenView) -> Result<(), Error> {
    let now = json!(CapacityView::new(view));
    let known = if let Some(said) = &view.row.capacity {
        *said == now
    } else {
        let default = capacity_bounds(view.policy.capacity_ceiling).default;
        view.capacity.in_use == 0 && i64::from(view.capacity.limit) == default
    };
    if known {
        return Ok(());
    }
    let sql = "INSERT INTO kitchen (id, capacity_announced, late_announced) VALUES (1, $1, $2)
               ON CONFLICT (id) DO UPDATE SET capacity_announced = excluded.capacity_announced";
    decision.tx.execute(sql, &[now.into(), json!([]).into()]).await?;
    events::capacity(decision, view);
    Ok(())
}

/// Says who is late, when that changed or a reminder is due.
pub async fn announce_late(decision: &mut Decision, view: &KitchenView) -> Result<(), Error> {
    let now = decision.now;
    let mut overdue = orders::overdue(&mut decision.tx, now).await?;
    let stale_hours = view.policy.stale_hours;
    overdue.retain(|order| !exceptions::is_leftover(order, &view.today, stale_hours, now));
    let reminder = view.policy.reminder_minutes;
    let Some(said) = announce(&view.row.late, &overdue, now, reminder) else { return Ok(()) };
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
