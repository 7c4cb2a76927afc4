//! Orders: take one in, look at them, edit their lines.

use axum::{
    http::{HeaderMap, StatusCode, Uri},
    response::{IntoResponse as _, Response},
};
use engine::{Sentence, Word as _};
use host::Failure;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Json, Path, Query};

use super::{
    Desk, answer, array, asked, check, idempotency_key,
    input::{self, NewLine, NewOrder},
    key_reused, limit, look, no_order, no_such_cursor, refused, tagged,
};
use crate::{
    Context,
    decisions::{self, Created},
    model::{Order, OrderId, OrderState},
    policy::Action,
    rules::{
        business_day::BusinessDay,
        commands::{self, Edit},
        intake,
        intake::Waiting,
        lateness,
        projection::{self, Projected},
        promise,
    },
    store::{KitchenView, history, orders},
    wire::{CapacityView, OrderView, ReasonView, WhyView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(capacity))
        .routes(routes!(late))
        .routes(routes!(quote))
        .routes(routes!(one, edit))
        .routes(routes!(why))
        .routes(routes!(steps))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Filter {
    /// RECIBIDO, EN_PREPARACION, LISTO, ENTREGADO or CANCELADO.
    estado: Option<String>,
    /// A business day, `2026-06-19`. Absent: all that is open, and what ended in the last week.
    dia: Option<String>,
    #[param(minimum = 1, maximum = 2000)]
    limit: Option<i64>,
    /// The last order of the page before.
    cursor: Option<i64>,
}

/// Orders, newest first. `Link` tells where the list goes on.
#[utoipa::path(get, path = "/pedidos", params(Filter), tag = "pedidos",
    responses((status = 200, body = Vec<OrderView>)))]
async fn list(desk: Desk, uri: Uri, Query(filter): Query<Filter>) -> Result<Response, Failure> {
    desk.require(Action::ReadOrders)?;
    let mut check = check(&desk);
    let state = check.word("estado", filter.estado.as_deref());
    let day = check.date("dia", filter.dia.as_deref());
    let limit = limit(&mut check, filter.limit, orders::LISTED);
    check.finish()?;
    let (mut tx, kitchen) = look(&desk).await?;
    if let Some(cursor) = filter.cursor
        && orders::find(&mut tx, OrderId(cursor)).await?.is_none()
    {
        return Err(no_such_cursor(&desk).into());
    }
    let page = orders::Page { before: filter.cursor, limit: limit + 1 };
    let mut found = match (day, state) {
        (Some(date), state) => {
            let day = BusinessDay::of(date, &kitchen.policy.zone, kitchen.policy.cutoff);
            orders::between(&mut tx, day.begins, day.ends, state, page).await?
        }
        (_, Some(state)) => orders::newest_in(&mut tx, state, page).await?,
        (_, None) => {
            let week = desk.now - SignedDuration::from_hours(24 * 7);
            orders::open_or_recent(&mut tx, week, page).await?
        }
    };
    let more = found.len() as i64 > limit;
    found.truncate(limit as usize);
    let next = found.last().filter(|_| more).map(|order| order.id.0);
    let views = views(&desk, &mut tx, &kitchen, &found).await?;
    Ok(array(views, next, &uri))
}

/// Orders as this desk may see them, with their place in the queue.
pub(super) async fn views(
    desk: &Desk,
    tx: &mut db::Tx,
    kitchen: &KitchenView,
    found: &[Order],
) -> Result<Vec<OrderView>, Failure> {
    let lines = orders::lines_of(tx, found).await?;
    let projected = if found.iter().any(|order| order.state == OrderState::Received) {
        projected(tx, kitchen, desk.now).await?
    } else {
        Vec::new()
    };
    let by_order: std::collections::HashMap<_, _> =
        projected.iter().map(|projected| (projected.order, projected)).collect();
    Ok(found
        .iter()
        .map(|order| {
            let lines = lines.get(&order.id).map(Vec::as_slice).unwrap_or_default();
            OrderView::new(order, lines, desk.now)
                .projected(by_order.get(&order.id).copied())
                .seen_by(desk.role)
        })
        .collect())
}

async fn projected(
    tx: &mut db::Tx,
    kitchen: &KitchenView,
    now: jiff::Timestamp,
) -> Result<Vec<Projected>, Failure> {
    let snapshot = kitchen.with_queue(tx).await?;
    Ok(projection::project(&snapshot, &kitchen.cooking(now), now))
}

/// Takes an order in. It enters the kitchen in the same breath if there is room.
#[utoipa::path(post, path = "/pedidos", request_body = NewOrder, tag = "pedidos",
    params(("Idempotency-Key" = Option<String>, Header,
            description = "the same key and body create one order")),
    responses((status = 201, body = OrderView)))]
