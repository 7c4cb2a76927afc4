//! Why a robot or a runner waits; what is suspended, and lifting it.

use axum::http::StatusCode;
use host::{Failure, edit::Editable as _};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Path, Problem, Query};

use super::{Listed, Unasked, unknown};
use crate::{
    Context, Desk,
    decisions::{robots::Robots, runners::Runners, suspensions::lift as lift_suspension},
    model::{RobotId, RunnerId},
    policy::Action,
    rules::{why, world::Suspended},
    store::{suspensions, world},
    wire::{self, SuspensionView, WhyView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(robot))
        .routes(routes!(runner))
        .routes(routes!(suspended, lift))
}

/// Every condition that keeps a robot from running, in order.
#[utoipa::path(get, path = "/api/sam/why/robot/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 200, body = WhyView)))]
async fn robot(desk: Desk, Path(id): Path<i64>) -> Result<axum::Json<WhyView>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let snapshot = world::balance(&desk.context, &mut tx, desk.now).await?;
    let answer = why::robot(&snapshot, RobotId(id), desk.now);
    let answer = answer.ok_or_else(|| Robots::missing(&desk))?;
    let name = snapshot.world.robots.get(&RobotId(id)).map(|robot| robot.name.clone());
    let subject = json!({ "tipo": "robot", "id": id, "robot": name });
    Ok(axum::Json(WhyView::new(subject, &answer, &desk.context.zone, desk.lang)))
}

/// Every condition that keeps a runner from starting something, in order.
#[utoipa::path(get, path = "/api/sam/why/equipo/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 200, body = WhyView)))]
async fn runner(desk: Desk, Path(id): Path<i64>) -> Result<axum::Json<WhyView>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let world = world::load(&desk.context, &mut tx, desk.now).await?;
    let answer = why::runner(&world, RunnerId(id), desk.now);
    let answer = answer.ok_or_else(|| Runners::missing(&desk))?;
    let name = world.runners.get(&RunnerId(id)).map(|runner| runner.name.clone());
    let subject = json!({ "tipo": "equipo", "id": id, "equipo": name });
    Ok(axum::Json(WhyView::new(subject, &answer, &desk.context.zone, desk.lang)))
}

/// What errors suspended, and until when.
#[utoipa::path(get, path = "/api/sam/suspensiones", tag = "sam",
    responses((status = 200, body = Listed<SuspensionView>)))]
async fn suspended(
    desk: Desk,
    _: Query<Unasked>,
) -> Result<axum::Json<Listed<SuspensionView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let mut all: Vec<_> = suspensions::all(&mut tx).await?.into_iter().collect();
    all.sort_by_key(|(what, _)| *what);
    let views = all.iter().filter(|(_, one)| desk.now < one.until);
    let views =
        views.map(|(what, one)| SuspensionView::new(wire::suspended_word(*what), one, desk.lang));
    Ok(axum::Json(Listed::whole(views.collect())))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamLevantar)]
struct Lift {
    robot_id: Option<i64>,
    equipo_id: Option<i64>,
}

/// Lifts a suspension: the next look tries again.
#[utoipa::path(delete, path = "/api/sam/suspensiones", request_body = Lift, tag = "sam",
    responses((status = 204)))]
async fn lift(desk: Desk, web::Json(wanted): web::Json<Lift>) -> Result<StatusCode, Failure> {
    desk.require(Action::Operate)?;
    let (robot, runner) = (wanted.robot_id.map(RobotId), wanted.equipo_id.map(RunnerId));
    let what = match (robot, runner) {
        (Some(robot), Some(runner)) => Suspended::Pair(robot, runner),
        (Some(robot), None) => Suspended::Robot(robot),
        (None, Some(runner)) => Suspended::Runner(runner),
        (None, None) => return Err(nothing(&desk).into()),
    };
    if !lift_suspension(&desk, what).await? {
        return Err(nothing(&desk).into());
    }
    Ok(StatusCode::NO_CONTENT)
}

fn nothing(desk: &Desk) -> Problem {
    let (es, en) = ("No hay tal suspensión.", "There is no such suspension.");
    unknown(desk, "SUSPENSION_INEXISTENTE", es, en)
}
