//! Who may run where: reservations by hand, and what calendar and balancer assigned.

use axum::{
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use host::Failure;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Path, Query};

use super::Listed;
use crate::{
    Context, Desk,
    decisions::assignments as decisions,
    model::{AssignmentId, RobotId, RunnerId},
    policy::Action,
    store::assignments,
    wire::AssignmentView,
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list, reserve)).routes(routes!(release))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Asked {
    robot_id: Option<i64>,
    equipo_id: Option<i64>,
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    cursor: Option<i64>,
}

/// Which robot holds which runner, and why.
#[utoipa::path(get, path = "/api/sam/asignaciones", tag = "sam", params(Asked),
    responses((status = 200, body = Listed<AssignmentView>)))]
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
        .map(AssignmentView::new)
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
    responses((status = 201, body = AssignmentView)))]
async fn reserve(
    desk: Desk,
    web::Json(wanted): web::Json<Reservation>,
) -> Result<Response, Failure> {
    desk.require(Action::Operate)?;
    let (robot, runner) = (RobotId(wanted.robot_id), RunnerId(wanted.equipo_id));
    let view = decisions::reserve(&desk, robot, runner).await?;
    Ok((StatusCode::CREATED, axum::Json(view)).into_response())
}

/// Releases a reserved or dynamic assignment. What runs goes on; scheduled ones change with their
/// schedule.
#[utoipa::path(delete, path = "/api/sam/asignaciones/{id}", params(("id" = i64, Path)),
    tag = "sam",
    responses((status = 204)))]
async fn release(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::Operate)?;
    decisions::release(&desk, AssignmentId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