async fn create(
    desk: Desk,
    headers: HeaderMap,
    Json(new): Json<NewOrder>,
) -> Result<Response, Failure> {
    desk.require(Action::WriteOrders)?;
    let key = idempotency_key(&desk, &headers, &new)?;
    let (mut tx, kitchen) = look(&desk).await?;
    let lines = input::lines(&desk, &mut tx, &new.articulos, &[]).await?;
    let estimate = input::estimate(&mut tx, &kitchen, &lines, desk.now).await?;
    drop(tx);
    let order = input::order(&desk, &new, &lines, estimate, &kitchen)?;
    let insists = new.insistir.unwrap_or(false);
    let (context, by, key) = (&desk.context, desk.by(), key.as_ref());
    match decisions::create(context, &by, &order, &lines, key, insists).await? {
        Created::New(answer) => Ok((StatusCode::CREATED, axum::Json(answer)).into_response()),
        Created::Replayed(answer) => {
            Ok((StatusCode::CREATED, [("idempotency-replayed", "true")], axum::Json(answer))
                .into_response())
        }
        Created::Refused(refusal) => Err(refused(&desk, &refusal).into()),
        Created::KeyReused => Err(key_reused(&desk).into()),
    }
}

/// How full the kitchen is.
#[utoipa::path(get, path = "/pedidos/capacidad", tag = "pedidos",
    responses((status = 200, body = CapacityView)))]
async fn capacity(desk: Desk) -> Result<axum::Json<CapacityView>, Failure> {
    desk.require(Action::ReadOrders)?;
    let (_, kitchen) = look(&desk).await?;
    Ok(axum::Json(CapacityView::new(&kitchen)))
}

/// Orders that are late now, the worst first.
#[utoipa::path(get, path = "/pedidos/atrasados", tag = "pedidos",
    responses((status = 200, body = Vec<OrderView>)))]
async fn late(desk: Desk) -> Result<axum::Json<Vec<OrderView>>, Failure> {
    desk.require(Action::ReadOrders)?;
    let (mut tx, kitchen) = look(&desk).await?;
    let mut found = kitchen.overdue(&mut tx, desk.now).await?;
    found.retain(|order| lateness::level(order, desk.now).is_late());
    let mut views = views(&desk, &mut tx, &kitchen, &found).await?;
    views.sort_by_key(|view| (std::cmp::Reverse(view.minutos_atraso), view.id));
    Ok(axum::Json(views))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Consulta)]
struct QuoteRequest {
    articulos: Vec<NewLine>,
    horario_entrega: Option<jiff::Timestamp>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Cotizacion)]
struct QuoteView {
    tiempo_estimado_preparacion: i64,
    /// Empty while nobody can say: automation is paused without an end.
    entrada_estimada: Option<jiff::Timestamp>,
    listo_estimado: Option<jiff::Timestamp>,
    posicion: Option<u32>,
    minutos_tarde: i64,
    /// Whether the order would be taken at that time without insisting.
    se_promete: bool,
    explicacion: String,
}

/// What a new order may expect, from running the queue forward.
#[utoipa::path(post, path = "/pedidos/cotizacion", request_body = QuoteRequest, tag = "pedidos",
    responses((status = 200, body = QuoteView)))]
async fn quote(desk: Desk, Json(wanted): Json<QuoteRequest>) -> Result<Response, Failure> {
    desk.require(Action::WriteOrders)?;
    let (mut tx, kitchen) = look(&desk).await?;
    let lines = input::lines(&desk, &mut tx, &wanted.articulos, &[]).await?;
    let estimate = input::estimate(&mut tx, &kitchen, &lines, desk.now).await?;
    let new = NewOrder {
        articulos: wanted.articulos,
        horario_entrega: wanted.horario_entrega,
        modalidad: "RETIRO".into(),
        ..NewOrder::default()
    };
    let order =
        Order { id: OrderId(i64::MAX), ..input::order(&desk, &new, &lines, estimate, &kitchen)? };
    let snapshot = kitchen.with_queue(&mut tx).await?;
    let (cooking, new) = (kitchen.cooking(desk.now), Waiting::from(&order));
    let quote = projection::quote(&snapshot, &cooking, &new, desk.now);
    let verdict = promise::judge(&snapshot, &cooking, &new, desk.now);
    let explicacion = desk.lang.say(&explain(quote.as_ref(), estimate)).to_owned();
    let view = QuoteView {
        tiempo_estimado_preparacion: estimate,
        entrada_estimada: quote.map(|quote| quote.entry),
        listo_estimado: quote.map(|quote| quote.ready),
        posicion: quote.map(|quote| quote.position),
        minutos_tarde: quote.map_or(0, |quote| quote.minutes_late),
        se_promete: verdict.is_none_or(|verdict| verdict.obstacle.is_none()),
        explicacion,
    };
    Ok(axum::Json(view).into_response())
}

