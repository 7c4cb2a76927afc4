//! `/api/sam/ejecuciones`: runs and what happened to each.

use engine::Word as _;
use host::Failure;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Lang, Path, Problem, Query};

use super::Listed;
use crate::{
    Context, Desk,
    decisions::runs::missing,
    model::{RunId, RunState},
    policy::Action,
    store::runs::{self, Narrowing},
    wire::{RunView, StepView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(one))
}

#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
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
        let states = crate::wire::states().join(", ");
        let detail = match desk.lang {
            Lang::Es => format!("No existe ese estado; hay {states}."),
            Lang::En => format!("There is no such state; there are {states}."),
        };
        return Err(Problem::bad_request("ESTADO_DESCONOCIDO")
            .lang(desk.lang)
            .detail(detail)
            .into());
    }
    let limit = asked.limit.unwrap_or(100).clamp(1, 1000);
    let mut tx = desk.context.store.read().await?;
    let found = runs::page(&mut tx, &asked.narrowing(), limit + 1).await?;
    let zone = &desk.context.zone;
    let views = found.iter().map(|run| RunView::new(run, zone, desk.lang)).collect();
    Ok(axum::Json(Listed::page(views, limit as usize, |view| view.id)))
}

/// A run and everything that happened to it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SamEjecucionConPasos)]
struct Life {
    #[serde(flatten)]
    run: RunView,
    /// What the bot gave back, as its callback carried it.
    #[schema(value_type = Option<Object>)]
    bot_output: Option<Json>,
    pasos: Vec<StepView>,
}

/// One run, with what happened to it.
#[utoipa::path(get, path = "/api/sam/ejecuciones/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 200, body = Life)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<axum::Json<Life>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let run = runs::find(&mut tx, RunId(id)).await?.ok_or_else(|| missing(&desk))?;
    let steps = runs::steps(&mut tx, run.id).await?;
    let bot_output = output(runs::callback(&mut tx, run.id).await?);
    let run = RunView::new(&run, &desk.context.zone, desk.lang);
    let pasos = steps.into_iter().map(|step| StepView::new(step, desk.lang)).collect();
    Ok(axum::Json(Life { run, bot_output, pasos }))
}

/// What a bot gave back; nothing where it gave nothing.
pub(crate) fn output(callback: Option<Json>) -> Option<Json> {
    let mut callback = callback?;
    let output = callback.get_mut("botOutput").map(Json::take)?;
    let empty = output.is_null() || output.as_object().is_some_and(serde_json::Map::is_empty);
    (!empty).then_some(output)
}
