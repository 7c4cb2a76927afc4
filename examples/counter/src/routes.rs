//! Read the request, call one decision, shape the answer.

use axum::{extract::State, http::StatusCode};
use db::Slice as _;
use host::{Actor, Context, Failure, conflict, unknown};
use serde_json::{Value as Json, json};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Lang, Path};

use crate::{decide, rules, rules::TicketId, store};

type Answer = Result<axum::Json<Json>, Failure>;

pub fn all() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(take))
        .routes(routes!(open))
        .routes(routes!(done))
        .routes(routes!(why))
}

#[utoipa::path(post, path = "/api/counter/tickets", tag = "counter",
    responses((status = 200, body = Json)))]
async fn take(State(context): State<Context>) -> Answer {
    let ticket = decide(&context, async |tx| store::add(tx).await).await?;
    Ok(axum::Json(json!({ "ticket": ticket })))
}

#[utoipa::path(post, path = "/api/counter/windows/{number}", tag = "counter",
    params(("number" = i64, Path)), responses((status = 204)))]
async fn open(
    State(context): State<Context>,
    actor: Actor,
    lang: Lang,
    Path(number): Path<i64>,
) -> Result<StatusCode, Failure> {
    actor.require_admin(lang)?;
    decide(&context, async |tx| store::open(tx, number).await).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[utoipa::path(post, path = "/api/counter/tickets/{id}/done", tag = "counter",
    params(("id" = i64, Path)), responses((status = 204)))]
async fn done(
    State(context): State<Context>,
    lang: Lang,
    Path(id): Path<i64>,
) -> Result<StatusCode, Failure> {
    let close = async |tx: &mut db::Tx| store::close(tx, TicketId(id), rules::State::Done).await;
    if decide(&context, close).await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    let (es, en) = ("Ese turno no fue llamado.", "That ticket has not been called.");
    Err(conflict(lang, "NO_LLAMADO", es, en).into())
}

/// Runs the planner on a fresh snapshot; nothing is kept for it.
#[utoipa::path(get, path = "/api/counter/tickets/{id}/why", tag = "counter",
    params(("id" = i64, Path)), responses((status = 200, body = Json)))]
async fn why(State(context): State<Context>, lang: Lang, Path(id): Path<i64>) -> Answer {
    let now = context.clock.now();
    let snapshot = store::Counter.load(&mut context.store.read().await?, now).await?;
    let held = rules::plan(&snapshot, now).held;
    let held = held.into_iter().find(|held| held.ticket == TicketId(id)).ok_or_else(|| {
        unknown(lang, "NO_ESPERA", "Ese turno no espera.", "That ticket does not wait.")
    })?;
    Ok(axum::Json(json!({ "ahead": held.ahead, "reason": lang.say(&held.sentence()) })))
}
