//! What the counter and the customers' screen show, in one answer each.

use axum::extract::State;
use engine::Word as _;
use host::Failure;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes;

use super::{Desk, look, orders::views};
use crate::{
    Context,
    model::OrderState,
    policy::Action,
    rules::business_day,
    store::{KitchenView, orders},
    wire::{CapacityView, OrderView, PauseView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(board)).routes(routes!(screen))
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Tablero)]
struct BoardView {
    ahora: Timestamp,
    /// The business day.
    dia: String,
    capacidad: CapacityView,
    pausa: Option<PauseView>,
    /// How many are open; more than `pedidos` and `excepciones` hold when there are too many to show.
    abiertos: i64,
    pedidos: Vec<OrderView>,
    /// Leftovers of earlier days that need a person.
    excepciones: Vec<OrderView>,
    rol: &'static str,
}

/// Everything open, with capacity, pause and exceptions.
#[utoipa::path(get, path = "/api/pedidos/tablero", tag = "pedidos",
    responses((status = 200, body = BoardView)))]
async fn board(desk: Desk) -> Result<axum::Json<BoardView>, Failure> {
    desk.require(Action::ReadOrders)?;
    let (mut tx, kitchen) = look(&desk).await?;
    let (open, abiertos) = orders::open(&mut tx).await?;
    let (leftovers, current): (Vec<_>, Vec<_>) =
        open.into_iter().partition(|order| kitchen.is_leftover(order, desk.now));
    Ok(axum::Json(BoardView {
        ahora: desk.now,
        dia: kitchen.today.date.to_string(),
        capacidad: CapacityView::new(&kitchen),
        abiertos,
        pausa: kitchen.pause.as_ref().map(PauseView::from),
        pedidos: views(&desk, &mut tx, &kitchen, &current).await?,
        excepciones: views(&desk, &mut tx, &kitchen, &leftovers).await?,
        rol: desk.role.word(),
    }))
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Pantalla)]
struct ScreenView {
    preparando: Vec<i64>,
    listos: Vec<i64>,
}

/// Numbers only, for the screen customers look at.
#[utoipa::path(get, path = "/api/pedidos/pantalla", tag = "pedidos",
    responses((status = 200, body = ScreenView)))]
async fn screen(State(context): State<Context>) -> Result<axum::Json<ScreenView>, Failure> {
    let now = context.clock.now();
    let mut tx = context.store.read().await?;
    let kitchen = KitchenView::load(&context, &mut tx, now).await?;
    let today = |order: &&crate::model::Order| {
        let policy = &kitchen.policy;
        business_day::day_of_order(order, &policy.zone, policy.cutoff) >= kitchen.today.date
    };
    let ready = orders::in_state(&mut tx, OrderState::Ready).await?;
    Ok(axum::Json(ScreenView {
        preparando: kitchen.preparing.iter().filter(today).map(|order| order.id.0).collect(),
        listos: ready.iter().filter(today).map(|order| order.id.0).collect(),
    }))
}
