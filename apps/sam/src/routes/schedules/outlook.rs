//! What lies ahead of schedules and what went by: previews, overlaps, missed slots.

use std::collections::HashMap;

use db::{Error, Tx};
use host::{Context, Failure};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Lang, Path, Problem, Query};

use super::missing;
use crate::{
    model::{Calendar, CalendarId, RunnerId, Schedule, ScheduleId},
    policy::Action,
    routes::{Desk, Listed},
    rules::calendar,
    store::{assignments, calendars, schedules, slots},
};

/// The farthest a preview looks.
const PREVIEW_DAYS: i64 = 366;
const PREVIEW_MOST: usize = 5000;

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(overlaps)).routes(routes!(missed)).routes(routes!(preview))
}

/// Two schedules that want one runner at the same time.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = SamSolapamiento)]
pub(crate) struct Overlap {
    pub(crate) equipo_id: i64,
    pub(crate) programacion_id: i64,
    pub(crate) otra_programacion_id: i64,
    pub(crate) desde: Timestamp,
    pub(crate) hasta: Timestamp,
}

/// All the active schedules by runner.
pub(crate) async fn by_runner(tx: &mut Tx) -> Result<HashMap<RunnerId, Vec<Schedule>>, Error> {
    let all: HashMap<_, _> =
        schedules::all(tx).await?.into_iter().map(|one| (one.id, one)).collect();
    let mut named: HashMap<RunnerId, Vec<Schedule>> = HashMap::new();
    for one in assignments::all(tx).await? {
        if let Some(schedule) = one.schedule.and_then(|id| all.get(&id)).filter(|one| one.active) {
            named.entry(one.runner).or_default().push(schedule.clone());
        }
    }
    Ok(named)
}

pub(crate) async fn all_calendars(tx: &mut Tx) -> Result<HashMap<CalendarId, Calendar>, Error> {
    Ok(calendars::all(tx).await?.into_iter().map(|one| (one.id, one)).collect())
}

pub(crate) fn meet(
    desk: &Desk,
    calendars: &HashMap<CalendarId, Calendar>,
    a: &Schedule,
    b: &Schedule,
) -> Option<(Timestamp, Timestamp)> {
    let holidays = |one: &Schedule| one.calendar.and_then(|id| calendars.get(&id));
    let (first, second) =
        calendar::overlap((a, holidays(a)), (b, holidays(b)), &desk.context.zone, desk.now)?;
    Some((first.start.max(second.start), first.until.min(second.until)))
}

/// The first other schedule that wants one of these runners at the same time.
pub(super) async fn clash(
    desk: &Desk,
    tx: &mut Tx,
    schedule: &Schedule,
    named: &[RunnerId],
) -> Result<Option<Problem>, Error> {
    if !schedule.active {
        return Ok(None);
    }
    let (others, calendars) = (by_runner(tx).await?, all_calendars(tx).await?);
    for runner in named {
        for other in others.get(runner).into_iter().flatten().filter(|one| one.id != schedule.id) {
            if let Some((from, _)) = meet(desk, &calendars, schedule, other) {
                let at = from.to_zoned(desk.context.zone.clone()).strftime("%d/%m/%Y %H:%M");
                let id = other.id;
                return Ok(Some(
                    Problem::conflict("SOLAPAMIENTO")
                        .lang(desk.lang)
                        .detail(match desk.lang {
                            Lang::Es => format!(
                                "Se solapa con la programación {id} en el equipo {runner} el {at}."
                            ),
                            Lang::En => {
                                format!("Overlaps with schedule {id} on runner {runner} on {at}.")
                            }
                        })
                        .hint(desk.lang.t(
                            "Cambiá la hora o la tolerancia, o enviá permitir_solapamiento: true.",
                            "Change its time or tolerance, or send permitir_solapamiento: true.",
                        )),
                ));
            }
        }
    }
    Ok(None)
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Days {
    #[param(minimum = 1, maximum = 366)]
    dias: Option<i64>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SamOcurrencias)]
struct Firings {
    ocurrencias: Vec<Timestamp>,
}

/// When it will run.
#[utoipa::path(get, path = "/api/sam/programaciones/{id}/preview", tag = "sam",
    params(("id" = i64, Path), Days),
    responses((status = 200, body = Firings), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 503, body = Problem)))]
async fn preview(
    desk: Desk,
    Path(id): Path<i64>,
    Query(asked): Query<Days>,
) -> Result<axum::Json<Firings>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let schedule = schedules::find(&mut tx, ScheduleId(id)).await?.ok_or_else(|| missing(&desk))?;
    let holidays = match schedule.calendar {
        Some(id) => calendars::find(&mut tx, id).await?,
        None => None,
    };
    let days = asked.dias.unwrap_or(7).clamp(1, PREVIEW_DAYS);
    let to = desk.now + SignedDuration::from_hours(24 * days);
    let zone = &desk.context.zone;
    let ocurrencias =
        calendar::firings(&schedule, holidays.as_ref(), zone, desk.now, to, PREVIEW_MOST);
    Ok(axum::Json(Firings { ocurrencias }))
}

/// Pairs of schedules that want one runner at the same time.
#[utoipa::path(get, path = "/api/sam/programaciones/solapamientos", tag = "sam",
    responses((status = 200, body = Listed<Overlap>), (status = 403, body = Problem),
              (status = 503, body = Problem)))]
async fn overlaps(desk: Desk) -> Result<axum::Json<Listed<Overlap>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    Ok(axum::Json(Listed::whole(overlapping(&desk, &mut tx).await?)))
}

/// The first meeting of every two schedules that meet on a runner, the soonest first.
pub(crate) async fn overlapping(desk: &Desk, tx: &mut Tx) -> Result<Vec<Overlap>, Error> {
    let (named, calendars) = (by_runner(tx).await?, all_calendars(tx).await?);
    let mut found = Vec::new();
    for (runner, schedules) in named {
        for (n, a) in schedules.iter().enumerate() {
            for b in &schedules[n + 1..] {
                if let Some((from, to)) = meet(desk, &calendars, a, b) {
                    found.push(Overlap {
                        equipo_id: runner.0,
                        programacion_id: a.id.0,
                        otra_programacion_id: b.id.0,
                        desde: from,
                        hasta: to,
                    });
                }
            }
        }
    }
    found.sort_by_key(|one| (one.desde, one.equipo_id, one.programacion_id));
    found.truncate(1000);
    Ok(found)
}

/// A slot that nobody ran.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = SamTurnoPerdido)]
struct MissedView {
    programacion_id: i64,
    equipo_id: i64,
    turno: Timestamp,
    hasta: Timestamp,
    /// The rule that held it.
    #[schema(example = "EQUIPO_OCUPADO")]
    motivo: String,
}

/// Slots of the last 31 days that closed without a run, and why.
#[utoipa::path(get, path = "/api/sam/programaciones/perdidos", tag = "sam",
    responses((status = 200, body = Listed<MissedView>), (status = 403, body = Problem),
              (status = 503, body = Problem)))]
async fn missed(desk: Desk) -> Result<axum::Json<Listed<MissedView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let since = desk.now - SignedDuration::from_hours(24 * 31);
    let all = slots::missed(&mut tx, None, since, 1000).await?;
    let views = all.into_iter().map(|one| MissedView {
        programacion_id: one.schedule.0,
        equipo_id: one.runner.0,
        turno: one.starts_at,
        hasta: one.until,
        motivo: one.code,
    });
    Ok(axum::Json(Listed::whole(views.collect())))
}
