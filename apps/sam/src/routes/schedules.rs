//! Schedules: when robots run, what comes next, what was missed.

mod outlook;

use std::collections::HashMap;

use host::Failure;
use utoipa_axum::router::OpenApiRouter;
use web::Query;
use web::routes;

pub(super) use outlook::overlapping;

use super::{Listed, Span};
use crate::{
    Context, Desk,
    decisions::schedules::{Rests, Schedules, all_calendars},
    model::{RunnerId, ScheduleId},
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
    let (zone, rests) = (&desk.context.zone, Rests::load(&mut tx).await?);
    let views = page.items.iter().map(|one| {
        let holidays = one.calendar.and_then(|id| calendars.get(&id));
        let runners = named.remove(&one.id).unwrap_or_default();
        let rested = rests.over(one, runners.iter().copied().map(RunnerId), desk.now);
        let next = calendar::next_run(one, holidays, zone, rested, desk.now);
        ScheduleView::new(one, runners, next, desk.lang)
    });
    Ok(axum::Json(Listed { items: views.collect(), next: page.next }))
}

shown!(Schedules => ScheduleView, "/api/sam/programaciones/{id}");

edited! {
    Schedules: ScheduleRequest => ScheduleView,
    "/api/sam/programaciones", "/api/sam/programaciones/{id}",
    /// Changes the fields that are named; `equipos` replaces the runners. The robot stays.
    update,
    /// Removes a schedule and its assignments. Its runners are balanced again as the operator had set,
    /// once no other schedule names them.
    remove
}
