//! Who may run where: reservations by hand, and what calendar and balancer assigned.

use axum::{
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use host::{Context, Failure};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Path, Problem, Query};

use super::{Desk, Listed, as_json, by, conflict, unknown};
use crate::{
    decisions::emit,
    model::{AssignmentId, Hold, RobotId, RunnerId},
    policy::Action,
    room::stir,
    store::{self, assignments, robots, runners},
    wire::AssignmentView,
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list, reserve)).routes(routes!(release))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    robot_id: Option<i64>,
    equipo_id: Option<i64>,
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    cursor: Option<i64>,
}

#[utoipa::path(get, path = "/api/sam/asignaciones", tag = "sam", params(Asked),
    responses((status = 200, body = Listed<AssignmentView>), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 503, body = Problem)))]
async fn list(
    desk: Desk,
    Query(asked): Query<Asked>,
) -> Result<axum::Json<Listed<AssignmentView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let all = assignments::all(&mut tx).await?;
    let views = all
        .iter()
        .filter(|one| asked.robot_id.is_none_or(|id| one.robot.0 == id))
        .filter(|one| asked.equipo_id.is_none_or(|id| one.runner.0 == id))
        .map(AssignmentView::from)
        .collect();
    let span = super::Span { limit: asked.limit, cursor: asked.cursor };
    Ok(axum::Json(span.of(views, |view| view.id)))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamReserva)]
struct Reservation {
    robot_id: i64,
    equipo_id: i64,
}

/// Reserves a runner for a robot by hand. The balancer leaves it alone from here on; what it had
/// assigned to the runner is taken back.
#[utoipa::path(post, path = "/api/sam/asignaciones", request_body = Reservation, tag = "sam",
    responses((status = 201, body = AssignmentView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem), (status = 415, body = Problem),
              (status = 503, body = Problem)))]
async fn reserve(
    desk: Desk,
    web::Json(wanted): web::Json<Reservation>,
) -> Result<Response, Failure> {
    desk.require(Action::Operate)?;
    let (robot, runner) = (RobotId(wanted.robot_id), RunnerId(wanted.equipo_id));
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    if robots::find(&mut decision.tx, robot).await?.is_none() {
        let (es, en) = ("No existe ese robot.", "There is no such robot.");
        return Err(unknown(&desk, "ROBOT_INEXISTENTE", es, en).into());
    }
    if runners::find(&mut decision.tx, runner).await?.is_none() {
        return Err(super::runners::missing(&desk).into());
    }
    let standing = assignments::of_runner(&mut decision.tx, runner).await?;
    if standing.iter().any(|one| one.hold == Hold::Reserved) {
        let (es, en) = ("El equipo ya está reservado.", "The runner is reserved already.");
        return Err(conflict(desk.lang, "EQUIPO_RESERVADO", es, en).into());
    }
    for dynamic in standing.iter().filter(|one| one.hold == Hold::Dynamic) {
        assignments::remove(&mut decision.tx, dynamic.id).await?;
    }
    let by = by(&desk);
    let new =
        assignments::New { robot, runner, hold: Hold::Reserved, schedule: None, by: &by.name };
    let id = assignments::insert(&mut decision.tx, &new, desk.now).await?;
    let made = assignments::find(&mut decision.tx, id).await?;
    let made = made.ok_or_else(|| db::Error::corrupt("an assignment vanished"))?;
    let view = AssignmentView::from(&made);
    let mut entry = by.did("asignacion.reservar", format!("asignacion/{id}"));
    entry.after = Some(as_json(&view)?);
    decision.audit(entry);
    emit(&mut decision, "asignacion:reservada", format!("equipo/{runner}"), as_json(&view)?);
    decision.commit().await?;
    stir(&desk.context);
    Ok((StatusCode::CREATED, axum::Json(view)).into_response())
}

/// Releases a reserved or dynamic assignment. What runs goes on; scheduled ones change with their
/// schedule.
#[utoipa::path(delete, path = "/api/sam/asignaciones/{id}", params(("id" = i64, Path)),
    tag = "sam",
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 409, body = Problem),
              (status = 503, body = Problem)))]
async fn release(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Operate)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let found = assignments::find(&mut decision.tx, AssignmentId(id)).await?;
    let Some(found) = found else {
        let (es, en) = ("No existe esa asignación.", "There is no such assignment.");
        return Err(unknown(&desk, "ASIGNACION_INEXISTENTE", es, en).into());
    };
    if found.hold == Hold::Scheduled {
        let (es, en) = (
            "Es de una programación: cambiá los equipos de la programación.",
            "It belongs to a schedule: change the runners of the schedule.",
        );
        return Err(conflict(desk.lang, "ASIGNACION_PROGRAMADA", es, en).into());
    }
    assignments::remove(&mut decision.tx, found.id).await?;
    let view = AssignmentView::from(&found);
    let mut entry = by(&desk).did("asignacion.liberar", format!("asignacion/{id}"));
    entry.before = Some(as_json(&view)?);
    decision.audit(entry);
    let subject = format!("equipo/{}", found.runner);
    emit(&mut decision, "asignacion:liberada", subject, as_json(&view)?);
    decision.commit().await?;
    stir(&desk.context);
    Ok(StatusCode::NO_CONTENT.into_response())
}
