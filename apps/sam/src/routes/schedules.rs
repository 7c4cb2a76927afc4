//! Schedules: when robots run, what comes next, what was missed.

mod outlook;

use std::collections::HashMap;

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use db::{Decision, Error, Tx};
use host::{Context, Failure};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Path, Problem, Query};

use outlook::clash;
pub(super) use outlook::{all_calendars, by_runner, meet, overlapping};

use super::{Desk, Listed, Span, as_json, by, check, conflict, merged, tagged, unknown};
use crate::{
    model::{CalendarId, Hold, RobotId, RunnerId, Schedule, ScheduleId},
    policy::Action,
    room::stir,
    rules::calendar::{
        self,
        check::{Timing, Wanted, Wrong},
    },
    store::{self, assignments, calendars, robots, runners, schedules},
    wire::ScheduleView,
};

/// Runners of one schedule.
const RUNNERS: usize = 1000;

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(one, update, remove))
        .merge(outlook::routes())
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamProgramacionNueva)]
pub(super) struct ScheduleRequest {
    pub(super) robot_id: i64,
    /// `Diaria`, `Semanal`, `Mensual`, `RangoMensual` or `Especifica`.
    #[schema(example = "Diaria")]
    tipo_programacion: Option<String>,
    #[schema(example = "09:00")]
    hora_inicio: Option<String>,
    /// Minutes after the start in which it may still be launched; 60 unless told.
    tolerancia: Option<i64>,
    #[serde(default)]
    #[schema(example = json!(["Lu", "Mi"]))]
    dias_semana: Option<Vec<String>>,
    dia_del_mes: Option<i64>,
    fecha_especifica: Option<String>,
    dia_inicio_mes: Option<i64>,
    dia_fin_mes: Option<i64>,
    primeros_dias_mes: Option<i64>,
    ultimos_dias_mes: Option<i64>,
    es_ciclico: Option<bool>,
    hora_fin: Option<String>,
    intervalo_entre_ejecuciones: Option<i64>,
    fecha_inicio_ventana: Option<String>,
    fecha_fin_ventana: Option<String>,
    activo: Option<bool>,
    calendario_id: Option<i64>,
    #[serde(default)]
    equipos: Vec<i64>,
    /// Accepts that slots of other schedules of the same runner overlap.
    permitir_solapamiento: Option<bool>,
}

impl ScheduleRequest {
    fn wanted(&self) -> Wanted {
        Wanted {
            kind: self.tipo_programacion.clone(),
            start: self.hora_inicio.clone(),
            tolerance: self.tolerancia,
            weekdays: self.dias_semana.clone().unwrap_or_default(),
            day: self.dia_del_mes,
            date: self.fecha_especifica.clone(),
            range_from: self.dia_inicio_mes,
            range_to: self.dia_fin_mes,
            first_days: self.primeros_dias_mes,
            last_days: self.ultimos_dias_mes,
            cyclic: self.es_ciclico,
            end: self.hora_fin.clone(),
            interval: self.intervalo_entre_ejecuciones,
            valid_from: self.fecha_inicio_ventana.clone(),
            valid_to: self.fecha_fin_ventana.clone(),
        }
    }

    pub(super) fn of(schedule: &Schedule, runners: &[RunnerId]) -> Self {
        let wanted = Timing::of(schedule).wanted();
        Self {
            robot_id: schedule.robot.0,
            tipo_programacion: wanted.kind,
            hora_inicio: wanted.start,
            tolerancia: wanted.tolerance,
            dias_semana: Some(wanted.weekdays),
            dia_del_mes: wanted.day,
            fecha_especifica: wanted.date,
            dia_inicio_mes: wanted.range_from,
            dia_fin_mes: wanted.range_to,
            primeros_dias_mes: None,
            ultimos_dias_mes: wanted.last_days,
            es_ciclico: wanted.cyclic,
            hora_fin: wanted.end,
            intervalo_entre_ejecuciones: wanted.interval,
            fecha_inicio_ventana: wanted.valid_from,
            fecha_fin_ventana: wanted.valid_to,
            activo: Some(schedule.active),
            calendario_id: schedule.calendar.map(|one| one.0),
            equipos: runners.iter().map(|one| one.0).collect(),
            permitir_solapamiento: None,
        }
    }
}

pub(super) fn missing(desk: &Desk) -> Problem {
    let (es, en) = ("No existe esa programación.", "There is no such schedule.");
    unknown(desk, "PROGRAMACION_INEXISTENTE", es, en)
}

