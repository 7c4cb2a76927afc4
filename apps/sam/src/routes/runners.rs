//! Runners (*equipos*).

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
    decisions::runners::Runners,
    model::{Hold, RunnerId},
    policy::Action,
    store::{assignments, runners},
    wire::{RunnerRequest, RunnerView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(one, update, remove))
}

/// Every runner by id.
#[utoipa::path(get, path = "/api/sam/equipos", tag = "sam", params(Span),
    responses((status = 200, body = Listed<RunnerView>)))]
async fn list(
    desk: Desk,
    Query(span): Query<Span>,
) -> Result<axum::Json<Listed<RunnerView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let assigned = assignments::all(&mut tx).await?;
    let scheduled: std::collections::HashSet<_> =
        assigned.iter().filter(|one| one.hold == Hold::Scheduled).map(|one| one.runner).collect();
    let all = runners::all(&mut tx).await?;
    let views = all.iter().map(|one| RunnerView::new(one, scheduled.contains(&one.id))).collect();
    Ok(axum::Json(span.of(views, |view| view.id)))
}

#[utoipa::path(get, path = "/api/sam/equipos/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 200, body = RunnerView)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let runner =
        runners::find(&mut tx, RunnerId(id)).await?.ok_or_else(|| Runners::missing(&desk))?;
    let scheduled = assignments::is_scheduled(&mut tx, runner.id).await?;
    Ok(tagged(StatusCode::OK, runner.version, RunnerView::new(&runner, scheduled)))
}

#[utoipa::path(post, path = "/api/sam/equipos", request_body = RunnerRequest, tag = "sam",
    responses((status = 201, body = RunnerView)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<RunnerRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let view = edit::create::<Runners>(&desk, &request).await?;
    Ok(tagged(StatusCode::CREATED, view.version, view))
}

/// Changes the fields that are named. What the Control Room says of it stays.
#[utoipa::path(put, path = "/api/sam/equipos/{id}", request_body = RunnerRequest, tag = "sam",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = RunnerView)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    web::Json(change): web::Json<Map<String, Json>>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let view = edit::update::<Runners>(&desk, id, &headers, change).await?;
    Ok(tagged(StatusCode::OK, view.version, view))
}

/// Removes a runner that never ran and that nothing names; otherwise put it in maintenance.
#[utoipa::path(delete, path = "/api/sam/equipos/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 204)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::Edit)?;
    edit::remove::<Runners>(&desk, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
