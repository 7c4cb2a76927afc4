//! `/sesiones`: where one is signed in, and the way out of all of it.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Json, Lang, Page, Path, Problem, Tone};

use super::{
    Console,
    forms::{Done, Fields, html},
};
use crate::{
    Actor, Context, Failure, Identity, Pass,
    accounts::{self, Session},
};
use web::routing::{boxed, get};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list, end_all))
        .routes(routes!(end_one))
        .route("/sesiones", get(show).post(boxed(end)))
}

#[derive(Debug, Serialize, ToSchema)]
struct SessionBody {
    id: String,
    created_at: Timestamp,
    expires_at: Timestamp,
    /// Where it was opened.
    address: Option<String>,
    /// What the browser called itself.
    agent: String,
    /// Whether it is the one that asks.
    current: bool,
}

#[derive(Debug, Serialize, ToSchema)]
struct SessionList {
    items: Vec<SessionBody>,
    /// Always null: the list is short.
    next: Option<i64>,
}

/// Where the caller is signed in; a token has no sessions.
#[utoipa::path(get, path = "/api/sessions", tag = "console",
    responses((status = 200, body = SessionList)))]
async fn list(State(context): State<Context>, pass: Pass) -> Result<Json<SessionList>, Failure> {
    let item = |one: Session| SessionBody {
        id: one.id,
        created_at: one.created_at,
        expires_at: one.expires_at,
        address: one.address,
        agent: one.agent,
        current: one.current,
    };
    let items = own(&context, &pass).await?.into_iter().map(item).collect();
    Ok(Json(SessionList { items, next: None }))
}

/// Signs the caller out everywhere.
#[utoipa::path(delete, path = "/api/sessions", tag = "console",
    responses((status = 204, description = "no session of theirs is left")))]
async fn end_all(State(context): State<Context>, actor: Actor) -> Result<StatusCode, Failure> {
    finish(&context, &actor, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends one session of the caller's.
#[utoipa::path(delete, path = "/api/sessions/{id}", tag = "console", params(("id" = String, Path)),
    responses((status = 204, description = "it has ended")))]
async fn end_one(
    State(context): State<Context>,
    lang: Lang,
    actor: Actor,
    Path(id): Path<String>,
) -> Result<StatusCode, Failure> {
    match finish(&context, &actor, Some(&id)).await? {
        0 => Err(Problem::not_found("SESION_INEXISTENTE")
            .lang(lang)
            .detail(lang.t("No existe esa sesión tuya.", "There is no such session of yours."))
            .into()),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}

async fn finish(context: &Context, actor: &Actor, id: Option<&str>) -> Result<u64, db::Error> {
    // A token may carry the name of a person; it is not that person.
    if actor.identity != Identity::User {
        return Ok(0);
    }
    accounts::end_own(&context.store, actor, id, context.clock.now()).await
}

async fn own(context: &Context, pass: &Pass) -> Result<Vec<Session>, db::Error> {
    if pass.actor.identity != Identity::User {
        return Ok(Vec::new());
    }
    let now = context.clock.now();
    accounts::sessions_of(&context.store, &pass.actor.name, pass.session(), now).await
}

#[derive(Template)]
#[template(path = "sessions.html")]
struct SessionsPage {
    page: Page,
    sessions: Vec<Session>,
}

async fn show(console: Console, pass: Pass) -> Result<Response, Failure> {
    let sessions = own(&console.context, &pass).await?;
    let page = console.page(console.lang.t("Sesiones propias", "Your sessions"));
    html(StatusCode::OK, &SessionsPage { page, sessions })
}

/// The form of one session names it; the other one ends them all, this one too.
async fn end(console: Console, fields: Fields) -> Result<Response, Failure> {
    let id = Some(fields.get("id")).filter(|id| !id.is_empty());
    finish(&console.context, &console.actor, id).await?;
    Ok(Done::SignedOut.lead_to("/sesiones"))
}
