//! Moving an order along: state, schedule, hold, charge, cancel.

use axum::{http::HeaderMap, response::Response};
use host::Failure;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Json, Path};

use super::{Desk, answer, asked, check, input, look};
use crate::{
    Context, decisions,
    model::{Due, Order, OrderId, OrderState},
    policy::Action,
    rules::commands::{self, Answer},
    store::OrderSnapshot,
    wire::OrderView,
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(set_state))
        .routes(routes!(force_state))
        .routes(routes!(start_by_hand))
        .routes(routes!(reschedule))
        .routes(routes!(hold))
        .routes(routes!(release))
        .routes(routes!(cancel))
        .routes(routes!(charge))
        .routes(routes!(payment))
}

async fn act(
    desk: &Desk,
    id: i64,
    headers: &HeaderMap,
    said: (&str, impl Serialize),
    command: impl FnOnce(&Order, &OrderSnapshot, Timestamp) -> Answer,
) -> Result<Response, Failure> {
    let asked = asked(desk, headers, &(id, said))?;
    answer(desk, decisions::act(&desk.context, desk.by(), OrderId(id), asked, command).await?)
}

fn state(desk: &Desk, word: &str) -> Result<OrderState, Failure> {
    let mut check = check(desk);
    let found = check.word("estado", Some(word));
    check.finish()?;
    Ok(found.unwrap_or(OrderState::Received))
}

fn reason(desk: &Desk, text: Option<&str>) -> Result<Option<String>, Failure> {
    let mut check = check(desk);
    let reason = check.text("motivo", text, 255);
    check.finish()?;
    Ok(reason)
}

#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CambioDeEstado)]
struct StateRequest {
    #[schema(example = "LISTO")]
    estado: String,
    /// Kept with a cancellation.
    #[schema(max_length = 255)]
    motivo: Option<String>,
}

/// Changes the state; the state it already has is a success without effect.
#[utoipa::path(put, path = "/pedidos/{id}/estado", request_body = StateRequest, tag = "pedidos",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = OrderView)))]
async fn set_state(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Json(wanted): Json<StateRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::ChangeState)?;
    let to = state(&desk, &wanted.estado)?;
    // The seed's endpoint has no reason; a cancellation through it says at least that much.
    let reason = reason(&desk, wanted.motivo.as_deref())?;
    let reason = reason.unwrap_or_else(|| "sin motivo informado".to_owned());
    act(&desk, id, &headers, ("estado", &wanted), |order, seen, now| {
        commands::change_state(order, to, Some(&reason), seen.kitchen.room(), desk.role, now)
    })
    .await
}

#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CambioForzado)]
struct ForceRequest {
    #[schema(example = "EN_PREPARACION")]
    estado: String,
    /// Why the rules are overridden; audited.
    #[serde(default)]
    #[schema(max_length = 255)]
    motivo: String,
}

/// Overrides capacity and holds. ADMIN and GERENTE only, with a reason.
#[utoipa::path(post, path = "/pedidos/{id}/forzar-estado", request_body = ForceRequest,
    tag = "pedidos", params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = OrderView)))]
async fn force_state(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Json(wanted): Json<ForceRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::ForceState)?;
    let to = state(&desk, &wanted.estado)?;
    let reason = reason(&desk, Some(&wanted.motivo))?.unwrap_or_default();
    act(&desk, id, &headers, ("forzar", &wanted), |order, _, now| {
        commands::force(order, to, &reason, desk.role, now)
    })
    .await
}

/// Starts an order by hand, due or not, if there is room.
#[utoipa::path(post, path = "/pedidos/{id}/iniciar-preparacion-manual", tag = "pedidos",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = OrderView)))]
async fn start_by_hand(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    desk.require(Action::ChangeState)?;
    act(&desk, id, &headers, ("iniciar", ()), |order, seen, now| {
        commands::start(order, seen.kitchen.room(), desk.role, now)
    })
    .await
}

#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CambioDeHorario)]
struct ScheduleRequest {
    /// Null: as soon as possible. To leave it out says nothing and is refused.
    #[serde(deserialize_with = "web::nullable")]
    #[schema(required)]
    horario_entrega: Option<Timestamp>,
    /// Takes a promise that the queue cannot keep, late as it will be.
    insistir: Option<bool>,
}

