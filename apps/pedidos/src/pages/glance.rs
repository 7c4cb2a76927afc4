//! What the home page says of the shop.

use host::{Figure, Glance, Glanced};
use web::Tone;

use crate::{
    Context,
    model::OrderState,
    store::{KitchenView, orders},
};

pub(crate) async fn glance(context: Context) -> Glanced {
    let now = context.clock.now();
    let mut tx = context.store.read().await?;
    let kitchen = KitchenView::load(&context, &mut tx, now).await?;
    let late = orders::overdue(&mut tx, now).await?.len() as i64;
    let waiting = orders::in_state(&mut tx, OrderState::Received).await?.len();
    let capacity = kitchen.capacity;
    let full = if capacity.is_full() { Tone::Warn } else { Tone::Good };
    let used = format!("{}/{}", capacity.in_use, capacity.limit);
    let behind = if late == 1 { ("atrasado", "late") } else { ("atrasados", "late") };
    Ok(Glance::Figures([
        Figure::new(&used, ("en cocina", "in the kitchen"), full, "/cocina"),
        Figure::trouble(late, behind, Tone::Bad, "/mostrador"),
        Figure::new(&waiting, ("en espera", "waiting"), Tone::Plain, "/mostrador"),
    ]))
}
