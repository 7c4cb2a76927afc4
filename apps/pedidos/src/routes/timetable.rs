//! `/capacidad-horarios`: capacity by weekday and hour.

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use host::Failure;
use jiff::civil::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Field, Json, Path, Problem};

use super::{Desk, check, look, saved};
use crate::{
    Context, decisions,
    policy::Action,
    rules::timetable::{self, CapacityRule},
    store::rules,
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

/// What shall be different: a field left out stays as it is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CambioDeReglaDeCapacidad)]
struct RuleChange {
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 6)]
    dia_semana: Field<i64>,
    desde: Option<String>,
    hasta: Option<String>,
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 50)]
    personal: Field<i64>,
    #[schema(minimum = 1, maximum = 200)]
    capacidad: Option<i64>,
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 255)]
    nota: Field<String>,
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    vigente_desde: Field<String>,
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    vigente_hasta: Field<String>,
}

impl From<RuleRequest> for RuleChange {
    fn from(request: RuleRequest) -> Self {
        Self {
            dia_semana: Field::Said(request.dia_semana),
            desde: Some(request.desde),
            hasta: Some(request.hasta),
            personal: Field::Said(request.personal),
            capacidad: Some(request.capacidad),
            nota: Field::Said(request.nota),
            vigente_desde: Field::Said(request.vigente_desde),
            vigente_hasta: Field::Said(request.vigente_hasta),
        }
    }
}

/// The change with every field checked, to be made over the rule as it stands then.
fn typed(
    desk: &Desk,
    wanted: &RuleChange,
) -> Result<impl FnOnce(CapacityRule) -> CapacityRule + use<>, Failure> {
    let mut check = check(desk);
    let mut time = |path: &str, text: Option<&str>| {
        let parsed = text?.parse::<Time>().ok().filter(|_| text.is_some_and(|t| t.len() == 5));
        if parsed.is_none() {
            check.wrong(path, "debe ser una hora HH:MM", "must be a time HH:MM");
        }
        parsed
    };
    let from = time("desde", wanted.desde.as_deref());
    let to = time("hasta", wanted.hasta.as_deref());
    let mut date = |path: &str, text: &Field<String>| {
        text.read(|text| check.date(path, text.map(String::as_str)))
    };
    let valid_from = date("vigente_desde", &wanted.vigente_desde);
    let valid_to = date("vigente_hasta", &wanted.vigente_hasta);
    let mut number = |path: &str, value: &Field<i64>, least: i64, most: i64| {
        value.read(|value| value.map(|value| check.within(path, *value, least, most)))
    };
    let weekday = number("dia_semana", &wanted.dia_semana, 0, 6).read(|day| Some(*day? as i8));
    let staff = number("personal", &wanted.personal, 1, 50).read(|staff| Some(*staff? as u32));
    let note = wanted.nota.read(|note| check.text("nota", note.map(String::as_str), 255));
    check.finish()?;
    let capacity = wanted.capacidad.map(|capacity| u32::try_from(capacity).unwrap_or(0));
    Ok(move |standing: CapacityRule| CapacityRule {
        id: standing.id,
        weekday: weekday.over(standing.weekday),
        from: from.unwrap_or(standing.from),
        to: to.unwrap_or(standing.to),
        staff: staff.over(standing.staff),
        capacity: capacity.unwrap_or(standing.capacity),
        note: note.over(standing.note),
        valid_from: valid_from.over(standing.valid_from),
        valid_to: valid_to.over(standing.valid_to),
    })
}

async fn put(
    desk: &Desk,
    id: Option<i64>,
    expected: Option<i64>,
    wanted: &RuleChange,
) -> Result<RuleView, Failure> {
    let change = typed(desk, wanted)?;
    let done = decisions::put_rule(&desk.context, &desk.by(), id, expected, change).await?;
    let (rule, version) = saved(desk, done, unknown, refused)?;
    Ok(RuleView::new(&rule, version))
}

fn refused(desk: &Desk, problem: &timetable::RuleProblem) -> Problem {
    let overlap = matches!(problem, timetable::RuleProblem::Overlap { .. });
    let answer = if overlap { Problem::conflict } else { Problem::bad_request };
    answer(problem.code()).lang(desk.lang).detail(desk.lang.say(&problem.sentence()))
}

fn unknown(desk: &Desk) -> Problem {
    let (es, en) = ("No existe esa regla.", "There is no such rule.");
    host::unknown(desk.lang, "REGLA_INEXISTENTE", es, en)
}

/// The rules by which the capacity of the week is told.
#[utoipa::path(get, path = "/capacidad-horarios", tag = "capacidad",
    responses((status = 200, body = Vec<RuleView>)))]
async fn list(desk: Desk) -> Result<axum::Json<Vec<RuleView>>, Failure> {
    desk.require(Action::ReadConfiguration)?;
    let mut tx = desk.context.store.read().await?;
    let found = rules::all_versions(&mut tx).await?;
    Ok(axum::Json(found.iter().map(|(rule, version)| RuleView::new(rule, *version)).collect()))
}

/// Adds a rule; one that leaves open which rule holds is refused.
#[utoipa::path(post, path = "/capacidad-horarios", request_body = RuleRequest, tag = "capacidad",
    responses((status = 201, body = RuleView)))]
async fn create(desk: Desk, Json(request): Json<RuleRequest>) -> Result<Response, Failure> {
    desk.require(Action::Configure)?;
    let view = put(&desk, None, None, &request.into()).await?;
    Ok((StatusCode::CREATED, axum::Json(view)).into_response())
}

/// Changes a rule; a field left out stays as it is.
#[utoipa::path(put, path = "/capacidad-horarios/{id}", request_body = RuleChange,
    tag = "capacidad", params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = RuleView)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Json(request): Json<RuleChange>,
) -> Result<axum::Json<RuleView>, Failure> {
    desk.require(Action::Configure)?;
    let expected = desk.expected_version(&headers)?;
    Ok(axum::Json(put(&desk, Some(id), expected, &request).await?))
}

/// Deletes a rule.
#[utoipa::path(delete, path = "/capacidad-horarios/{id}", params(("id" = i64, Path)),
    tag = "capacidad", responses((status = 204)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::Configure)?;
    let removed = decisions::remove_rule(&desk.context, &desk.by(), id).await?;
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
    responses((status = 200, body = WeekView)))]
async fn week(desk: Desk) -> Result<axum::Json<WeekView>, Failure> {
    desk.require(Action::ReadConfiguration)?;
    let (mut tx, kitchen) = look(&desk).await?;
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
