//! Schedules: when robots run, what comes next, what was missed.

mod outlook;

use std::collections::HashMap;

use axum::{
    http::{HeaderMap, StatusCode},
    response::Response,
};
use host::{Failure, edit::Editable as _};
use serde_json::{Map, Value as Json};
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Path, Query};

pub(super) use outlook::overlapping;

use super::{Listed, Span, edit, tagged};
use crate::{
    Context, Desk,
    decisions::schedules::{Schedules, all_calendars},
    model::ScheduleId,
    policy::Action,
    rules::calendar,
    store::{assignments, schedules},
    wire::{ScheduleRequest, ScheduleView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(one, update, remove))
        .merge(outlook::routes())
}

/// Every schedule by id, with its sentence and its next start.
#[utoipa::path(get, path = "/api/sam/programaciones", tag = "sam", params(Span),
    responses((status = 200, body = Listed<ScheduleView>)))]
async fn list(
    desk: Desk,
    Query(span): Query<Span>,
) -> Result<axum::Json<Listed<ScheduleView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let page = span.of(schedules::all(&mut tx).await?, |one| one.id.0);
    let calendars = all_calendars(&mut tx).await?;
    let mut named: HashMap<ScheduleId, Vec<i64>> = HashMap::new();
    for one in assignments::all(&mut tx).await? {
        if let Some(schedule) = one.schedule {
            named.entry(schedule).or_default().push(one.runner.0);
        }
    }
    let zone = &desk.context.zone;
    let views = page.items.iter().map(|one| {
        let holidays = one.calendar.and_then(|id| calendars.get(&id));
        let next = calendar::next_start(one, holidays, zone, desk.now);
        ScheduleView::new(one, named.remove(&one.id).unwrap_or_default(), next, desk.lang)
    });
    Ok(axum::Json(Listed { items: views.collect(), next: page.next }))
}

#[utoipa::path(get, path = "/api/sam/programaciones/{id}", params(("id" = i64, Path)),
    tag = "sam",
    responses((status = 200, body = ScheduleView)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let schedule =
        schedules::find(&mut tx, ScheduleId(id)).await?.ok_or_else(|| Schedules::missing(&desk))?;
    let view = Schedules::view(&schedule, &desk, &mut tx).await?;
    Ok(tagged(StatusCode::OK, view.version, view))
}

#[utoipa::path(post, path = "/api/sam/programaciones", request_body = ScheduleRequest, tag = "sam",
    responses((status = 201, body = ScheduleView)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<ScheduleRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let view = edit::create::<Schedules>(&desk, &request).await?;
    Ok(tagged(StatusCode::CREATED, view.version, view))
}

/// Changes the fields that are named; `equipos` replaces the runners. The robot stays.
#[utoipa::path(put, path = "/api/sam/programaciones/{id}", request_body = ScheduleRequest,
    tag = "sam", params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = ScheduleView)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    web::Json(change): web::Json<Map<String, Json>>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let view = edit::update::<Schedules>(&desk, id, &headers, change).await?;
    Ok(tagged(StatusCode::OK, view.version, view))
}

/// Removes a schedule and its assignments. Its runners are balanced again as the operator had set,
/// once no other schedule names them.
#[utoipa::path(delete, path = "/api/sam/programaciones/{id}", params(("id" = i64, Path)),
    tag = "sam",
    responses((status = 204)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::Edit)?;
    edit::remove::<Schedules>(&desk, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
