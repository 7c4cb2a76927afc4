//! What a request was answered, when, and whether it arrived; and what its deadline brought about.

use axum::response::{IntoResponse as _, Response};
use host::Failure;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Path, Problem};

use super::{AtDesk as _, Desk};
use crate::{
    Context,
    policy::Action,
    store::{answers, deadlines, requests},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(of_request))
}

#[derive(Debug, Serialize, ToSchema)]
struct AnswerList {
    items: Vec<AnswerView>,
    checkpoints: Vec<CheckpointView>,
}

/// One answer, in the order they were given.
#[derive(Debug, Serialize, ToSchema)]
struct AnswerView {
    sequence: i64,
    /// `early`, `partial` or `final`
    kind: String,
    given_at: Timestamp,
    /// `NONE` (nobody asked for it), `PENDING`, `DONE` or `FAILED`
    delivery: String,
    delivered_at: Option<Timestamp>,
    attempts: i64,
    /// Why the last attempt failed.
    error: Option<String>,
    /// When the next attempt is due.
    next_attempt_at: Option<Timestamp>,
}

#[derive(Debug, Serialize, ToSchema)]
struct CheckpointView {
    /// `warn`, `alert`, `escalate` or `breach`
    checkpoint: String,
    due_at: Timestamp,
    reached_at: Timestamp,
}

/// The answers a request was given, with how their delivery stands.
#[utoipa::path(get, path = "/api/docproc/requests/{id}/answers", tag = "docproc",
    params(("id" = String, Path, description = "UUID")),
    responses((status = 200, body = AnswerList), (status = 422, body = Problem)))]
async fn of_request(desk: Desk, Path(id): Path<String>) -> Result<Response, Failure> {
    desk.require(Action::ReadStatus)?;
    let id = desk.id(&id)?;
    let mut tx = desk.context.store.read().await?;
    if requests::find(&mut tx, desk.visibility(), &id).await?.is_none() {
        return Err(desk.no_request().into());
    }
    let items = answers::log(&mut tx, &id).await?;
    let checkpoints = deadlines::reached(&mut tx, &id).await?;
    let item = |one: answers::Logged| AnswerView {
        sequence: one.n,
        kind: one.kind,
        given_at: one.given_at,
        delivery: one.delivery,
        delivered_at: one.delivered_at,
        attempts: one.attempts,
        error: one.error,
        next_attempt_at: one.next_at,
    };
    let checkpoint =
        |(checkpoint, due_at, reached_at)| CheckpointView { checkpoint, due_at, reached_at };
    let list = AnswerList {
        items: items.into_iter().map(item).collect(),
        checkpoints: checkpoints.into_iter().map(checkpoint).collect(),
    };
    Ok(axum::Json(list).into_response())
}
