//! Holiday calendars.

use host::Failure;
use utoipa_axum::router::OpenApiRouter;
use web::routes;

use super::Listed;
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

/// Calendars of holidays.
#[utoipa::path(get, path = "/api/sam/calendarios", tag = "sam",
    responses((status = 200, body = Listed<CalendarView>)))]
async fn list(
    desk: Desk,
    _: web::Query<super::Unasked>,
) -> Result<axum::Json<Listed<CalendarView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let all = calendars::all(&mut tx).await?;
    Ok(axum::Json(Listed::whole(all.iter().map(CalendarView::new).collect())))
}

edited! {
    Calendars: CalendarRequest => CalendarView, "/api/sam/calendarios", "/api/sam/calendarios/{id}",
    /// Changes the fields that are named.
    update,
    /// Removes a calendar that no schedule names.
    remove
}
