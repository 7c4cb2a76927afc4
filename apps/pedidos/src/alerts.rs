//! What a manager wants to be told: orders far too late, a kitchen full for long.

use db::Error;
use host::{Alert, Context, Severity};
use jiff::Timestamp;

use crate::{
    model::Order,
    rules::{exceptions::is_leftover, lateness::minutes_late},
    store::{KitchenView, orders},
};

/// Minutes late from which someone is told outside the screens.
const VERY_LATE: i64 = 10;

pub async fn check(context: &Context, view: &KitchenView, now: Timestamp) -> Result<(), Error> {
    let fingerprint = "pedidos/muy-atrasados".to_owned();
    let overdue = orders::overdue(&mut context.store.read().await?, now).await?;
    let stale_hours = view.policy.stale_hours;
    let current = |order: &Order| !is_leftover(order, &view.today, stale_hours, now);
    let mut late: Vec<_> = overdue
        .iter()
        .filter(|order| current(order) && minutes_late(order, now) > VERY_LATE)
        .map(|order| format!("#{} ({} min)", order.id, minutes_late(order, now)))
        .collect();
    late.sort();
    if late.is_empty() {
        context.resolve(&fingerprint).await?;
    } else {
        let title = format!(
            "Pedidos con más de {VERY_LATE} min de atraso: {n} / Orders over {VERY_LATE} min late: {n}",
            n = late.len()
        );
        let severity = Severity::Warning;
        let detail = late.join(", ");
        context.raise(Alert { app: crate::NAME, fingerprint, severity, title, detail }).await?;
    }
    let fingerprint = "pedidos/sobre-capacidad".to_owned();
    let capacity = view.capacity;
    if capacity.in_use > capacity.limit {
        let title = "Cocina por encima de su capacidad / Kitchen above its capacity".to_owned();
        let detail = format!("{} de {}", capacity.in_use, capacity.limit);
        let severity = Severity::Warning;
        context.raise(Alert { app: crate::NAME, fingerprint, severity, title, detail }).await
    } else {
        context.resolve(&fingerprint).await
    }
}