/// Changes when the customer wants it, if the queue can keep it or somebody insists.
#[utoipa::path(put, path = "/pedidos/{id}/horario-entrega", request_body = ScheduleRequest,
    tag = "pedidos", params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = OrderView)))]
async fn reschedule(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Json(wanted): Json<ScheduleRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::WriteOrders)?;
    let due = Due::from_instant(wanted.horario_entrega);
    let (_, kitchen) = look(&desk).await?;
    let mut check = check(&desk);
    input::check_due(&mut check, due, desk.now, &kitchen);
    check.finish()?;
    let asked = asked(&desk, &headers, &(id, "horario", &wanted))?;
    let wish = (due, wanted.insistir.unwrap_or(false));
    let (context, by) = (&desk.context, desk.by());
    let done = decisions::reschedule(context, by, OrderId(id), asked, wish, desk.role);
    answer(&desk, done.await?)
}

#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Motivo)]
struct ReasonRequest {
    #[schema(max_length = 255)]
    motivo: Option<String>,
}

/// Keeps an order out of the kitchen until someone releases it.
#[utoipa::path(post, path = "/pedidos/{id}/retener", request_body = Option<ReasonRequest>,
    tag = "pedidos", params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = OrderView)))]
async fn hold(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    body: Option<Json<ReasonRequest>>,
) -> Result<Response, Failure> {
    desk.require(Action::WriteOrders)?;
    let body = body.map(|Json(body)| body).unwrap_or_default();
    let reason = reason(&desk, body.motivo.as_deref())?;
    act(&desk, id, &headers, ("retener", &body), |order, _, _| {
        commands::hold(order, reason.as_deref(), desk.role)
    })
    .await
}

/// Gives an order back to the queue.
#[utoipa::path(post, path = "/pedidos/{id}/liberar", tag = "pedidos",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = OrderView)))]
async fn release(desk: Desk, Path(id): Path<i64>, headers: HeaderMap) -> Result<Response, Failure> {
    desk.require(Action::WriteOrders)?;
    act(&desk, id, &headers, ("liberar", ()), |order, _, _| commands::release(order, desk.role))
        .await
}

/// Cancels with a reason; what it took from stock goes back once.
#[utoipa::path(post, path = "/pedidos/{id}/cancelar", request_body = ReasonRequest, tag = "pedidos",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = OrderView)))]
async fn cancel(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Json(body): Json<ReasonRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::WriteOrders)?;
    let reason = reason(&desk, body.motivo.as_deref())?.unwrap_or_default();
    act(&desk, id, &headers, ("cancelar", &body), |order, _, now| {
        commands::cancel(order, &reason, desk.role, now)
    })
    .await
}

#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Cobro)]
struct ChargeRequest {
    #[schema(example = "EFECTIVO")]
    medio_pago: String,
}

/// Charges an order; charging twice is charging once.
#[utoipa::path(post, path = "/pedidos/{id}/cobrar", request_body = ChargeRequest, tag = "pedidos",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = OrderView)))]
async fn charge(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Json(body): Json<ChargeRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::WriteOrders)?;
    let mut check = check(&desk);
    let method = check.word("medio_pago", Some(&body.medio_pago));
    check.finish()?;
    let command = |order: &Order| match method {
        Some(method) => commands::pay(order, method, desk.role),
        None => Ok(Vec::new()),
    };
    act(&desk, id, &headers, ("cobrar", &body), |order, _, _| command(order)).await
}

#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NoticiaDePago)]
struct PaymentRequest {
    #[schema(example = "MERCADOPAGO")]
    medio_pago: String,
    /// PAGADO, PENDIENTE, RECHAZADO or CANCELADO.
    estado_pago: String,
}

/// What the payment provider says; approval lets a web order in at once.
#[utoipa::path(put, path = "/pedidos/{id}/pago", request_body = PaymentRequest, tag = "pedidos",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = OrderView)))]
async fn payment(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Json(body): Json<PaymentRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::WriteOrders)?;
    let mut check = check(&desk);
    let method = check.word("medio_pago", Some(&body.medio_pago));
    let state = input::payment_state(&mut check, Some(&body.estado_pago));
    check.finish()?;
    let command = |order: &Order| match (method, state) {
        (Some(method), Some(state)) => commands::settle_payment(order, method, state),
        _ => Ok(Vec::new()),
    };
    act(&desk, id, &headers, ("pago", &body), |order, _, _| command(order)).await
}
