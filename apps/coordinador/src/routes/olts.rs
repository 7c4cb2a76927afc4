//! OLTs and how they are reached.

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use host::{
    Failure, Listed, Span, as_json,
    check::Check,
    edit::{self, Editable as _},
    tagged,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Path, Query};

use super::Desk;
use crate::{
    Context,
    decisions::olts::Olts,
    drivers,
    model::OltId,
    policy::Action,
    store::olts,
    wire::{OltRequest, OltView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(one, update, remove))
        .routes(routes!(probe))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// Part of the name, the brand or the address.
    buscar: Option<String>,
    habilitar_olt: Option<bool>,
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    cursor: Option<i64>,
}

/// OLTs, by id, without anything secret.
#[utoipa::path(get, path = "/api/coordinador/olts", tag = "coordinador", params(Asked),
    responses((status = 200, body = Listed<OltView>)))]
async fn list(
    desk: Desk,
    Query(asked): Query<Asked>,
) -> Result<axum::Json<Listed<OltView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let part = asked.buscar.unwrap_or_default().to_lowercase();
    let mut found = olts::all_with_health(&mut tx).await?;
    found.retain(|(olt, _)| {
        let texts = [&olt.name, &olt.brand, &olt.address];
        asked.habilitar_olt.is_none_or(|wanted| olt.enabled == wanted)
            && texts.iter().any(|text| text.to_lowercase().contains(&part))
    });
    found.sort_by_key(|(olt, _)| olt.id);
    let views = found.iter().map(|(olt, health)| OltView::new(olt, health)).collect();
    let span = Span { limit: asked.limit, cursor: asked.cursor };
    Ok(axum::Json(span.of(views, |view| view.id)))
}

/// Adds an OLT.
#[utoipa::path(post, path = "/api/coordinador/olts", request_body = OltRequest,
    tag = "coordinador",
    responses((status = 201, body = OltView)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<OltRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let view = edit::create::<Olts>(&desk, &request).await?;
    Ok(tagged(StatusCode::CREATED, view.fila_version, view))
}

/// One OLT; its version is the `ETag`.
#[utoipa::path(get, path = "/api/coordinador/olts/{id}", params(("id" = i64, Path)),
    tag = "coordinador",
    responses((status = 200, body = OltView)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let view = edit::one::<Olts>(&desk, id).await?;
    Ok(tagged(StatusCode::OK, view.fila_version, view))
}

/// Changes the fields that are named.
#[utoipa::path(put, path = "/api/coordinador/olts/{id}", request_body = OltRequest,
    tag = "coordinador", params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = OltView)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    web::Json(change): web::Json<Map<String, Json>>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let view = edit::update::<Olts>(&desk, id, &headers, change).await?;
    Ok(tagged(StatusCode::OK, view.fila_version, view))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Farewell {
    motivo: Option<String>,
}

/// Deletes it softly: its history stays.
#[utoipa::path(delete, path = "/api/coordinador/olts/{id}", tag = "coordinador",
    params(("id" = i64, Path), Farewell, ("If-Match" = Option<String>, Header)),
    responses((status = 204)))]
async fn remove(
    desk: Desk,
    Path(id): Path<i64>,
    Query(farewell): Query<Farewell>,
    headers: HeaderMap,
) -> Result<StatusCode, Failure> {
    desk.require(Action::Edit)?;
    let mut check = Check::new(desk.lang);
    let reason = check.text("motivo", farewell.motivo.as_deref(), 500);
    check.finish()?;
    edit::remove_version::<Olts>(&desk, id, &headers, reason).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What a device said when it was asked.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OltPrueba)]
struct ProbeView {
    responde: bool,
    respuesta_ms: Option<f64>,
    activa_desde_segundos: Option<f64>,
    reason: Option<&'static str>,
    motivo: Option<String>,
}

/// Asks the device once whether it is there; nothing is changed.
#[utoipa::path(post, path = "/api/coordinador/olts/{id}/probar", params(("id" = i64, Path)),
    tag = "coordinador",
    responses((status = 200, body = ProbeView)))]
async fn probe(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Operate)?;
    let mut tx = desk.context.store.read().await?;
    let olt = olts::find(&mut tx, OltId(id)).await?.ok_or_else(|| Olts::missing(&desk))?;
    drop(tx);
    let view = match drivers::probe::probe(&desk.context, &olt).await? {
        Ok(pulse) => ProbeView {
            responde: true,
            respuesta_ms: Some(pulse.took.as_secs_f64() * 1_000.0),
            activa_desde_segundos: pulse.uptime.map(|uptime| uptime.as_secs_f64()),
            reason: None,
            motivo: None,
        },
        Err(fault) => ProbeView {
            responde: false,
            respuesta_ms: None,
            activa_desde_segundos: None,
            reason: Some(fault.word()),
            motivo: Some(desk.lang.t(&fault.es(), &fault.en()).to_owned()),
        },
    };
    Ok(axum::Json(as_json(json!(view))?).into_response())
}
