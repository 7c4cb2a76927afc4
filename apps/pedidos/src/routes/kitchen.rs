//! `/comandas`: the kitchen's tickets, and what a cook does with them.

use axum::{
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};
use host::Failure;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Json, Path, Problem, Query};

use super::{Desk, answer, array, asked, check, limit, no_such_cursor, saved};
use crate::{
    Context,
    decisions::{self, NoPrinter},
    drivers::printer,
    model::{KitchenTicket, OrderId, OrderState, TicketLine},
    policy::Action,
    rules::{
        commands::{self, Refusal},
        slip::{Slip, SlipLang},
    },
    store::{orders, tickets},
    wire::{OrderView, TicketView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(one))
        .routes(routes!(bump))
        .routes(routes!(finish))
        .routes(routes!(undo))
        .routes(routes!(acknowledge))
        .routes(routes!(print))
}

/// More than a kitchen has at once.
const MOST: i64 = 500;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Filter {
    /// State of the order; EN_PREPARACION when absent.
    estado: Option<String>,
    /// Tickets with something of this station, and of them only its lines; given empty, what
    /// belongs to no station. Absent: the whole, as who hands over sees it.
    estacion: Option<String>,
    #[param(minimum = 1, maximum = 500)]
    limit: Option<i64>,
    /// The last ticket of the page before.
    cursor: Option<i64>,
}

/// Tickets: in preparation the first to be due first, otherwise the latest first. `Link` tells where
/// the list goes on.
#[utoipa::path(get, path = "/comandas", params(Filter), tag = "comandas",
    responses((status = 200, body = Vec<TicketView>)))]
async fn list(desk: Desk, uri: Uri, Query(filter): Query<Filter>) -> Result<Response, Failure> {
    desk.require(Action::ReadKitchen)?;
    let mut check = check(&desk);
    let state = check.word("estado", filter.estado.as_deref());
    let limit = limit(&mut check, filter.limit, MOST);
    check.finish()?;
    let mut tx = desk.context.store.read().await?;
    if let Some(cursor) = filter.cursor
        && tickets::find(&mut tx, cursor).await?.is_none()
    {
        return Err(no_such_cursor(&desk).into());
    }
    let state = state.unwrap_or(OrderState::Preparing);
    let found = tickets::in_state(&mut tx, state, filter.cursor, limit + 1).await?;
    let more = found.len() as i64 > limit;
    let shown = &found[..found.len().min(limit as usize)];
    let next = shown.last().filter(|_| more).map(|(ticket, _)| ticket.id);
    let station = filter.estacion.as_deref();
    let mut views = Vec::new();
    for (ticket, lines) in shown {
        if !lines.iter().any(|line| line.is_at(station)) {
            continue;
        }
        if let Some(order) = orders::find(&mut tx, ticket.order).await? {
            views.push(TicketView::new(ticket, lines, &order, desk.now).at_station(lines, station));
        }
    }
    Ok(array(views, next, &uri))
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
    let asked = asked(&desk, &headers, &(id, "linea", n))?;
    let done = decisions::act(&desk.context, desk.by(), order, asked, |order, seen, now| {
        let Some((ticket, lines)) = &seen.ticket else { return Err(Refusal::NothingToUndo) };
        commands::bump(order, ticket, lines, n, desk.role, now)
    });
    answer(&desk, done.await?)
}

#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = EstacionQueMarca)]
struct StationRequest {
    /// The station that speaks; empty for what belongs to none. Absent: the whole ticket.
    #[schema(max_length = 150)]
    estacion: Option<String>,
}

/// A station has finished its lines. When none has anything left the order is ready.
#[utoipa::path(post, path = "/comandas/{id}/lista", request_body = Option<StationRequest>,
    tag = "comandas", params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = OrderView)))]
async fn finish(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    body: Option<Json<StationRequest>>,
) -> Result<Response, Failure> {
    let station = body.map(|Json(body)| body).unwrap_or_default().estacion;
    let order = ticket_order(&desk, id).await?;
    let asked = asked(&desk, &headers, &(id, "lista", &station))?;
    let done = decisions::act(&desk.context, desk.by(), order, asked, |order, seen, now| {
        let Some((ticket, lines)) = &seen.ticket else { return Err(Refusal::NothingToUndo) };
        commands::finish_station(order, ticket, lines, station.as_deref(), desk.role, now)
    });
    answer(&desk, done.await?)
}

/// Takes the last bump back, of a line, of a station or of the whole order. A station takes back its
/// own.
#[utoipa::path(post, path = "/comandas/{id}/deshacer", request_body = Option<StationRequest>,
    tag = "comandas", params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = OrderView)))]
async fn undo(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    body: Option<Json<StationRequest>>,
) -> Result<Response, Failure> {
    let station = body.map(|Json(body)| body).unwrap_or_default().estacion;
    let order = ticket_order(&desk, id).await?;
    let asked = asked(&desk, &headers, &(id, "deshacer", &station))?;
    let done = decisions::act(&desk.context, desk.by(), order, asked, |order, seen, now| {
        let Some((ticket, lines)) = &seen.ticket else { return Err(Refusal::NothingToUndo) };
        let station = station.as_deref();
        commands::undo(order, ticket, lines, &seen.bumps, station, desk.role, now)
    });
    answer(&desk, done.await?)
}

#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
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
    headers: HeaderMap,
    body: Option<Json<AcknowledgeRequest>>,
) -> Result<Response, Failure> {
    let wanted = body.map(|Json(body)| body).unwrap_or_default().revision;
    let order = ticket_order(&desk, id).await?;
    let asked = asked(&desk, &headers, &(id, "confirmar", wanted))?;
    let done = decisions::act(&desk.context, desk.by(), order, asked, |_, seen, _| {
        let Some((ticket, _)) = &seen.ticket else { return Err(Refusal::NothingToUndo) };
        commands::acknowledge(ticket, wanted.unwrap_or(ticket.revision), desk.role)
    });
    answer(&desk, done.await?)
}

/// The order of a ticket, for whoever may work on it.
async fn ticket_order(desk: &Desk, ticket: i64) -> Result<OrderId, Failure> {
    desk.require(Action::BumpLines)?;
    Ok(find(desk, ticket).await?.0.order)
}

/// Sends a ticket to the kitchen's printer.
#[utoipa::path(post, path = "/comandas/{id}/imprimir", tag = "comandas", params(("id" = i64, Path)),
    responses((status = 202)))]
async fn print(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::ReadKitchen)?;
    let done = decisions::print(&desk.context, id).await?;
    saved(&desk, done, no_ticket, |desk, NoPrinter| {
        let (es, en) = ("No hay una impresora de cocina.", "There is no kitchen printer.");
        let hint = desk.lang.t(
            "Se carga su dirección en impresora_comandas, o se imprime desde el navegador.",
            "Set its address in impresora_comandas, or print from the browser.",
        );
        host::conflict(desk.lang, "SIN_IMPRESORA", es, en).hint(hint)
    })?;
    Ok(StatusCode::ACCEPTED)
}

/// A ticket as it stands on paper, for the browser's own printer.
pub(super) async fn on_paper(desk: &Desk, id: i64, lang: SlipLang) -> Result<Slip, Failure> {
    let (ticket, lines) = find(desk, id).await?;
    let mut tx = desk.context.store.read().await?;
    let order = orders::find(&mut tx, ticket.order).await?.ok_or_else(|| no_ticket(desk))?;
    Ok(printer::slip(&ticket, &lines, &order, &desk.context.zone, lang, false))
}
