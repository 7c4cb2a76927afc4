//! The OID catalogue: what comes with Turno and what the house adds.

use axum::http::{HeaderMap, StatusCode};
use host::{Failure, Listed, as_json, edit};
use utoipa_axum::router::OpenApiRouter;
use web::Path;
use web::routes;

use super::Desk;
use crate::{
    Context,
    decisions::catalogue::{Oids, views},
    policy::Action,
    wire::{OidRequest, OidView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(update, remove))
}

/// The catalogue: every OID with what is read under it.
#[utoipa::path(get, path = "/api/coordinador/oids", tag = "coordinador",
    responses((status = 200, body = Listed<OidView>)))]
async fn list(desk: Desk) -> Result<axum::Json<Listed<OidView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    Ok(axum::Json(Listed::whole(views(&mut tx).await?)))
}

/// Adds an OID to the catalogue.
#[utoipa::path(post, path = "/api/coordinador/oids", request_body = OidRequest,
    tag = "coordinador",
    responses((status = 201, body = OidView)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<OidRequest>,
) -> Result<(StatusCode, axum::Json<OidView>), Failure> {
    desk.require(Action::Edit)?;
    Ok((StatusCode::CREATED, axum::Json(edit::create::<Oids>(&desk, &request).await?)))
}

/// Changes the fields that are named.
#[utoipa::path(put, path = "/api/coordinador/oids/{id}", request_body = OidRequest,
    tag = "coordinador", params(("id" = i64, Path)),
    responses((status = 200, body = OidView)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    web::Json(request): web::Json<OidRequest>,
) -> Result<axum::Json<OidView>, Failure> {
    desk.require(Action::Edit)?;
    let whole = as_json(request)?.as_object().cloned().unwrap_or_default();
    Ok(axum::Json(edit::update::<Oids>(&desk, id, &HeaderMap::new(), whole).await?))
}

/// Takes an OID out of the catalogue.
#[utoipa::path(delete, path = "/api/coordinador/oids/{id}", params(("id" = i64, Path)),
    tag = "coordinador",
    responses((status = 204)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::Edit)?;
    edit::remove::<Oids>(&desk, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
