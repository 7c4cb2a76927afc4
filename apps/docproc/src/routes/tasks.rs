//! What waits for people (seed §13.4).

use axum::response::{IntoResponse as _, Response};
use host::{Context, Failure};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Problem, Query};

use super::Desk;
use crate::{policy::Action, store::reviews, wire::TaskView};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    /// pending, assigned, completed, timeout or cancelled.
    status: Option<String>,
    skill: Option<String>,
}

/// Tasks, most urgent first.
#[utoipa::path(get, path = "/api/tasks", params(Asked), tag = "docproc",
    responses((status = 200, body = Vec<TaskView>), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 503, body = Problem)))]
async fn list(desk: Desk, Query(asked): Query<Asked>) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    let known = ["pending", "assigned", "completed", "timeout", "cancelled"];
    if let Some(status) = asked.status.as_deref()
        && !known.contains(&status)
    {
        let problem = Problem::bad_request("FILTRO_INVALIDO").lang(desk.lang);
        return Err(problem.detail(format!("status: {}", known.join(", "))).into());
    }
    let mut tx = desk.context.store.read().await?;
    let (status, skill) = (asked.status.as_deref(), asked.skill.as_deref());
    let tasks = reviews::list(&mut tx, status, skill, None).await?;
    let tasks: Vec<TaskView> = tasks.into_iter().map(TaskView::from).collect();
    Ok(axum::Json(tasks).into_response())
}