/// The schedule that is asked for, checked against what exists.
pub(super) async fn typed(
    desk: &Desk,
    tx: &mut Tx,
    request: &ScheduleRequest,
    before: Option<&Schedule>,
) -> Result<Schedule, Failure> {
    let robot = robots::find(tx, RobotId(request.robot_id)).await?;
    let robot = robot.ok_or_else(|| {
        unknown(desk, "ROBOT_INEXISTENTE", "No existe ese robot.", "There is no such robot.")
    })?;
    if robot.online && before.is_none() {
        let (es, en) = (
            "El robot es online: corre por tickets, no por programación.",
            "The robot is online: it runs by tickets, not by schedule.",
        );
        return Err(conflict(desk.lang, "ROBOT_ONLINE", es, en).into());
    }
    let holidays = match request.calendario_id {
        None => None,
        Some(id) => {
            let found = calendars::find(tx, CalendarId(id)).await?;
            Some(found.ok_or_else(|| super::calendars::missing(desk))?)
        }
    };
    let timing = calendar::check::check(&request.wanted(), holidays.as_ref()).map_err(|wrong| {
        let told = |one: Wrong| (one.path.to_owned(), desk.lang.t(&one.es, &one.en).to_owned());
        check::invalid(desk.lang, wrong.into_iter().map(told).collect())
    })?;
    let (id, created) =
        before.map_or((ScheduleId(0), desk.now), |before| (before.id, before.created_at));
    Ok(Schedule {
        active: request.activo.unwrap_or(true),
        calendar: holidays.as_ref().map(|one| one.id),
        version: before.map_or(1, |before| before.version),
        ..timing.schedule(id, robot.id, created)
    })
}

/// The runners a schedule names: they exist, once each.
pub(super) async fn runners_of(
    desk: &Desk,
    tx: &mut Tx,
    request: &ScheduleRequest,
) -> Result<Vec<RunnerId>, Failure> {
    let mut check = check::Check::new(desk.lang);
    if request.equipos.len() > RUNNERS {
        check.wrong("equipos", "son demasiados", "are too many");
    }
    let mut named = Vec::new();
    for (n, id) in request.equipos.iter().take(RUNNERS).enumerate() {
        let runner = RunnerId(*id);
        if runners::find(tx, runner).await?.is_none() {
            let (es, en) = (format!("no existe {id}"), format!("there is no {id}"));
            check.wrong(&format!("equipos[{n}]"), &es, &en);
        } else if !named.contains(&runner) {
            named.push(runner);
        }
    }
    check.finish()?;
    Ok(named)
}

/// Makes these the runners of a schedule. Each becomes fixed: what the balancer had assigned to it
/// is taken back (seed §4.1.4).
async fn assign(
    decision: &mut Decision,
    schedule: &Schedule,
    named: &[RunnerId],
    by: &str,
) -> Result<(), Error> {
    let standing = assignments::of_schedule(&mut decision.tx, schedule.id).await?;
    for gone in standing.iter().filter(|one| !named.contains(&one.runner)) {
        assignments::remove(&mut decision.tx, gone.id).await?;
    }
    let now = decision.now;
    for runner in named {
        if standing.iter().any(|one| one.runner == *runner) {
            continue;
        }
        for other in assignments::of_runner(&mut decision.tx, *runner).await? {
            if other.hold == Hold::Dynamic {
                assignments::remove(&mut decision.tx, other.id).await?;
            }
        }
        let new = assignments::New {
            robot: schedule.robot,
            runner: *runner,
            hold: Hold::Scheduled,
            schedule: Some(schedule.id),
            by,
        };
        assignments::insert(&mut decision.tx, &new, now).await?;
    }
    Ok(())
}

pub(super) async fn view(
    desk: &Desk,
    tx: &mut Tx,
    schedule: &Schedule,
) -> Result<ScheduleView, Error> {
    let named = assignments::of_schedule(tx, schedule.id).await?;
    let holidays = match schedule.calendar {
        Some(id) => calendars::find(tx, id).await?,
        None => None,
    };
    let next = calendar::next_start(schedule, holidays.as_ref(), &desk.context.zone, desk.now);
    let runners = named.iter().map(|one| one.runner.0).collect();
    Ok(ScheduleView::new(schedule, runners, next, desk.lang))
}

/// Every schedule by id, with its sentence and its next start.
#[utoipa::path(get, path = "/api/sam/programaciones", tag = "sam", params(Span),
    responses((status = 200, body = Listed<ScheduleView>), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 503, body = Problem)))]
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
    responses((status = 200, body = ScheduleView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 503, body = Problem)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let schedule = schedules::find(&mut tx, ScheduleId(id)).await?.ok_or_else(|| missing(&desk))?;
    let view = view(&desk, &mut tx, &schedule).await?;
    Ok(tagged(StatusCode::OK, view.version, view))
}

#[utoipa::path(post, path = "/api/sam/programaciones", request_body = ScheduleRequest, tag = "sam",
    responses((status = 201, body = ScheduleView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem), (status = 415, body = Problem),
              (status = 422, body = Problem), (status = 503, body = Problem)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<ScheduleRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let view = save(&desk, &mut decision, None, &request).await?;
    decision.commit().await?;
    stir(&desk.context);
    Ok(tagged(StatusCode::CREATED, view.version, view))
}

