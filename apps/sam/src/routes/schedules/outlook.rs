//! What lies ahead of schedules and what went by: previews, overlaps, missed slots.

use db::{Error, Tx};
use host::{Failure, edit::Editable as _};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Path, Query};

use crate::{
    Context, Desk,
    decisions::schedules::{Schedules, all_calendars, by_runner, meet},
    model::ScheduleId,
    policy::Action,
    routes::Listed,
    rules::calendar,
    store::{calendars, schedules, slots},
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

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
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
    responses((status = 200, body = Firings)))]
async fn preview(
    desk: Desk,
    Path(id): Path<i64>,
    Query(asked): Query<Days>,
) -> Result<axum::Json<Firings>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let schedule =
        schedules::find(&mut tx, ScheduleId(id)).await?.ok_or_else(|| Schedules::missing(&desk))?;
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
#[utoipa::path(get, path = "/api/sam/programaciones/solapamientos", tag = "sam", params(Part),
    responses((status = 200, body = Listed<Overlap>)))]
async fn overlaps(
    desk: Desk,
    Query(part): Query<Part>,
) -> Result<axum::Json<Listed<Overlap>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let (limit, behind) = part.bounds();
    let found = overlapping(&desk, &mut tx).await?;
    let rest = found.into_iter().skip(behind).take(limit + 1).collect();
    Ok(axum::Json(part.listed(rest)))
}

/// A part of a list that is ordered by time.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Part {
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    /// What `next` said.
    cursor: Option<i64>,
}

impl Part {
    /// How many, and behind how many.
    fn bounds(&self) -> (usize, usize) {
        let behind = usize::try_from(self.cursor.unwrap_or(0)).unwrap_or_default();
        (self.limit.unwrap_or(1000).clamp(1, 1000) as usize, behind)
    }

    /// Of one more than were asked for, those that fit.
    fn listed<T>(&self, mut items: Vec<T>) -> Listed<T> {
        let (limit, behind) = self.bounds();
        let more = items.len() > limit;
        items.truncate(limit);
        let next = more.then(|| (behind + limit) as i64);
        Listed { items, next }
    }
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
    /// The run that failed or was stopped, and how it ended.
    ejecucion_id: Option<i64>,
    estado: Option<String>,
}

/// Slots of the last 31 days that closed without a run, or whose run failed, and why.
#[utoipa::path(get, path = "/api/sam/programaciones/perdidos", tag = "sam", params(Part),
    responses((status = 200, body = Listed<MissedView>)))]
async fn missed(
    desk: Desk,
    Query(part): Query<Part>,
) -> Result<axum::Json<Listed<MissedView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let since = desk.now - SignedDuration::from_hours(24 * 31);
    let (limit, behind) = part.bounds();
    let all = slots::missed(&mut tx, None, since, (limit + 1, behind)).await?;
    let views = all.into_iter().map(|one| MissedView {
        programacion_id: one.schedule.0,
        equipo_id: one.runner.0,
        turno: one.starts_at,
        hasta: one.until,
        motivo: one.code,
        ejecucion_id: one.run,
        estado: one.state,
    });
    Ok(axum::Json(part.listed(views.collect())))
}