fn explain(quote: Option<&projection::Quote>, estimate: i64) -> Sentence {
    let Some(quote) = quote else {
        return Sentence::new(
            "La automatización está en pausa sin hora de fin.",
            "Automation is paused without an end.",
        );
    };
    let projection::Quote { ahead, after, unknown, in_use: used, limit, .. } = *quote;
    let mut sentence =
        Sentence::new(format!("{ahead} antes en la cola"), format!("{ahead} ahead in the queue"));
    if after > 0 {
        let more = Sentence::new(format!(", {after} después"), format!(", {after} behind"));
        sentence.push(&more);
    }
    if unknown > 0 {
        sentence.push(&Sentence::new(
            format!(", {unknown} sin turno (retenidos, sin pagar o de otra jornada)"),
            format!(", {unknown} without a turn (held, unpaid or of another day)"),
        ));
    }
    sentence.push(&Sentence::new(
        format!("; cocina {used} de {limit}; {estimate} min de preparación."),
        format!("; kitchen {used} of {limit}; {estimate} min to prepare."),
    ));
    sentence
}

/// One order.
#[utoipa::path(get, path = "/pedidos/{id}", params(("id" = i64, Path)), tag = "pedidos",
    responses((status = 200, body = OrderView)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::ReadOrders)?;
    let mut tx = desk.context.store.read().await?;
    let found = orders::find(&mut tx, OrderId(id)).await?.ok_or_else(|| no_order(&desk))?;
    let kitchen = KitchenView::load(&desk.context, &mut tx, desk.now).await?;
    let view = views(&desk, &mut tx, &kitchen, &[found]).await?.pop();
    Ok(tagged(view.ok_or_else(|| no_order(&desk))?))
}

#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = EdicionDePedido)]
struct EditRequest {
    /// The whole content the order shall have.
    articulos: Vec<NewLine>,
}

/// Replaces the lines. In the kitchen the start stays and the ticket gets a revision.
#[utoipa::path(put, path = "/pedidos/{id}", request_body = EditRequest, tag = "pedidos",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = OrderView)))]
async fn edit(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Json(wanted): Json<EditRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::WriteOrders)?;
    let asked = asked(&desk, &headers, &(id, "editar", &wanted))?;
    let mut tx = desk.context.store.read().await?;
    if orders::find(&mut tx, OrderId(id)).await?.is_none() {
        return Err(no_order(&desk).into());
    }
    let kitchen = KitchenView::load(&desk.context, &mut tx, desk.now).await?;
    let standing = orders::lines(&mut tx, OrderId(id)).await?;
    let lines = input::lines(&desk, &mut tx, &wanted.articulos, &standing).await?;
    let estimate_minutes = input::estimate(&mut tx, &kitchen, &lines, desk.now).await?;
    drop(tx);
    let wanted = Edit { lines, estimate_minutes };
    let done = decisions::act(&desk.context, desk.by(), OrderId(id), asked, |order, seen, _| {
        let ticket = seen.ticket.as_ref().map(|(_, lines)| lines.as_slice());
        commands::edit(order, &seen.lines, ticket, wanted, desk.role)
    });
    answer(&desk, done.await?)
}

/// Why an order waits, with everything that holds it.
#[utoipa::path(get, path = "/pedidos/{id}/why", params(("id" = i64, Path)), tag = "pedidos",
    responses((status = 200, body = WhyView)))]
async fn why(desk: Desk, Path(id): Path<i64>) -> Result<axum::Json<WhyView>, Failure> {
    desk.require(Action::ReadOrders)?;
    let mut tx = desk.context.store.read().await?;
    let order = orders::find(&mut tx, OrderId(id)).await?.ok_or_else(|| no_order(&desk))?;
    let kitchen = KitchenView::load(&desk.context, &mut tx, desk.now).await?;
    let snapshot = kitchen.with_queue(&mut tx).await?;
    let reasons = intake::why(&snapshot, order.id, desk.now);
    let subject = json!({ "tipo": "pedido", "id": id, "estado": order.state.word() });
    let zone = &kitchen.policy.zone;
    Ok(axum::Json(WhyView {
        subject,
        ready: reasons.is_empty(),
        reasons: reasons.iter().map(|reason| ReasonView::new(reason, zone, desk.lang)).collect(),
    }))
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PasoDeHistoria)]
struct HistoryView {
    at: jiff::Timestamp,
    estado_anterior: Option<String>,
    estado_nuevo: String,
    causa: String,
    usuario: String,
    rol: String,
    motivo: Option<String>,
}

/// Everything that happened to an order, oldest first.
#[utoipa::path(get, path = "/pedidos/{id}/historia", params(("id" = i64, Path)), tag = "pedidos",
    responses((status = 200, body = Vec<HistoryView>)))]
async fn steps(desk: Desk, Path(id): Path<i64>) -> Result<axum::Json<Vec<HistoryView>>, Failure> {
    desk.require(Action::ReadOrders)?;
    let mut tx = desk.context.store.read().await?;
    orders::find(&mut tx, OrderId(id)).await?.ok_or_else(|| no_order(&desk))?;
    let steps = history::of_order(&mut tx, OrderId(id)).await?;
    let steps = steps.into_iter().map(|step| HistoryView {
        at: step.at,
        estado_anterior: step.from,
        estado_nuevo: step.to,
        causa: step.cause,
        usuario: step.actor,
        rol: step.role,
        motivo: step.reason,
    });
    Ok(axum::Json(steps.collect()))
}
