//! *Mapeos*: what others call our robots.

use axum::{
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use host::{Context, Failure};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Path, Problem};

use super::{Desk, Listed, as_json, by, check::Check, conflict, merged, unknown};
use crate::{
    model::RobotId,
    policy::Action,
    store::{self, mappings, mappings::Mapping, robots},
    wire::MappingView,
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(update, remove))
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamMapeoNuevo)]
struct MappingRequest {
    /// `General` when absent.
    proveedor: Option<String>,
    #[schema(min_length = 1, max_length = 255)]
    nombre_externo: String,
    robot_id: i64,
    descripcion: Option<String>,
}

fn typed(desk: &Desk, request: &MappingRequest) -> Result<Mapping, Failure> {
    let mut check = Check::new(desk.lang);
    let provider = check.text("proveedor", request.proveedor.as_deref(), 50);
    let external_name = check.name("nombre_externo", &request.nombre_externo, 255);
    let description = check.text("descripcion", request.descripcion.as_deref(), 500);
    check.finish()?;
    Ok(Mapping {
        id: 0,
        provider: provider.unwrap_or_else(|| "General".to_owned()),
        external_name,
        robot: RobotId(request.robot_id),
        description,
        created_at: desk.now,
    })
}

/// Why a mapping cannot be so.
async fn refused(
    desk: &Desk,
    tx: &mut db::Tx,
    mapping: &Mapping,
) -> Result<Option<Problem>, db::Error> {
    if robots::find(tx, mapping.robot).await?.is_none() {
        let (es, en) = ("No existe ese robot.", "There is no such robot.");
        return Ok(Some(unknown(desk, "ROBOT_INEXISTENTE", es, en)));
    }
    let other = mappings::of(tx, &mapping.provider, &mapping.external_name).await?;
    if other.is_some_and(|other| other.id != mapping.id) {
        let (es, en) = (
            "Ese nombre del proveedor ya está asignado a un robot.",
            "That name of the provider is mapped to a robot already.",
        );
        return Ok(Some(conflict(desk.lang, "MAPEO_REPETIDO", es, en)));
    }
    Ok(None)
}

fn missing(desk: &Desk) -> Problem {
    unknown(desk, "MAPEO_INEXISTENTE", "No existe ese mapeo.", "There is no such mapping.")
}

#[utoipa::path(get, path = "/api/sam/mapeos", tag = "sam",
    responses((status = 200, body = Listed<MappingView>), (status = 403, body = Problem),
              (status = 503, body = Problem)))]
async fn list(desk: Desk) -> Result<axum::Json<Listed<MappingView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let all = mappings::all(&mut tx).await?;
    Ok(axum::Json(Listed::whole(all.iter().map(MappingView::from).collect())))
}

#[utoipa::path(post, path = "/api/sam/mapeos", request_body = MappingRequest, tag = "sam",
    responses((status = 201, body = MappingView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem), (status = 415, body = Problem),
              (status = 422, body = Problem), (status = 503, body = Problem)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<MappingRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let mut mapping = typed(&desk, &request)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    if let Some(problem) = refused(&desk, &mut decision.tx, &mapping).await? {
        return Err(problem.into());
    }
    mapping.id = mappings::insert(&mut decision.tx, &mapping).await?;
    let view = MappingView::from(&mapping);
    let mut entry = by(&desk).did("mapeo.crear", format!("mapeo/{}", mapping.id));
    entry.after = Some(as_json(&view)?);
    decision.audit(entry);
    decision.commit().await?;
    Ok((StatusCode::CREATED, axum::Json(view)).into_response())
}

#[utoipa::path(put, path = "/api/sam/mapeos/{id}", request_body = MappingRequest, tag = "sam",
    params(("id" = i64, Path)),
    responses((status = 200, body = MappingView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem), (status = 415, body = Problem),
              (status = 422, body = Problem), (status = 503, body = Problem)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    web::Json(change): web::Json<Map<String, Json>>,
) -> Result<axum::Json<MappingView>, Failure> {
    desk.require(Action::Edit)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let before = mappings::find(&mut decision.tx, id).await?.ok_or_else(|| missing(&desk))?;
    let standing = MappingRequest {
        proveedor: Some(before.provider.clone()),
        nombre_externo: before.external_name.clone(),
        robot_id: before.robot.0,
        descripcion: before.description.clone(),
    };
    let wanted = typed(&desk, &merged(&standing, change, desk.lang)?)?;
    let mapping = Mapping { id, created_at: before.created_at, ..wanted };
    if let Some(problem) = refused(&desk, &mut decision.tx, &mapping).await? {
        return Err(problem.into());
    }
    mappings::update(&mut decision.tx, &mapping).await?;
    let view = MappingView::from(&mapping);
    let mut entry = by(&desk).did("mapeo.editar", format!("mapeo/{id}"));
    entry.before = Some(as_json(MappingView::from(&before))?);
    entry.after = Some(as_json(&view)?);
    decision.audit(entry);
    decision.commit().await?;
    Ok(axum::Json(view))
}

#[utoipa::path(delete, path = "/api/sam/mapeos/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 503, body = Problem)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::Edit)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let before = mappings::find(&mut decision.tx, id).await?.ok_or_else(|| missing(&desk))?;
    mappings::remove(&mut decision.tx, id).await?;
    let mut entry = by(&desk).did("mapeo.borrar", format!("mapeo/{id}"));
    entry.before = Some(as_json(MappingView::from(&before))?);
    decision.audit(entry);
    decision.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
