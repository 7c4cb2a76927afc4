//! What a manager wants to be told: orders far too late, a kitchen above its capacity.

use db::Error;
use engine::Sentence;
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
    let n = late.len();
    let title = Sentence::new(
        format!("Pedidos con más de {VERY_LATE} min de atraso: {n}"),
        format!("Orders over {VERY_LATE} min late: {n}"),
    );
    let holds = !late.is_empty();
    // The only one is shown with its reasons; of several, all.
    let page = match very.as_slice() {
        [only] => format!("/mostrador?pedido={}", only.id),
        _ => "/mostrador".to_owned(),
    };
    let detail = Sentence::same(late.join(", "));
    tell(context, "pedidos/muy-atrasados", holds, title, detail, (&page, "/pedidos-panel")).await?;
    let capacity = view.capacity;
    let title = Sentence::new("Cocina por encima de su capacidad", "Kitchen above its capacity");
    let (used, limit) = (capacity.in_use, capacity.limit);
    let detail = Sentence::new(format!("{used} de {limit}"), format!("{used} of {limit}"));
    let over = used > limit;
    let pages = ("/cocina", "/pedidos-panel");
    tell(context, "pedidos/sobre-capacidad", over, title, detail, pages).await?;
    Ok((!soon.is_empty()).then(|| now + SignedDuration::from_mins(1)))
}

async fn tell(
    context: &Context,
    fingerprint: &str,
    holds: bool,
    title: Sentence,
    detail: Sentence,
    (cause, why): (&str, &str),
) -> Result<(), Error> {
    if !holds {
        return context.resolve(fingerprint).await;
    }
    let alert = Alert::new(crate::NAME, fingerprint, Severity::Warning, title, detail);
    context.raise(alert.shown_at(cause, why)).await
}
