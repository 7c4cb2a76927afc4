//! *Capacidad por horarios*.

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use engine::Word as _;
use host::{Context, Failure};
use jiff::civil::Time;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Json, Path, Problem};

use super::{Desk, expected_version, input::Check};
use crate::{
    decisions,
    policy::Action,
    rules::timetable::{self, CapacityRule},
    store::{KitchenView, rules},
    wire,
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(update, remove))
        .routes(routes!(week))
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReglaDeCapacidad)]
struct RuleView {
    id: i64,
    /// 0 is Sunday; empty for every day.
    dia_semana: Option<i8>,
    desde: String,
    hasta: String,
    personal: Option<u32>,
    capacidad: u32,
    nota: Option<String>,
    vigente_desde: Option<String>,
    vigente_hasta: Option<String>,
    version: i64,
}

impl RuleView {
    fn new(rule: &CapacityRule, version: i64) -> Self {
        Self {
            id: rule.id,
            dia_semana: rule.weekday,
            desde: rule.from.strftime("%H:%M").to_string(),
            hasta: rule.to.strftime("%H:%M").to_string(),
            personal: rule.staff,
            capacidad: rule.capacity,
            nota: rule.note.clone(),
            vigente_desde: rule.valid_from.map(|date| date.to_string()),
            vigente_hasta: rule.valid_to.map(|date| date.to_string()),
            version,
        }
    }
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ReglaDeCapacidadNueva)]
struct RuleRequest {
    #[schema(minimum = 0, maximum = 6)]
    dia_semana: Option<i64>,
    #[schema(example = "19:00")]
    desde: String,
    /// Not after `desde`: the next day.
    #[schema(example = "23:30")]
    hasta: String,
    /// Applies with at least so many people in the kitchen.
    #[schema(minimum = 1, maximum = 50)]
    personal: Option<i64>,
    #[schema(minimum = 1, maximum = 200)]
    capacidad: i64,
    #[schema(max_length = 255)]
    nota: Option<String>,
    vigente_desde: Option<String>,
    vigente_hasta: Option<String>,
}

fn typed(desk: &Desk, request: &RuleRequest) -> Result<CapacityRule, Failure> {
    let mut check = Check::new(desk.lang);
    let mut time = |path: &str, text: &str| {
        let parsed = text.parse::<Time>().ok().filter(|_| text.len() == 5);
        if parsed.is_none() {
            check.wrong(path, "debe ser una hora HH:MM", "must be a time HH:MM");
        }
        parsed.unwrap_or_default()
    };
    let (from, to) = (time("desde", &request.desde), time("hasta", &request.hasta));
    let valid_from = check.date("vigente_desde", request.vigente_desde.as_ref());
    let valid_to = check.date("vigente_hasta", request.vigente_hasta.as_ref());
    let weekday = request.dia_semana.map(|day| i8::try_from(day).unwrap_or(-1));
    if weekday.is_some_and(|day| !(0..=6).contains(&day)) {
        check.wrong("dia_semana", "debe ser de 0 (domingo) a 6", "must be 0 (Sunday) to 6");
    }
    let staff = request.personal.map(|staff| u32::try_from(staff).unwrap_or(0));
    if staff.is_some_and(|staff| !(1..=50).contains(&staff)) {
        check.wrong("personal", "debe ser de 1 a 50", "must be from 1 to 50");
    }
    let note = check.text("nota", request.nota.as_ref(), 255);
    check.finish()?;
    let capacity = u32::try_from(request.capacidad).unwrap_or(0);
    Ok(CapacityRule { id: 0, weekday, from, to, staff, capacity, note, valid_from, valid_to })
}

/// A rule that may not stand beside the others, or its absence.
enum Verdict {
    Saved(CapacityRule, i64),
    Refused(timetable::RuleProblem),
    Missing,
    Stale(i64),
}

fn answer(desk: &Desk, verdict: Verdict, status: StatusCode) -> Result<Response, Failure> {
    match verdict {
        Verdict::Saved(rule, version) => {
            Ok((status, axum::Json(RuleView::new(&rule, version))).into_response())
        }
        Verdict::Refused(problem) => {
            let overlap = matches!(problem, timetable::RuleProblem::Overlap { .. });
            let answer = if overlap {
                Problem::conflict(problem.code())
            } else {
                Problem::bad_request(problem.code())
            };
            Err(answer.lang(desk.lang).detail(wire::told(problem.sentence(), desk.lang)).into())
        }
        Verdict::Missing => Err(unknown(desk).into()),
        Verdict::Stale(current) => Err(desk.stale(current).into()),
    }
}

fn unknown(desk: &Desk) -> Problem {
    let detail = desk.lang.t("No existe esa regla.", "There is no such rule.");
    Problem::not_found("REGLA_INEXISTENTE").lang(desk.lang).detail(detail)
}

#[utoipa::path(get, path = "/capacidad-horarios", tag = "capacidad",
    responses((status = 200, body = Vec<RuleView>), (status = 503, body = Problem)))]
async fn list(desk: Desk) -> Result<axum::Json<Vec<RuleView>>, Failure> {
    desk.require(Action::ReadOrders)?;
    let mut tx = desk.context.store.read().await?;
    let found = rules::all_versions(&mut tx).await?;
    Ok(axum::Json(found.iter().map(|(rule, version)| RuleView::new(rule, *version)).collect()))
}

