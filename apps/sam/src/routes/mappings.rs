//! *Mapeos*: what others call our robots.

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use host::Failure;
use serde_json::{Map, Value as Json};
use utoipa_axum::router::OpenApiRouter;
use web::Path;
use web::routes;

use super::{Listed, edit};
use crate::{
    Context, Desk,
    decisions::mappings::Mappings,
    policy::Action,
    store::mappings,
    wire::{MappingRequest, MappingView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(update, remove))
}

/// What other systems call robots.
#[utoipa::path(get, path = "/api/sam/mapeos", tag = "sam",
    responses((status = 200, body = Listed<MappingView>)))]
async fn list(
    desk: Desk,
    _: web::Query<super::Unasked>,
) -> Result<axum::Json<Listed<MappingView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let all = mappings::all(&mut tx).await?;
    Ok(axum::Json(Listed::whole(all.iter().map(MappingView::new).collect())))
}

/// Adds a name by which another system calls a robot.
#[utoipa::path(post, path = "/api/sam/mapeos", request_body = MappingRequest, tag = "sam",
    responses((status = 201, body = MappingView)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<MappingRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let view = edit::create::<Mappings>(&desk, &request).await?;
    Ok((StatusCode::CREATED, axum::Json(view)).into_response())
}

/// Changes the fields that are named.
#[utoipa::path(put, path = "/api/sam/mapeos/{id}", request_body = MappingRequest, tag = "sam",
    params(("id" = i64, Path)),
    responses((status = 200, body = MappingView)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    web::Json(change): web::Json<Map<String, Json>>,
) -> Result<axum::Json<MappingView>, Failure> {
    desk.require(Action::Edit)?;
    let view = edit::update::<Mappings>(&desk, id, &HeaderMap::new(), change).await?;
    Ok(axum::Json(view))
}

/// Deletes the name.
#[utoipa::path(delete, path = "/api/sam/mapeos/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 204)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::Edit)?;
    edit::remove::<Mappings>(&desk, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
