//! Runs and their lives.

use axum::response::{IntoResponse as _, Response};
use db::{Error, Tx, trusted};
use engine::Word as _;
use host::Failure;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Path, Problem, Query};

use super::{Listed, check::Check, conflict, unknown};
use crate::{
    Context, Desk,
    decisions::runs::{Unlocked, unlock},
    model::{Run, RunId, RunState},
    policy::Action,
    store::runs,
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

/// The newest first, at most `limit`.
pub(crate) async fn page(tx: &mut Tx, asked: &Asked, limit: i64) -> Result<Vec<Run>, Error> {
    let live = match asked.activas {
        None => -1_i64,
        Some(live) => i64::from(live),
    };
    let sql = trusted(format!(
        "SELECT {} FROM runs WHERE ($1 = 0 OR robot_id = $1) AND ($2 = 0 OR runner_id = $2)
           AND ($3 = -1 OR ($3 = 1 AND live) OR ($3 = 0 AND NOT live))
           AND ($4 = '' OR state = $4) AND ($5 = 0 OR id < $5) ORDER BY id DESC LIMIT $6",
        runs::COLUMNS
    ));
    let args = [
        asked.robot_id.unwrap_or(0).into(),
        asked.equipo_id.unwrap_or(0).into(),
        live.into(),
        asked.estado.clone().unwrap_or_default().into(),
        asked.cursor.unwrap_or(0).into(),
        limit.into(),
    ];
    tx.all(sql, &args).await?.iter().map(runs::read).collect()
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
    let found = page(&mut tx, &asked, limit + 1).await?;
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

pub(super) fn missing(desk: &Desk) -> Problem {
    let (es, en) = ("No existe esa ejecución.", "There is no such run.");
    unknown(desk, "EJECUCION_INEXISTENTE", es, en)
}

#[utoipa::path(get, path = "/api/sam/ejecuciones/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 200, body = Life)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<axum::Json<Life>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let run = runs::find(&mut tx, RunId(id)).await?.ok_or_else(|| missing(&desk))?;
    let steps = runs::steps(&mut tx, run.id).await?;
    let run = RunView::new(&run, &desk.context.zone);
    Ok(axum::Json(Life { run, pasos: steps.into_iter().map(StepView::from).collect() }))
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
) -> Result<Response, Failure> {
    desk.require(Action::Operate)?;
    let mut check = Check::new(desk.lang);
    let reason = check.name("motivo", &why.motivo, 500);
    check.finish()?;
    match unlock(&desk.context, &desk.by(), RunId(id), &reason, desk.now).await? {
        Unlocked::NotFound => Err(missing(&desk).into()),
        Unlocked::AlreadyClosed(_) => {
            let (es, en) = ("La ejecución ya terminó.", "The run has ended already.");
            Err(conflict(desk.lang, "EJECUCION_CERRADA", es, en).into())
        }
        Unlocked::Done(_) => {
            let mut tx = desk.context.store.read().await?;
            let run = runs::find(&mut tx, RunId(id)).await?.ok_or_else(|| missing(&desk))?;
            Ok(axum::Json(RunView::new(&run, &desk.context.zone)).into_response())
        }
    }
}
