//! What a manager wants to be told: orders far too late, a kitchen above its capacity.

use db::Error;
use host::{Alert, Context, Severity};
use jiff::{SignedDuration, Timestamp};

use crate::{rules::lateness::minutes_late, store::KitchenView};

/// Minutes late from which someone is told outside the screens.
const VERY_LATE: i64 = 10;

/// Raises and resolves; says when to look again at orders that are late and not yet very late.
pub async fn check(
    context: &Context,
    view: &KitchenView,
    now: Timestamp,
) -> Result<Option<Timestamp>, Error> {
    let overdue = view.overdue(&mut context.store.read().await?, now).await?;
    let (very, soon): (Vec<_>, Vec<_>) =
        overdue.iter().partition(|order| minutes_late(order, now) > VERY_LATE);
    let mut late: Vec<_> = very
        .iter()
        .map(|order| format!("#{} ({} min)", order.id, minutes_late(order, now)))
        .collect();
    late.sort();
    let title = format!(
        "Pedidos con más de {VERY_LATE} min de atraso: {n} / Orders over {VERY_LATE} min late: {n}",
        n = late.len()
    );
    tell(context, "pedidos/muy-atrasados", !late.is_empty(), title, late.join(", ")).await?;
    let capacity = view.capacity;
    let title = "Cocina por encima de su capacidad / Kitchen above its capacity".to_owned();
    let detail = format!("{} de {}", capacity.in_use, capacity.limit);
    let over = capacity.in_use > capacity.limit;
    tell(context, "pedidos/sobre-capacidad", over, title, detail).await?;
    Ok((!soon.is_empty()).then(|| now + SignedDuration::from_mins(1)))
}

async fn tell(
    context: &Context,
    fingerprint: &str,
    holds: bool,
    title: String,
    detail: String,
) -> Result<(), Error> {
    if !holds {
        return context.resolve(fingerprint).await;
    }
    let (fingerprint, severity) = (fingerprint.to_owned(), Severity::Warning);
    context.raise(Alert { app: crate::NAME, fingerprint, severity, title, detail }).await
}
