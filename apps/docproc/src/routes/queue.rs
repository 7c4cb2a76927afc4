//! Dead letters: what was given up, by error, and back into the queue.

use axum::response::{IntoResponse as _, Response};
use host::Failure;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Json, Lang, Query};

use super::Desk;
use crate::Context;
use crate::{
    decisions,
    policy::Action,
    store::{outbox, queue},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(dead_letters))
        .routes(routes!(groups))
        .routes(routes!(foreign))
        .routes(routes!(replay))
}

const SHOWN: i64 = 100;
/// Requests one command brings back.
const AT_ONCE: i64 = 500;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    #[param(minimum = 1, maximum = 500)]
    limit: Option<i64>,
    cursor: Option<i64>,
}

#[derive(Debug, Serialize, ToSchema)]
struct DeadLetterView {
    id: i64,
    request_id: String,
    stage: String,
    component: String,
    item: String,
    attempts: i64,
    code: String,
    error: String,
    at: Timestamp,
}

#[derive(Debug, Serialize, ToSchema)]
struct DeadLetters {
    items: Vec<DeadLetterView>,
    next: Option<i64>,
}

/// Messages that were given up, newest first.
#[utoipa::path(get, path = "/api/docproc/dead-letters", params(Asked), tag = "docproc",
    responses((status = 200, body = DeadLetters)))]
async fn dead_letters(desk: Desk, Query(asked): Query<Asked>) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    let limit = asked.limit.unwrap_or(SHOWN).clamp(1, AT_ONCE);
    let mut tx = desk.context.store.read().await?;
    let found = queue::dead(&mut tx, asked.cursor.unwrap_or(i64::MAX), limit).await?;
    let next = found.last().filter(|_| found.len() as i64 == limit).map(|last| last.id);
    let items = found.into_iter().map(|letter| view(letter, desk.lang)).collect();
    Ok(axum::Json(DeadLetters { items, next }).into_response())
}

fn view(letter: queue::DeadLetter, lang: Lang) -> DeadLetterView {
    DeadLetterView {
        id: letter.id,
        request_id: letter.request_id,
        stage: letter.stage,
        component: letter.component,
        item: letter.item,
        attempts: letter.attempt,
        code: letter.code,
        error: lang.told(&letter.error),
        at: letter.at,
    }
}

/// Dead letters counted by what killed them.
#[utoipa::path(get, path = "/api/docproc/dead-letters/groups", tag = "docproc",
    responses((status = 200, body = Object)))]
async fn groups(desk: Desk) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    let mut tx = desk.context.store.read().await?;
    let items: Vec<_> = queue::dead_by_error(&mut tx)
        .await?
        .into_iter()
        .map(|(code, stage, n, at)| json!({ "code": code, "stage": stage, "count": n, "latest": at }))
        .collect();
    Ok(axum::Json(json!({ "items": items, "next": null })).into_response())
}

#[derive(Debug, Serialize, ToSchema)]
struct ForeignLetterView {
    queue: String,
    exchange: String,
    routing_key: String,
    message_id: Option<String>,
    /// Why it was not taken.
    reason: String,
    /// Its beginning.
    body: String,
    bytes: i64,
    received_at: Timestamp,
}

/// What the broker delivered and is none of ours, newest first.
#[utoipa::path(get, path = "/api/docproc/dead-letters/foreign", tag = "docproc",
    responses((status = 200, body = Object)))]
async fn foreign(desk: Desk) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    let mut tx = desk.context.store.read().await?;
    let shown = |letter: outbox::Foreign| ForeignLetterView {
        queue: letter.queue,
        exchange: letter.exchange,
        routing_key: letter.key,
        message_id: letter.message_id,
        reason: letter.reason,
        body: letter.body,
        bytes: letter.bytes,
        received_at: letter.received_at,
    };
    let items: Vec<_> = outbox::foreign(&mut tx, SHOWN).await?.into_iter().map(shown).collect();
    Ok(axum::Json(json!({ "items": items, "next": null })).into_response())
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Replay {
    /// Only those that died of this; all when absent.
    code: Option<String>,
    request_id: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct Replayed {
    requests: usize,
}

/// Brings the requests of dead letters back into the queue.
#[utoipa::path(post, path = "/api/docproc/dead-letters/replay", request_body = Replay,
    tag = "docproc",
    responses((status = 200, body = Replayed)))]
async fn replay(desk: Desk, Json(wanted): Json<Replay>) -> Result<Response, Failure> {
    desk.require(Action::Steer)?;
    let mut tx = desk.context.store.read().await?;
    let found = queue::dead(&mut tx, i64::MAX, AT_ONCE).await?;
    drop(tx);
    let fits = |letter: &queue::DeadLetter| {
        wanted.code.as_ref().is_none_or(|code| *code == letter.code)
            && wanted.request_id.as_ref().is_none_or(|id| *id == letter.request_id)
    };
    let mut ids: Vec<String> =
        found.into_iter().filter(fits).map(|letter| letter.request_id).collect();
    ids.sort();
    ids.dedup();
    let mut requests = 0;
    for id in ids {
        let done = decisions::replay(&desk.context, &desk.by(), &id).await?;
        requests += usize::from(done.is_ok());
    }
    Ok(axum::Json(Replayed { requests }).into_response())
}
