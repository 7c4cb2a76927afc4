//! Pools and who is in them.

use axum::{http::StatusCode, response::Response};
use host::Failure;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Path, Query};

use super::{Listed, Span, tagged};
use crate::{
    Context, Desk,
    decisions::pools::{self as decisions, Pools},
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
    #[schema(schema_with = web::bounds::ids)]
    robots: Vec<i64>,
    #[serde(default)]
    #[schema(schema_with = web::bounds::ids)]
    equipos: Vec<i64>,
}

/// Pools, by id, with their members.
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

shown!(Pools => PoolView, "/api/sam/pools/{id}");

edited! {
    Pools: PoolRequest => PoolView, "/api/sam/pools", "/api/sam/pools/{id}",
    /// Changes the fields that are named.
    update,
    /// Removes a pool; its members go on without one.
    remove
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
