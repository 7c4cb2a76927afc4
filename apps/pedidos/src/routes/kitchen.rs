//! `/comandas`: the kitchen's tickets, and what a cook does with them.

use axum::{http::HeaderMap, response::Response};
use host::Failure;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Json, Path, Problem, Query};

use super::{Desk, answer, check};
use crate::{
    Context, decisions,
    model::{KitchenTicket, OrderId, OrderState, TicketLine},
    policy::Action,
    rules::commands::{self, Refusal},
    store::{orders, tickets},
    wire::{OrderView, TicketView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(one))
        .routes(routes!(bump))
        .routes(routes!(undo))
        .routes(routes!(acknowledge))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Filter {
    /// State of the order; EN_PREPARACION when absent.
    estado: Option<String>,
}

/// Tickets, the first to be due first.
#[utoipa::path(get, path = "/comandas", params(Filter), tag = "comandas",
    responses((status = 200, body = Vec<TicketView>)))]
async fn list(
    desk: Desk,
    Query(filter): Query<Filter>,
) -> Result<axum::Json<Vec<TicketView>>, Failure> {
    desk.require(Action::ReadKitchen)?;
    let mut check = check(&desk);
    let state = check.word("estado", filter.estado.as_deref());
    check.finish()?;
    let state = state.unwrap_or(OrderState::Preparing);
    let mut tx = desk.context.store.read().await?;
    let mut views = Vec::new();
    for (ticket, lines) in tickets::in_state(&mut tx, state).await? {
        if let Some(order) = orders::find(&mut tx, ticket.order).await? {
            views.push(TicketView::new(&ticket, &lines, &order, desk.now));
        }
    }
    if state == OrderState::Preparing {
        views.sort_by_key(|view| (view.hora_esperada_finalizacion, view.pedido_id));
    }
    Ok(axum::Json(views))
}

/// One ticket.
#[utoipa::path(get, path = "/comandas/{id}", params(("id" = i64, Path)), tag = "comandas",
    responses((status = 200, body = TicketView)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<axum::Json<TicketView>, Failure> {
    desk.require(Action::ReadKitchen)?;
    let (ticket, lines) = find(&desk, id).await?;
    let mut tx = desk.context.store.read().await?;
    let order = orders::find(&mut tx, ticket.order).await?.ok_or_else(|| no_ticket(&desk))?;
    Ok(axum::Json(TicketView::new(&ticket, &lines, &order, desk.now)))
}

async fn find(desk: &Desk, id: i64) -> Result<(KitchenTicket, Vec<TicketLine>), Failure> {
    let mut tx = desk.context.store.read().await?;
    Ok(tickets::find(&mut tx, id).await?.ok_or_else(|| no_ticket(desk))?)
}

fn no_ticket(desk: &Desk) -> Problem {
    let (es, en) = ("No existe esa comanda.", "There is no such ticket.");
    host::unknown(desk.lang, "COMANDA_INEXISTENTE", es, en)
}

/// Marks a line done, or pending again. The last one done makes the order ready.
#[utoipa::path(post, path = "/comandas/{id}/lineas/{n}/lista", tag = "comandas",
    params(("id" = i64, Path), ("n" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = OrderView)))]
async fn bump(
    desk: Desk,
    Path((id, n)): Path<(i64, i64)>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let order = ticket_order(&desk, id).await?;
    let version = desk.expected_version(&headers)?;
    let done = decisions::act(&desk.context, desk.by(), order, version, |order, seen, now| {
        let Some((ticket, lines)) = &seen.ticket else { return Err(Refusal::NothingToUndo) };
        commands::bump(order, ticket, lines, n, desk.role, now)
    });
    answer(&desk, done.await?)
}

/// Takes the last bump back, of a line or of the whole order.
#[utoipa::path(post, path = "/comandas/{id}/deshacer", tag = "comandas",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = OrderView)))]
async fn undo(desk: Desk, Path(id): Path<i64>, headers: HeaderMap) -> Result<Response, Failure> {
    let order = ticket_order(&desk, id).await?;
    let version = desk.expected_version(&headers)?;
    let done = decisions::act(&desk.context, desk.by(), order, version, |order, seen, now| {
        let Some((ticket, lines)) = &seen.ticket else { return Err(Refusal::NothingToUndo) };
        commands::undo(order, ticket, lines, seen.last_bump, desk.role, now)
    });
    answer(&desk, done.await?)
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Confirmacion)]
struct AcknowledgeRequest {
    /// The revision seen; the latest when absent.
    revision: Option<i64>,
}

/// The cook has seen the changes of a ticket.
#[utoipa::path(post, path = "/comandas/{id}/confirmar",
    request_body = Option<AcknowledgeRequest>, tag = "comandas", params(("id" = i64, Path)),
    responses((status = 200, body = OrderView)))]
async fn acknowledge(
    desk: Desk,
    Path(id): Path<i64>,
    body: Option<Json<AcknowledgeRequest>>,
) -> Result<Response, Failure> {
    let wanted = body.map(|Json(body)| body).unwrap_or_default().revision;
    let order = ticket_order(&desk, id).await?;
    let done = decisions::act(&desk.context, desk.by(), order, None, |_, seen, _| {
        let Some((ticket, _)) = &seen.ticket else { return Err(Refusal::NothingToUndo) };
        commands::acknowledge(ticket, wanted.unwrap_or(ticket.revision), desk.role)
    });
    answer(&desk, done.await?)
}

async fn ticket_order(desk: &Desk, ticket: i64) -> Result<OrderId, Failure> {
    Ok(find(desk, ticket).await?.0.order)
}
