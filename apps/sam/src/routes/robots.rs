//! Robots.

use axum::{
    http::{HeaderMap, StatusCode},
    response::Response,
};
use host::{Failure, edit::Editable as _};
use serde_json::{Map, Value as Json};
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Path, Query};

use super::{Listed, Span, edit, tagged};
use crate::{
    Context, Desk,
    decisions::robots::Robots,
    model::RobotId,
    policy::Action,
    store::robots,
    wire::{RobotRequest, RobotView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(one, update, remove))
}

/// Every robot by id.
#[utoipa::path(get, path = "/api/sam/robots", tag = "sam", params(Span),
    responses((status = 200, body = Listed<RobotView>)))]
async fn list(
    desk: Desk,
    Query(span): Query<Span>,
) -> Result<axum::Json<Listed<RobotView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let views = robots::all(&mut tx).await?.iter().map(RobotView::from).collect();
    Ok(axum::Json(span.of(views, |view| view.id)))
}

#[utoipa::path(get, path = "/api/sam/robots/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 200, body = RobotView)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let robot = robots::find(&mut tx, RobotId(id)).await?.ok_or_else(|| Robots::missing(&desk))?;
    Ok(tagged(StatusCode::OK, robot.version, RobotView::from(&robot)))
}

#[utoipa::path(post, path = "/api/sam/robots", request_body = RobotRequest, tag = "sam",
    responses((status = 201, body = RobotView)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<RobotRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let view = edit::create::<Robots>(&desk, &request).await?;
    Ok(tagged(StatusCode::CREATED, view.version, view))
}

/// Changes the fields that are named. Its schedules and assignments stay.
#[utoipa::path(put, path = "/api/sam/robots/{id}", request_body = RobotRequest, tag = "sam",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = RobotView)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    web::Json(change): web::Json<Map<String, Json>>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let view = edit::update::<Robots>(&desk, id, &headers, change).await?;
    Ok(tagged(StatusCode::OK, view.version, view))
}

/// Removes a robot that never ran and that nothing names; otherwise deactivate it.
#[utoipa::path(delete, path = "/api/sam/robots/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 204)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::Edit)?;
    edit::remove::<Robots>(&desk, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
