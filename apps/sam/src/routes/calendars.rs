//! Holiday calendars.

use std::collections::BTreeSet;

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use host::{Context, Failure};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Path, Problem};

use super::{Desk, Listed, as_json, by, check::Check, conflict, merged, tagged, unknown};
use crate::{
    model::{Calendar, CalendarId},
    policy::Action,
    room::stir,
    store::{self, calendars},
    wire::CalendarView,
};

/// A century of holidays.
const MOST: usize = 5000;

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(update, remove))
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamCalendarioNuevo)]
struct CalendarRequest {
    #[schema(min_length = 1, max_length = 100)]
    nombre: String,
    /// Dates as `YYYY-MM-DD`.
    feriados: Vec<String>,
}

fn typed(desk: &Desk, request: &CalendarRequest) -> Result<Calendar, Failure> {
    let mut check = Check::new(desk.lang);
    let name = check.name("nombre", &request.nombre, 100);
    if request.feriados.len() > MOST {
        check.wrong("feriados", "son demasiados", "are too many");
    }
    let mut holidays = BTreeSet::new();
    for (n, text) in request.feriados.iter().take(MOST).enumerate() {
        match text.trim().parse::<Date>() {
            Ok(date) => {
                holidays.insert(date);
            }
            Err(_) => check.wrong(
                &format!("feriados[{n}]"),
                "no es una fecha AAAA-MM-DD",
                "is not a date YYYY-MM-DD",
            ),
        }
    }
    check.finish()?;
    Ok(Calendar { id: CalendarId(0), name, holidays, version: 1 })
}

pub(super) fn missing(desk: &Desk) -> Problem {
    let (es, en) = ("No existe ese calendario.", "There is no such calendar.");
    unknown(desk, "CALENDARIO_INEXISTENTE", es, en)
}

fn repeated(desk: &Desk) -> Problem {
    let (es, en) = ("Ya hay un calendario con ese nombre.", "There is a calendar with that name.");
    conflict(desk.lang, "NOMBRE_REPETIDO", es, en)
}

#[utoipa::path(get, path = "/api/sam/calendarios", tag = "sam",
    responses((status = 200, body = Listed<CalendarView>), (status = 403, body = Problem),
              (status = 503, body = Problem)))]
async fn list(desk: Desk) -> Result<axum::Json<Listed<CalendarView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let all = calendars::all(&mut tx).await?;
    Ok(axum::Json(Listed::whole(all.iter().map(CalendarView::from).collect())))
}

#[utoipa::path(post, path = "/api/sam/calendarios", request_body = CalendarRequest, tag = "sam",
    responses((status = 201, body = CalendarView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 409, body = Problem),
              (status = 415, body = Problem), (status = 422, body = Problem),
              (status = 503, body = Problem)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<CalendarRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let mut calendar = typed(&desk, &request)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    if calendars::by_name(&mut decision.tx, &calendar.name).await?.is_some() {
        return Err(repeated(&desk).into());
    }
    calendar.id = calendars::insert(&mut decision.tx, &calendar).await?;
    let view = CalendarView::from(&calendar);
    let mut entry = by(&desk).did("calendario.crear", format!("calendario/{}", calendar.id));
    entry.after = Some(as_json(&view)?);
    decision.audit(entry);
    decision.commit().await?;
    Ok(tagged(StatusCode::CREATED, calendar.version, view))
}

#[utoipa::path(put, path = "/api/sam/calendarios/{id}", request_body = CalendarRequest,
    tag = "sam", params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = CalendarView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem), (status = 412, body = Problem),
              (status = 415, body = Problem), (status = 422, body = Problem),
              (status = 503, body = Problem)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    web::Json(change): web::Json<Map<String, Json>>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let expected = desk.expected_version(&headers)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let before = calendars::find(&mut decision.tx, CalendarId(id)).await?;
    let before = before.ok_or_else(|| missing(&desk))?;
    if expected.is_some_and(|expected| expected != before.version) {
        return Err(desk.stale(before.version).into());
    }
    let old = CalendarView::from(&before);
    let standing = CalendarRequest { nombre: old.nombre.clone(), feriados: old.feriados.clone() };
    let wanted = typed(&desk, &merged(&standing, change, desk.lang)?)?;
    let other = calendars::by_name(&mut decision.tx, &wanted.name).await?;
    if other.is_some_and(|other| other.id != before.id) {
        return Err(repeated(&desk).into());
    }
    let calendar = Calendar { id: before.id, version: before.version, ..wanted };
    calendars::update(&mut decision.tx, &calendar).await?;
    let calendar = Calendar { version: calendar.version + 1, ..calendar };
    let view = CalendarView::from(&calendar);
    let mut entry = by(&desk).did("calendario.editar", format!("calendario/{id}"));
    entry.before = Some(as_json(&old)?);
    entry.after = Some(as_json(&view)?);
    decision.audit(entry);
    decision.commit().await?;
    stir(&desk.context);
    Ok(tagged(StatusCode::OK, calendar.version, view))
}

#[utoipa::path(delete, path = "/api/sam/calendarios/{id}", params(("id" = i64, Path)),
    tag = "sam",
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 409, body = Problem),
              (status = 503, body = Problem)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let calendar = calendars::find(&mut decision.tx, CalendarId(id)).await?;
    let calendar = calendar.ok_or_else(|| missing(&desk))?;
    if calendars::in_use(&mut decision.tx, calendar.id).await? {
        let (es, en) = ("Hay programaciones que lo usan.", "There are schedules that use it.");
        return Err(conflict(desk.lang, "EN_USO", es, en).into());
    }
    calendars::remove(&mut decision.tx, calendar.id).await?;
    let mut entry = by(&desk).did("calendario.borrar", format!("calendario/{id}"));
    entry.before = Some(as_json(CalendarView::from(&calendar))?);
    decision.audit(entry);
    decision.commit().await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
