//! An operator's desk: what comes next, what remains, and that somebody is there (§8.2).

use axum::{
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use host::Failure;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Problem, Query};

use super::{
    AtDesk as _, Desk,
    form::SubmittedForm,
    tasks::{Named, Operator, detail},
};
use crate::{Context, decisions::people, policy::Action, wire::people::TaskDetail};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(rest)).routes(routes!(next)).routes(routes!(here))
}

/// Tasks an operator may say they have before them.
const MOST_BUT: usize = 100;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Remaining {
    /// On open loopback: the operator's name. Signed in, it is the user.
    operator: Option<String>,
    /// Tasks the operator has before them already, with commas.
    but: Option<String>,
}

/// What remains for an operator.
#[derive(Debug, Serialize, ToSchema)]
struct RestView {
    /// Tasks they may work on.
    waiting: usize,
    /// The first deadline among them.
    nearest_deadline: Option<Timestamp>,
}

/// How many tasks remain for an operator, and the deadline that comes first.
#[utoipa::path(get, path = "/api/docproc/desk", params(Remaining), tag = "docproc",
    responses((status = 200, body = RestView), (status = 422, body = Problem)))]
async fn rest(desk: Desk, Query(asked): Query<Remaining>) -> Result<Response, Failure> {
    desk.require(Action::Review)?;
    let operator = desk.operator(asked.operator.as_deref())?;
    let but: Vec<&str> = asked.but.as_deref().unwrap_or_default().split(',').collect();
    let mut tx = desk.context.store.read().await?;
    let (waiting, nearest_deadline) = people::remaining(&mut tx, &operator, &but, desk.now).await?;
    Ok(axum::Json(RestView { waiting, nearest_deadline }).into_response())
}

#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes what is read by name")]
struct Next {
    operator: Option<String>,
    /// Tasks the operator has before them already.
    but: Option<Vec<String>>,
}

/// The operator's next task, most urgent first; it is theirs from now on. 204: nothing waits.
#[utoipa::path(post, path = "/api/docproc/desk/next", tag = "docproc", params(Named),
    request_body(content((Next = "application/json"),
                         (Next = "application/x-www-form-urlencoded"))),
    responses((status = 200, body = TaskDetail), (status = 204)))]
async fn next(
    desk: Desk,
    Query(named): Query<Named>,
    form: SubmittedForm,
) -> Result<Response, Failure> {
    desk.require(Action::Review)?;
    let operator = desk.operator(form.operator().or(named.operator.as_deref()))?;
    let but = form.json("but").ok().flatten();
    let but: Vec<String> = but
        .as_ref()
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .take(MOST_BUT)
        .filter_map(|id| id.as_str().map(str::to_owned))
        .collect();
    let done = people::next(&desk.context, &operator, &but).await?;
    match done.map_err(|refusal| desk.refused(&refusal))? {
        Some(task) => detail(&desk, &task.id, &operator).await,
        None => Ok(StatusCode::NO_CONTENT.into_response()),
    }
}

/// *Presencia*: the operator is at the desk, with or without a task.
#[utoipa::path(post, path = "/api/docproc/desk/heartbeat", tag = "docproc", params(Named),
    request_body(content((Operator = "application/json"),
                         (Operator = "application/x-www-form-urlencoded"))),
    responses((status = 204)))]
async fn here(
    desk: Desk,
    Query(named): Query<Named>,
    form: SubmittedForm,
) -> Result<Response, Failure> {
    desk.require(Action::Review)?;
    let operator = desk.operator(form.operator().or(named.operator.as_deref()))?;
    let done = people::heartbeat(&desk.context, &operator, None).await?;
    done.map_err(|refusal| desk.refused(&refusal))?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
