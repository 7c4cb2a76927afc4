//! What people do with runs: start one now, stop one, unlock its runner, decide on one in doubt, and have
//! the Control Room tried again.

use axum::http::StatusCode;
use host::Failure;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Path, Problem};

use super::check::Check;
use crate::{
    Context, Desk,
    decisions::{circuit, running, runs::missing},
    model::{RobotId, RunId, RunnerId},
    policy::Action,
    store::runs,
    wire::RunView,
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(start))
        .routes(routes!(stop))
        .routes(routes!(free))
        .routes(routes!(settle))
        .routes(routes!(try_again))
}

/// A reason that says something.
fn reason(desk: &Desk, given: &str) -> Result<String, Failure> {
    let mut check = Check::new(desk.lang);
    let reason = check.name("motivo", given, 500);
    check.finish()?;
    Ok(reason)
}

async fn shown(desk: &Desk, id: RunId) -> Result<RunView, Failure> {
    let mut tx = desk.context.store.read().await?;
    let run = runs::find(&mut tx, id).await?.ok_or_else(|| missing(desk))?;
    Ok(RunView::new(&run, &desk.context.zone, desk.lang))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamEjecutar)]
struct Start {
    equipo_id: i64,
    #[schema(min_length = 1, max_length = 500)]
    motivo: String,
}

/// Starts a robot on a runner now, whatever calendar and tickets say. What holds launches holds this
/// one too: 409 with the rule.
#[utoipa::path(post, path = "/api/sam/robots/{id}/ejecutar", request_body = Start, tag = "sam",
    params(("id" = i64, Path)), responses((status = 201, body = RunView)))]
async fn start(
    desk: Desk,
    Path(id): Path<i64>,
    web::Json(wanted): web::Json<Start>,
) -> Result<(StatusCode, axum::Json<RunView>), Failure> {
    desk.require(Action::Operate)?;
    let why = reason(&desk, &wanted.motivo)?;
    let run = running::start(&desk, RobotId(id), RunnerId(wanted.equipo_id), &why).await?;
    Ok((StatusCode::CREATED, axum::Json(shown(&desk, run).await?)))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamDetener)]
struct Why {
    #[schema(min_length = 1, max_length = 500)]
    motivo: String,
}

/// Has a run stopped in the Control Room. It ends when the Control Room says so.
#[utoipa::path(post, path = "/api/sam/ejecuciones/{id}/detener", request_body = Why, tag = "sam",
    params(("id" = i64, Path)), responses((status = 202, body = RunView)))]
async fn stop(
    desk: Desk,
    Path(id): Path<i64>,
    web::Json(why): web::Json<Why>,
) -> Result<(StatusCode, axum::Json<RunView>), Failure> {
    desk.require(Action::Operate)?;
    running::stop(&desk, RunId(id), &reason(&desk, &why.motivo)?).await?;
    Ok((StatusCode::ACCEPTED, axum::Json(shown(&desk, RunId(id)).await?)))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamDesbloqueo)]
struct Unlock {
    #[schema(min_length = 1, max_length = 500)]
    motivo: String,
    /// Whether the bot is stopped in the Control Room too.
    detener: Option<bool>,
}

/// Frees the runner of a run by hand. The robot may go on in the Control Room, unless `detener`.
#[utoipa::path(post, path = "/api/sam/ejecuciones/{id}/desbloquear", request_body = Unlock,
    tag = "sam", params(("id" = i64, Path)), responses((status = 200, body = RunView)))]
async fn free(
    desk: Desk,
    Path(id): Path<i64>,
    web::Json(wanted): web::Json<Unlock>,
) -> Result<axum::Json<RunView>, Failure> {
    desk.require(Action::Operate)?;
    let why = reason(&desk, &wanted.motivo)?;
    running::unlock(&desk, RunId(id), &why, wanted.detener.unwrap_or(false)).await?;
    Ok(axum::Json(shown(&desk, RunId(id)).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamResolver)]
struct Settle {
    #[schema(min_length = 1, max_length = 500)]
    motivo: String,
    /// The deployment that the run is. Absent: nothing ran, and it is due again.
    #[schema(max_length = 200)]
    deployment_id: Option<String>,
}

/// Decides on a run of which nobody knows whether the Control Room took it.
#[utoipa::path(post, path = "/api/sam/ejecuciones/{id}/resolver", request_body = Settle,
    tag = "sam", params(("id" = i64, Path)), responses((status = 204)))]
async fn settle(
    desk: Desk,
    Path(id): Path<i64>,
    web::Json(wanted): web::Json<Settle>,
) -> Result<StatusCode, Failure> {
    desk.require(Action::Operate)?;
    let mut check = Check::new(desk.lang);
    let why = check.name("motivo", &wanted.motivo, 500);
    let deployment = check.text("deployment_id", wanted.deployment_id.as_deref(), 200);
    check.finish()?;
    running::settle(&desk, RunId(id), deployment.as_deref(), &why).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Has the Control Room tried again at once, and lifts what was suspended because it said no.
#[utoipa::path(post, path = "/api/sam/a360/probar", tag = "sam", responses((status = 204)))]
async fn try_again(desk: Desk) -> Result<StatusCode, Failure> {
    desk.require(Action::Operate)?;
    if circuit::insist(&desk).await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    let detail = desk.lang.t(
        "El Control Room no está en espera: no hay nada que probar.",
        "The Control Room is not being left alone: there is nothing to try.",
    );
    Err(Problem::conflict("A360_SIN_ESPERA").lang(desk.lang).detail(detail).into())
}
