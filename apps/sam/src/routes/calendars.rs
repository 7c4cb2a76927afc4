//! Holiday calendars.

use axum::{
    http::{HeaderMap, StatusCode},
    response::Response,
};
use host::Failure;
use serde_json::{Map, Value as Json};
use utoipa_axum::{router::OpenApiRouter, routes};
use web::Path;

use super::{Listed, edit, tagged};
use crate::{
    Context, Desk,
    decisions::calendars::Calendars,
    policy::Action,
    store::calendars,
    wire::{CalendarRequest, CalendarView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(update, remove))
}

#[utoipa::path(get, path = "/api/sam/calendarios", tag = "sam",
    responses((status = 200, body = Listed<CalendarView>)))]
async fn list(desk: Desk) -> Result<axum::Json<Listed<CalendarView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let all = calendars::all(&mut tx).await?;
    Ok(axum::Json(Listed::whole(all.iter().map(CalendarView::from).collect())))
}

#[utoipa::path(post, path = "/api/sam/calendarios", request_body = CalendarRequest, tag = "sam",
    responses((status = 201, body = CalendarView)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<CalendarRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let view = edit::create::<Calendars>(&desk, &request).await?;
    Ok(tagged(StatusCode::CREATED, view.version, view))
}

#[utoipa::path(put, path = "/api/sam/calendarios/{id}", request_body = CalendarRequest,
    tag = "sam", params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = CalendarView)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    web::Json(change): web::Json<Map<String, Json>>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let view = edit::update::<Calendars>(&desk, id, &headers, change).await?;
    Ok(tagged(StatusCode::OK, view.version, view))
}

#[utoipa::path(delete, path = "/api/sam/calendarios/{id}", params(("id" = i64, Path)),
    tag = "sam",
    responses((status = 204)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::Edit)?;
    edit::remove::<Calendars>(&desk, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
