//! Commands on a request: cancel it, do it over, try again.

use axum::response::{IntoResponse as _, Response};
use engine::Sentence;
use host::Failure;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Json, Path, Query};

use super::{AtDesk as _, Desk, requests};
use crate::Context;
use crate::{decisions, policy::Action, wire::RequestDetail};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(cancel)).routes(routes!(reprocess)).routes(routes!(replay))
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Cancel {
    #[schema(max_length = 500)]
    reason: Option<String>,
}

/// Ends a request; what was found stays.
#[utoipa::path(post, path = "/api/docproc/requests/{id}/cancel", tag = "docproc",
    params(("id" = String, Path, description = "UUID")), request_body = Option<Cancel>,
    responses((status = 200, body = RequestDetail)))]
async fn cancel(
    desk: Desk,
    Path(id): Path<String>,
    body: Option<Json<Cancel>>,
) -> Result<Response, Failure> {
    desk.require(Action::Steer)?;
    let id = desk.id(&id)?;
    let reason = body.and_then(|Json(body)| body.reason).unwrap_or_default();
    let reason: String = reason.chars().take(500).collect();
    let (name, mark) = (&desk.actor.name, if reason.is_empty() { "" } else { ": " });
    let reason = Sentence::new(
        format!("cancelada por {name}{mark}{reason}"),
        format!("cancelled by {name}{mark}{reason}"),
    );
    let reason = reason.kept();
    let done = decisions::cancel(&desk.context, &desk.by(), &id, &reason).await?;
    answer(&desk, &id, done).await
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct From {
    /// The stage to begin with; the first one unless given.
    from: Option<String>,
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Reprocess {
    /// As in the address.
    from: Option<String>,
    /// Another workflow than before, in the version that is in force.
    workflow: Option<String>,
}

/// Does a request over from a stage on, by its own workflow or by another one.
#[utoipa::path(post, path = "/api/docproc/requests/{id}/reprocess", tag = "docproc",
    params(("id" = String, Path, description = "UUID"), From),
    request_body = Option<Reprocess>,
    responses((status = 200, body = RequestDetail)))]
async fn reprocess(
    desk: Desk,
    Path(id): Path<String>,
    Query(From { from }): Query<From>,
    body: Option<Json<Reprocess>>,
) -> Result<Response, Failure> {
    desk.require(Action::Steer)?;
    let id = desk.id(&id)?;
    let Reprocess { from: stage, workflow } = body.map(|Json(body)| body).unwrap_or_default();
    let over = decisions::Over { stage: from.or(stage), workflow };
    let done = decisions::restart(&desk.context, &desk.by(), &id, &over).await?;
    answer(&desk, &id, done).await
}

/// Tries a failed request again where it failed.
#[utoipa::path(post, path = "/api/docproc/requests/{id}/replay", tag = "docproc",
    params(("id" = String, Path, description = "UUID")),
    responses((status = 200, body = RequestDetail)))]
async fn replay(desk: Desk, Path(id): Path<String>) -> Result<Response, Failure> {
    desk.require(Action::Steer)?;
    let id = desk.id(&id)?;
    let done = decisions::replay(&desk.context, &desk.by(), &id).await?;
    answer(&desk, &id, done).await
}

async fn answer(
    desk: &Desk,
    id: &str,
    done: Result<(), decisions::Refusal>,
) -> Result<Response, Failure> {
    if let Err(refusal) = done {
        return Err(desk.refused(&refusal).into());
    }
    match requests::detail(desk, id).await? {
        Some(detail) => Ok(axum::Json(detail).into_response()),
        None => Err(desk.no_request().into()),
    }
}
