//! The kitchen's own row: the pause in force and what was last announced of capacity and late orders.

use std::collections::BTreeSet;

use db::{Decision, Error, Tx};
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{KitchenView, events};
use crate::{
    model::{Order, OrderId},
    policy::{Pause, capacity_bounds},
    rules::lateness::{Announced, Announcement, Occasion, announce},
    wire::{CapacityView, OrderView},
};

/// The row; empty until something was announced.
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

/// Whether the capacity is not what was last announced. As long as nothing was announced, an
/// empty kitchen of the default capacity is no news.
pub fn capacity_is_news(view: &KitchenView) -> bool {
    if let Some(announced) = &view.row.capacity {
        return *announced != json!(CapacityView::new(view));
    }
    let default = capacity_bounds(view.policy.capacity_ceiling).default;
    view.capacity.in_use != 0 || i64::from(view.capacity.limit) != default
}

/// Says how full the kitchen is, when that is news.
pub async fn announce_capacity(decision: &mut Decision, view: &KitchenView) -> Result<(), Error> {
    if !capacity_is_news(view) {
        return Ok(());
    }
    let sql = "INSERT INTO kitchen (id, capacity_announced, late_announced) VALUES (1, $1, $2)
               ON CONFLICT (id) DO UPDATE SET capacity_announced = excluded.capacity_announced";
    let args = [json!(CapacityView::new(view)).into(), json!([]).into()];
    decision.tx.execute(sql, &args).await?;
    events::capacity(decision, view);
    Ok(())
}

/// What is to be announced about late orders now, and the orders it is about.
pub async fn late_news(
    tx: &mut Tx,
    view: &KitchenView,
    now: Timestamp,
) -> Result<Option<(Announcement, Vec<Order>)>, Error> {
    let overdue = view.overdue(tx, now).await?;
    let news = announce(&view.row.late, &overdue, now, view.policy.reminder_minutes);
    Ok(news.map(|news| (news, overdue)))
}

/// Says who is late, when that changed or a reminder is due.
pub async fn announce_late(decision: &mut Decision, view: &KitchenView) -> Result<(), Error> {
    let now = decision.now;
    let news = late_news(&mut decision.tx, view, now).await?;
    let Some((news, overdue)) = news else { return Ok(()) };
    let ids: Vec<i64> = news.late.iter().map(|id| id.0).collect();
    let sql = "INSERT INTO kitchen (id, late_announced, late_announced_at) VALUES (1, $1, $2)
               ON CONFLICT (id) DO UPDATE SET late_announced = excluded.late_announced,
               late_announced_at = excluded.late_announced_at";
    decision.tx.execute(sql, &[json!(ids).into(), now.into()]).await?;
    let late: Vec<_> = overdue
        .iter()
        .filter(|order| news.late.contains(&order.id))
        .map(|order| OrderView::new(order, &[], now))
        .collect();
    let cause = match news.occasion {
        Occasion::Changed => "CAMBIO",
        Occasion::Reminder => "RECORDATORIO",
    };
    events::late(decision, &late, cause);
    Ok(())
}