/// Adds a rule; one that leaves open which rule holds is refused.
#[utoipa::path(post, path = "/capacidad-horarios", request_body = RuleRequest, tag = "capacidad",
    responses((status = 201, body = RuleView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 409, body = Problem),
              (status = 415, body = Problem), (status = 503, body = Problem)))]
async fn create(desk: Desk, Json(request): Json<RuleRequest>) -> Result<Response, Failure> {
    desk.require(Action::Configure)?;
    let rule = typed(&desk, &request)?;
    let verdict = decisions::change_kitchen(&desk.context, async |decision, kitchen| {
        let others = rules::all(&mut decision.tx).await?;
        let ceiling = kitchen.policy.capacity_ceiling;
        if let Err(problem) = timetable::check(&rule, &others, ceiling) {
            return Ok(Verdict::Refused(problem));
        }
        let id = rules::insert(&mut decision.tx, &rule).await?;
        let saved = CapacityRule { id, ..rule.clone() };
        decision.audit(entry(&desk, "capacidad.regla.crear", None, Some(&saved)));
        Ok(Verdict::Saved(saved, 1))
    })
    .await?;
    answer(&desk, verdict, StatusCode::CREATED)
}

#[utoipa::path(put, path = "/capacidad-horarios/{id}", request_body = RuleRequest,
    tag = "capacidad", params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = RuleView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem), (status = 412, body = Problem),
              (status = 415, body = Problem), (status = 503, body = Problem)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Json(request): Json<RuleRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Configure)?;
    let expected = expected_version(&headers, desk.lang)?;
    let rule = CapacityRule { id, ..typed(&desk, &request)? };
    let verdict = decisions::change_kitchen(&desk.context, async |decision, kitchen| {
        let known = rules::all_versions(&mut decision.tx).await?;
        let Some((current, version)) = known.iter().find(|(known, _)| known.id == id) else {
            return Ok(Verdict::Missing);
        };
        if expected.is_some_and(|expected| expected != *version) {
            return Ok(Verdict::Stale(*version));
        }
        let others: Vec<_> = known.iter().map(|(rule, _)| rule.clone()).collect();
        let ceiling = kitchen.policy.capacity_ceiling;
        if let Err(problem) = timetable::check(&rule, &others, ceiling) {
            return Ok(Verdict::Refused(problem));
        }
        rules::update(&mut decision.tx, &rule, *version).await?;
        decision.audit(entry(&desk, "capacidad.regla.editar", Some(current), Some(&rule)));
        Ok(Verdict::Saved(rule.clone(), version + 1))
    })
    .await?;
    answer(&desk, verdict, StatusCode::OK)
}

#[utoipa::path(delete, path = "/capacidad-horarios/{id}", params(("id" = i64, Path)),
    tag = "capacidad",
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 503, body = Problem)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::Configure)?;
    let removed = decisions::change_kitchen(&desk.context, async |decision, _| {
        let known = rules::all(&mut decision.tx).await?;
        let Some(current) = known.iter().find(|rule| rule.id == id) else { return Ok(false) };
        decision.audit(entry(&desk, "capacidad.regla.borrar", Some(current), None));
        rules::delete(&mut decision.tx, id).await
    })
    .await?;
    if removed { Ok(StatusCode::NO_CONTENT) } else { Err(unknown(&desk).into()) }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SemanaDeCapacidad)]
struct WeekView {
    celdas: Vec<CellView>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CeldaDeCapacidad)]
struct CellView {
    /// 0 is Sunday.
    dia: i8,
    fecha: String,
    hora: String,
    capacidad: u32,
    regla_id: Option<i64>,
}

/// The capacity of the next seven days, every half hour.
#[utoipa::path(get, path = "/api/pedidos/capacidad/semana", tag = "capacidad",
    responses((status = 200, body = WeekView), (status = 503, body = Problem)))]
async fn week(desk: Desk) -> Result<axum::Json<WeekView>, Failure> {
    desk.require(Action::ReadOrders)?;
    let mut tx = desk.context.store.read().await?;
    let kitchen = KitchenView::load(&desk.context, &mut tx, desk.now).await?;
    let policy = &kitchen.policy;
    let known = rules::all(&mut tx).await?;
    let first = policy.zone.to_datetime(desk.now).date();
    let celdas = timetable::week(&known, policy.capacity, first, policy.staff)
        .into_iter()
        .map(|cell| CellView {
            dia: cell.weekday,
            fecha: cell.date.to_string(),
            hora: cell.time.strftime("%H:%M").to_string(),
            capacidad: cell.effective.capacity,
            regla_id: cell.effective.rule,
        })
        .collect();
    Ok(axum::Json(WeekView { celdas }))
}

fn entry(
    desk: &Desk,
    action: &str,
    before: Option<&CapacityRule>,
    after: Option<&CapacityRule>,
) -> db::audit::Entry {
    let shown = |rule: &CapacityRule| {
        json!({ "dia_semana": rule.weekday, "desde": rule.from.to_string(),
                "hasta": rule.to.to_string(), "capacidad": rule.capacity,
                "personal": rule.staff })
    };
    let id = before.or(after).map_or(0, |rule| rule.id);
    db::audit::Entry {
        app: crate::NAME,
        actor: desk.actor.name.clone(),
        role: desk.role.word().into(),
        action: action.into(),
        subject: format!("capacidad_horarios/{id}"),
        before: before.map(shown),
        after: after.map(shown),
        reason: None,
    }
}
