//! Pools and who is in them.

use axum::{
    http::{HeaderMap, StatusCode},
    response::Response,
};
use host::{Failure, edit::Editable as _};
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Path, Query};

use super::{Listed, Span, edit, tagged};
use crate::{
    Context, Desk,
    decisions::pools::{self as decisions, Pools},
    model::PoolId,
    policy::Action,
    store::pools,
    wire::{PoolRequest, PoolView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(one, update, remove))
        .routes(routes!(set_members))
}

#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamMiembros)]
struct Members {
    #[serde(default)]
    robots: Vec<i64>,
    #[serde(default)]
    equipos: Vec<i64>,
}

#[utoipa::path(get, path = "/api/sam/pools", tag = "sam", params(Span),
    responses((status = 200, body = Listed<PoolView>)))]
async fn list(
    desk: Desk,
    Query(span): Query<Span>,
) -> Result<axum::Json<Listed<PoolView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let mut all = pools::all(&mut tx).await?;
    all.sort_by_key(|pool| pool.id);
    let views = decisions::views(&desk, &mut tx, &all).await?;
    Ok(axum::Json(span.of(views, |view| view.id)))
}

#[utoipa::path(get, path = "/api/sam/pools/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 200, body = PoolView)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let pool = pools::find(&mut tx, PoolId(id)).await?.ok_or_else(|| Pools::missing(&desk))?;
    let view = Pools::view(&pool, &desk, &mut tx).await?;
    Ok(tagged(StatusCode::OK, view.version, view))
}

#[utoipa::path(post, path = "/api/sam/pools", request_body = PoolRequest, tag = "sam",
    responses((status = 201, body = PoolView)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<PoolRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let view = edit::create::<Pools>(&desk, &request).await?;
    Ok(tagged(StatusCode::CREATED, view.version, view))
}

#[utoipa::path(put, path = "/api/sam/pools/{id}", request_body = PoolRequest, tag = "sam",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = PoolView)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    web::Json(change): web::Json<Map<String, Json>>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let view = edit::update::<Pools>(&desk, id, &headers, change).await?;
    Ok(tagged(StatusCode::OK, view.version, view))
}

/// Removes a pool; its members go on without one.
#[utoipa::path(delete, path = "/api/sam/pools/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 204)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::Edit)?;
    edit::remove::<Pools>(&desk, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Makes these, and only these, the members; each leaves the pool it was in.
#[utoipa::path(put, path = "/api/sam/pools/{id}/miembros", request_body = Members, tag = "sam",
    params(("id" = i64, Path)),
    responses((status = 200, body = PoolView)))]
async fn set_members(
    desk: Desk,
    Path(id): Path<i64>,
    web::Json(members): web::Json<Members>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let view = decisions::set_members(&desk, id, &members.robots, &members.equipos).await?;
    Ok(tagged(StatusCode::OK, view.version, view))
}
