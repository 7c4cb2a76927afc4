//! Robots.

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use db::{Decision, Error};
use host::{Context, Failure};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Path, Problem, Query};

use super::{Desk, Listed, Span, as_json, by, check::Check, conflict, merged, tagged, unknown};
use crate::{
    model::{Limits, PoolId, Robot, RobotId},
    policy::Action,
    room::stir,
    store::{self, pools, robots, schedules},
    wire::RobotView,
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(one, update, remove))
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamRobotNuevo)]
pub(super) struct RobotRequest {
    /// The id of its file in the Control Room; chosen when absent.
    #[schema(minimum = 1)]
    id: Option<i64>,
    #[schema(min_length = 1, max_length = 100)]
    robot: String,
    descripcion: Option<String>,
    #[schema(value_type = Option<Object>)]
    parametros: Option<Json>,
    activo: Option<bool>,
    es_online: Option<bool>,
    #[schema(minimum = 0, maximum = 10_000)]
    min_equipos: Option<i64>,
    /// -1 = without limit.
    #[schema(minimum = -1, maximum = 10_000)]
    max_equipos: Option<i64>,
    /// The lower, the more important.
    #[schema(minimum = 0, maximum = 1000)]
    prioridad_balanceo: Option<i64>,
    #[schema(minimum = 1, maximum = 100_000)]
    tickets_por_equipo_adicional: Option<i64>,
    pool_id: Option<i64>,
}

impl From<&Robot> for RobotRequest {
    fn from(robot: &Robot) -> Self {
        Self {
            id: Some(robot.id.0),
            robot: robot.name.clone(),
            descripcion: robot.description.clone(),
            parametros: robot.parameters.clone(),
            activo: Some(robot.active),
            es_online: Some(robot.online),
            min_equipos: Some(robot.limits.least),
            max_equipos: Some(robot.limits.most.unwrap_or(-1)),
            prioridad_balanceo: Some(robot.priority),
            tickets_por_equipo_adicional: Some(robot.tickets_per_runner),
            pool_id: robot.pool.map(|pool| pool.0),
        }
    }
}

fn typed(desk: &Desk, request: &RobotRequest) -> Result<Robot, Failure> {
    let mut check = Check::new(desk.lang);
    let id = request.id.unwrap_or(0);
    if request.id.is_some() {
        check.within("id", id, 1, i64::from(u32::MAX));
    }
    let name = check.name("robot", &request.robot, 100);
    let description = check.text("descripcion", request.descripcion.as_deref(), 4000);
    let parameters = check.json("parametros", request.parametros.as_ref());
    let least = check.within("min_equipos", request.min_equipos.unwrap_or(1), 0, 10_000);
    let most = check.within("max_equipos", request.max_equipos.unwrap_or(-1), -1, 10_000);
    let most = Some(most).filter(|most| *most != -1);
    if most.is_some_and(|most| most < least) {
        check.wrong(
            "max_equipos",
            "no puede ser menor que min_equipos",
            "must not be below min_equipos",
        );
    }
    let priority =
        check.within("prioridad_balanceo", request.prioridad_balanceo.unwrap_or(100), 0, 1000);
    let per = request.tickets_por_equipo_adicional.unwrap_or(10);
    let tickets_per_runner = check.within("tickets_por_equipo_adicional", per, 1, 100_000);
    check.finish()?;
    Ok(Robot {
        id: RobotId(id),
        name,
        description,
        parameters,
        active: request.activo.unwrap_or(true),
        online: request.es_online.unwrap_or(false),
        limits: Limits { least, most },
        priority,
        tickets_per_runner,
        pool: request.pool_id.map(PoolId),
        seen_name: None,
        version: 1,
    })
}

fn missing(desk: &Desk) -> Problem {
    unknown(desk, "ROBOT_INEXISTENTE", "No existe ese robot.", "There is no such robot.")
}

/// Why a robot cannot be so: names are unique, pools exist, schedules exclude demand.
async fn refused(
    desk: &Desk,
    tx: &mut db::Tx,
    robot: &Robot,
    before: Option<&Robot>,
) -> Result<Option<Problem>, Error> {
    let lang = desk.lang;
    let other = robots::by_name(tx, &robot.name).await?;
    if other.is_some_and(|other| Some(other.id) != before.map(|before| before.id)) {
        let (es, en) = ("Ya hay un robot con ese nombre.", "There is a robot with that name.");
        return Ok(Some(conflict(lang, "NOMBRE_REPETIDO", es, en)));
    }
    if let Some(pool) = robot.pool
        && pools::find(tx, pool).await?.is_none()
    {
        return Ok(Some(super::pools::missing(desk)));
    }
    let becomes_online = robot.online && before.is_some_and(|before| !before.online);
    if becomes_online && schedules::active_of(tx, robot.id).await? > 0 {
        let (es, en) = (
            "El robot tiene programaciones activas: no puede ser online.",
            "The robot has active schedules: it cannot be online.",
        );
        return Ok(Some(conflict(lang, "ROBOT_PROGRAMADO", es, en)));
    }
    Ok(None)
}

