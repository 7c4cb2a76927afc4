//! Runs and their lives.

use engine::Word as _;
use host::Failure;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Path, Problem, Query};

use super::{Listed, check::Check};
use crate::{
    Context, Desk,
    decisions::runs::{missing, unlock},
    model::{RunId, RunState},
    policy::Action,
    store::runs::{self, Narrowing},
    wire::{RunView, StepView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(one)).routes(routes!(free))
}

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Asked {
    pub(crate) robot_id: Option<i64>,
    pub(crate) equipo_id: Option<i64>,
    /// Only those that occupy their runner, or only those that do not.
    pub(crate) activas: Option<bool>,
    pub(crate) estado: Option<String>,
    #[param(minimum = 1, maximum = 1000)]
    pub(crate) limit: Option<i64>,
    pub(crate) cursor: Option<i64>,
}

impl Asked {
    pub(crate) fn narrowing(&self) -> Narrowing<'_> {
        Narrowing {
            robot: self.robot_id.unwrap_or(0),
            runner: self.equipo_id.unwrap_or(0),
            live: self.activas,
            state: self.estado.as_deref().unwrap_or_default(),
            before: self.cursor.unwrap_or(0),
        }
    }
}

/// Runs, the newest first.
#[utoipa::path(get, path = "/api/sam/ejecuciones", tag = "sam", params(Asked),
    responses((status = 200, body = Listed<RunView>)))]
async fn list(
    desk: Desk,
    Query(asked): Query<Asked>,
) -> Result<axum::Json<Listed<RunView>>, Failure> {
    desk.require(Action::Read)?;
    if let Some(word) = asked.estado.as_deref().filter(|word| !word.is_empty())
        && RunState::from_word(word).is_none()
    {
        let detail = crate::wire::states().join(", ");
        return Err(Problem::bad_request("ESTADO_DESCONOCIDO")
            .lang(desk.lang)
            .detail(detail)
            .into());
    }
    let limit = asked.limit.unwrap_or(100).clamp(1, 1000);
    let mut tx = desk.context.store.read().await?;
    let found = runs::page(&mut tx, &asked.narrowing(), limit + 1).await?;
    let zone = &desk.context.zone;
    let views = found.iter().map(|run| RunView::new(run, zone)).collect();
    Ok(axum::Json(Listed::page(views, limit as usize, |view| view.id)))
}

/// A run and everything that happened to it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SamEjecucionConPasos)]
struct Life {
    #[serde(flatten)]
    run: RunView,
    pasos: Vec<StepView>,
}

#[utoipa::path(get, path = "/api/sam/ejecuciones/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 200, body = Life)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<axum::Json<Life>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let run = runs::find(&mut tx, RunId(id)).await?.ok_or_else(|| missing(&desk))?;
    let steps = runs::steps(&mut tx, run.id).await?;
    let run = RunView::new(&run, &desk.context.zone);
    Ok(axum::Json(Life { run, pasos: steps.into_iter().map(StepView::new).collect() }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamDesbloqueo)]
struct Why {
    #[schema(min_length = 1, max_length = 500)]
    motivo: String,
}

/// Frees the runner of a run by hand. The robot may go on in the Control Room.
#[utoipa::path(post, path = "/api/sam/ejecuciones/{id}/desbloquear", request_body = Why,
    tag = "sam", params(("id" = i64, Path)),
    responses((status = 200, body = RunView)))]
async fn free(
    desk: Desk,
    Path(id): Path<i64>,
    web::Json(why): web::Json<Why>,
) -> Result<axum::Json<RunView>, Failure> {
    desk.require(Action::Operate)?;
    let mut check = Check::new(desk.lang);
    let reason = check.name("motivo", &why.motivo, 500);
    check.finish()?;
    unlock(&desk, RunId(id), &reason).await?;
    let mut tx = desk.context.store.read().await?;
    let run = runs::find(&mut tx, RunId(id)).await?.ok_or_else(|| missing(&desk))?;
    Ok(axum::Json(RunView::new(&run, &desk.context.zone)))
}