/// Writes a schedule and its runners as they are asked for, new or over the one before.
pub(super) async fn save(
    desk: &Desk,
    decision: &mut Decision,
    before: Option<&Schedule>,
    request: &ScheduleRequest,
) -> Result<ScheduleView, Failure> {
    let mut schedule = typed(desk, &mut decision.tx, request, before).await?;
    if before.is_some_and(|before| before.robot != schedule.robot) {
        let (es, en) = (
            "El robot de una programación no cambia: creá otra.",
            "The robot of a schedule does not change: create another.",
        );
        return Err(conflict(desk.lang, "ROBOT_FIJO", es, en).into());
    }
    let named = runners_of(desk, &mut decision.tx, request).await?;
    if request.permitir_solapamiento != Some(true)
        && let Some(problem) = clash(desk, &mut decision.tx, &schedule, &named).await?
    {
        return Err(problem.into());
    }
    let old = match before {
        Some(before) => Some(view(desk, &mut decision.tx, before).await?),
        None => None,
    };
    if before.is_some() {
        schedules::update(&mut decision.tx, &schedule).await?;
        schedule.version += 1;
    } else {
        schedule.id = schedules::insert(&mut decision.tx, &schedule).await?;
    }
    let by = by(desk);
    assign(decision, &schedule, &named, &by.name).await?;
    let view = view(desk, &mut decision.tx, &schedule).await?;
    let action = if before.is_some() { "programacion.editar" } else { "programacion.crear" };
    let mut entry = by.did(action, format!("programacion/{}", schedule.id));
    entry.before = old.map(as_json).transpose()?;
    entry.after = Some(as_json(&view)?);
    decision.audit(entry);
    Ok(view)
}

/// Changes the fields that are named; `equipos` replaces the runners. The robot stays.
#[utoipa::path(put, path = "/api/sam/programaciones/{id}", request_body = ScheduleRequest,
    tag = "sam", params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = ScheduleView), (status = 400, body = Problem),
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
    let before = schedules::find(&mut decision.tx, ScheduleId(id)).await?;
    let before = before.ok_or_else(|| missing(&desk))?;
    if expected.is_some_and(|expected| expected != before.version) {
        return Err(desk.stale(before.version).into());
    }
    let request = over(&desk, &mut decision.tx, &before, change).await?;
    let view = save(&desk, &mut decision, Some(&before), &request).await?;
    decision.commit().await?;
    stir(&desk.context);
    Ok(tagged(StatusCode::OK, view.version, view))
}

/// What a change asks for over the schedule that stands.
pub(super) async fn over(
    desk: &Desk,
    tx: &mut Tx,
    before: &Schedule,
    change: Map<String, Json>,
) -> Result<ScheduleRequest, Failure> {
    let named = assignments::of_schedule(tx, before.id).await?;
    let named: Vec<_> = named.iter().map(|one| one.runner).collect();
    merged(&changed(before, &named, &change), change, desk.lang)
}

/// What stands under a change. Another kind, or another pace, begins without the fields of the one
/// before: they would not belong.
fn changed(before: &Schedule, runners: &[RunnerId], change: &Map<String, Json>) -> ScheduleRequest {
    let mut standing = ScheduleRequest::of(before, runners);
    let kind = change.get("tipo_programacion").and_then(Json::as_str);
    if kind.is_some_and(|kind| Some(kind) != standing.tipo_programacion.as_deref()) {
        standing.dias_semana = None;
        standing.dia_del_mes = None;
        standing.fecha_especifica = None;
        standing.dia_inicio_mes = None;
        standing.dia_fin_mes = None;
        standing.ultimos_dias_mes = None;
    }
    let cyclic = change.get("es_ciclico").and_then(Json::as_bool);
    if cyclic.is_some_and(|cyclic| cyclic != standing.es_ciclico.unwrap_or(false)) {
        standing.tolerancia = None;
        standing.intervalo_entre_ejecuciones = None;
        standing.hora_fin = None;
    }
    standing
}

/// Removes a schedule and its assignments. Its runners are balanced again as the operator had set,
/// once no other schedule names them.
#[utoipa::path(delete, path = "/api/sam/programaciones/{id}", params(("id" = i64, Path)),
    tag = "sam",
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 503, body = Problem)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let found = schedules::find(&mut decision.tx, ScheduleId(id)).await?;
    let schedule = found.ok_or_else(|| missing(&desk))?;
    let old = view(&desk, &mut decision.tx, &schedule).await?;
    schedules::remove(&mut decision.tx, schedule.id).await?;
    let mut entry = by(&desk).did("programacion.borrar", format!("programacion/{id}"));
    entry.before = Some(as_json(&old)?);
    decision.audit(entry);
    decision.commit().await?;
    stir(&desk.context);
    Ok(StatusCode::NO_CONTENT.into_response())
}