/// Every robot by id.
#[utoipa::path(get, path = "/api/sam/robots", tag = "sam", params(Span),
    responses((status = 200, body = Listed<RobotView>), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 503, body = Problem)))]
async fn list(
    desk: Desk,
    Query(span): Query<Span>,
) -> Result<axum::Json<Listed<RobotView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let views = robots::all(&mut tx).await?.iter().map(RobotView::from).collect();
    Ok(axum::Json(span.of(views, |view| view.id)))
}

#[utoipa::path(get, path = "/api/sam/robots/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 200, body = RobotView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 503, body = Problem)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let robot = robots::find(&mut tx, RobotId(id)).await?.ok_or_else(|| missing(&desk))?;
    Ok(tagged(StatusCode::OK, robot.version, RobotView::from(&robot)))
}

#[utoipa::path(post, path = "/api/sam/robots", request_body = RobotRequest, tag = "sam",
    responses((status = 201, body = RobotView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem), (status = 415, body = Problem),
              (status = 422, body = Problem), (status = 503, body = Problem)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<RobotRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let view = save(&desk, &mut decision, None, &request).await?;
    decision.commit().await?;
    stir(&desk.context);
    Ok(tagged(StatusCode::CREATED, view.version, view))
}

/// Writes a robot as it is asked for, new or over the one before.
pub(super) async fn save(
    desk: &Desk,
    decision: &mut Decision,
    before: Option<&Robot>,
    request: &RobotRequest,
) -> Result<RobotView, Failure> {
    let mut robot = typed(desk, request)?;
    if let Some(before) = before {
        robot.id = before.id;
        robot.version = before.version;
        robot.seen_name.clone_from(&before.seen_name);
    } else if robot.id.0 != 0 && robots::find(&mut decision.tx, robot.id).await?.is_some() {
        let (es, en) = ("Ya hay un robot con ese id.", "There is a robot with that id.");
        return Err(conflict(desk.lang, "ID_REPETIDO", es, en).into());
    }
    if let Some(problem) = refused(desk, &mut decision.tx, &robot, before).await? {
        return Err(problem.into());
    }
    if before.is_some() {
        robots::update(&mut decision.tx, &robot).await?;
        robot.version += 1;
    } else {
        robot.id = robots::insert(&mut decision.tx, &robot).await?;
    }
    let view = RobotView::from(&robot);
    let action = if before.is_some() { "robot.editar" } else { "robot.crear" };
    let mut entry = by(desk).did(action, format!("robot/{}", robot.id));
    entry.before = before.map(|before| as_json(RobotView::from(before))).transpose()?;
    entry.after = Some(as_json(&view)?);
    decision.audit(entry);
    Ok(view)
}

/// Changes the fields that are named. Its schedules and assignments stay.
#[utoipa::path(put, path = "/api/sam/robots/{id}", request_body = RobotRequest, tag = "sam",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = RobotView), (status = 400, body = Problem),
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
    let before = robots::find(&mut decision.tx, RobotId(id)).await?;
    let before = before.ok_or_else(|| missing(&desk))?;
    if expected.is_some_and(|expected| expected != before.version) {
        return Err(desk.stale(before.version).into());
    }
    let request = merged(&RobotRequest::from(&before), change, desk.lang)?;
    let view = save(&desk, &mut decision, Some(&before), &request).await?;
    decision.commit().await?;
    stir(&desk.context);
    Ok(tagged(StatusCode::OK, view.version, view))
}

/// Removes a robot that never ran and that nothing names; otherwise deactivate it.
#[utoipa::path(delete, path = "/api/sam/robots/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 409, body = Problem),
              (status = 503, body = Problem)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let robot = robots::find(&mut decision.tx, RobotId(id)).await?;
    let robot = robot.ok_or_else(|| missing(&desk))?;
    if robots::in_use(&mut decision.tx, robot.id).await? {
        let (es, en) = (
            "El robot tiene historia, programaciones o asignaciones: desactivalo.",
            "The robot has history, schedules or assignments: deactivate it.",
        );
        return Err(conflict(desk.lang, "EN_USO", es, en).into());
    }
    robots::remove(&mut decision.tx, robot.id).await?;
    let mut entry = by(&desk).did("robot.borrar", format!("robot/{id}"));
    entry.before = Some(as_json(RobotView::from(&robot))?);
    decision.audit(entry);
    decision.commit().await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
