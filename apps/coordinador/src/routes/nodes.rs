//! Nodes, running one now, and why one waits.

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use host::{
    Failure, Listed, Span,
    edit::{self, Editable as _},
    tagged,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Path, Query};

use super::{Desk, named};
use crate::{
    Context,
    decisions::{
        catalogue::filled,
        nodes::{self as decide, Nodes},
    },
    model::{Node, NodeId, OltId, Switch},
    policy::Action,
    rules::why,
    store::{nodes, runs, world},
    wire::{NodeRequest, NodeView, RunView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(one, update, remove))
        .routes(routes!(run_now))
        .routes(routes!(pause))
        .routes(routes!(reasons))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Asked {
    olt_id: Option<i64>,
    job_type: Option<String>,
    enabled: Option<bool>,
    /// Part of the name or the key.
    buscar: Option<String>,
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    cursor: Option<i64>,
}

/// Nodes, by id.
#[utoipa::path(get, path = "/api/coordinador/nodos", tag = "coordinador", params(Asked),
    responses((status = 200, body = Listed<NodeView>)))]
async fn list(
    desk: Desk,
    Query(asked): Query<Asked>,
) -> Result<axum::Json<Listed<NodeView>>, Failure> {
    desk.require(Action::Read)?;
    let span = Span { limit: asked.limit, cursor: asked.cursor };
    let filter = nodes::Filter {
        olt: asked.olt_id.map(OltId),
        job: named(&desk, asked.job_type.as_deref(), "TIPO_DESCONOCIDO")?,
        on: asked.enabled,
        part: asked.buscar.filter(|part| !part.is_empty()),
        after: asked.cursor.map(NodeId),
    };
    let mut tx = desk.context.store.read().await?;
    let found = nodes::list(&mut tx, &filter, span.limit() as i64 + 1).await?;
    let found = filled(&mut tx, found).await?;
    let views = found.iter().map(NodeView::new).collect();
    Ok(axum::Json(Listed::page(views, span.limit(), |view| view.id)))
}

/// Adds a node to an OLT.
#[utoipa::path(post, path = "/api/coordinador/nodos", request_body = NodeRequest,
    tag = "coordinador",
    responses((status = 201, body = NodeView)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<NodeRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let view = edit::create::<Nodes>(&desk, &request).await?;
    Ok(tagged(StatusCode::CREATED, view.version, view))
}

async fn find(desk: &Desk, id: i64) -> Result<Node, Failure> {
    let mut tx = desk.context.store.read().await?;
    let node = nodes::find(&mut tx, NodeId(id)).await?;
    Ok(node.ok_or_else(|| Nodes::missing(desk))?)
}

/// One node; its version is the `ETag`.
#[utoipa::path(get, path = "/api/coordinador/nodos/{id}", params(("id" = i64, Path)),
    tag = "coordinador",
    responses((status = 200, body = NodeView)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let view = edit::one::<Nodes>(&desk, id).await?;
    Ok(tagged(StatusCode::OK, view.version, view))
}

/// Changes the fields that are named. The planned run stays; another interval counts from it.
#[utoipa::path(put, path = "/api/coordinador/nodos/{id}", request_body = NodeRequest,
    tag = "coordinador", params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = NodeView)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    web::Json(change): web::Json<Map<String, Json>>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let view = edit::update::<Nodes>(&desk, id, &headers, change).await?;
    Ok(tagged(StatusCode::OK, view.version, view))
}

/// Deletes a node and the chain that follows it.
#[utoipa::path(delete, path = "/api/coordinador/nodos/{id}", tag = "coordinador",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 204)))]
async fn remove(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
) -> Result<StatusCode, Failure> {
    desk.require(Action::Edit)?;
    edit::remove_version::<Nodes>(&desk, id, &headers, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Runs it as soon as it is its turn, whatever its grid says; not counted for its quota.
#[utoipa::path(post, path = "/api/coordinador/nodos/{id}/ejecutar", params(("id" = i64, Path)),
    tag = "coordinador",
    responses((status = 202, body = RunView)))]
async fn run_now(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Operate)?;
    let run = decide::run_now(&desk, NodeId(id)).await?;
    let mut tx = desk.context.store.read().await?;
    let told = runs::one(&mut tx, run).await?.ok_or_else(|| Nodes::missing(&desk))?;
    Ok((StatusCode::ACCEPTED, axum::Json(RunView::new(&told, desk.lang))).into_response())
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NodoPausa)]
struct PauseRequest {
    /// False resumes; true, the default, pauses.
    pausado: Option<bool>,
}

/// Pauses a node or lets it go on, on its old grid; slots that went by are not caught up.
#[utoipa::path(post, path = "/api/coordinador/nodos/{id}/pausar", params(("id" = i64, Path)),
    request_body = Option<PauseRequest>, tag = "coordinador",
    responses((status = 200, body = NodeView)))]
async fn pause(
    desk: Desk,
    Path(id): Path<i64>,
    body: Option<web::Json<PauseRequest>>,
) -> Result<Response, Failure> {
    desk.require(Action::Operate)?;
    let wanted = body.and_then(|web::Json(body)| body.pausado).unwrap_or(true);
    let switch = if wanted { Switch::Paused } else { Switch::On };
    let view = decide::pause(&desk, id, switch).await?;
    Ok(tagged(StatusCode::OK, view.version, view))
}

/// One condition that keeps a node from running.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NodoMotivo)]
pub(crate) struct BecauseView {
    pub(crate) code: &'static str,
    pub(crate) detail: String,
    /// When it stops holding by itself.
    pub(crate) until: Option<Timestamp>,
    #[schema(value_type = serde_json::Value)]
    pub(crate) data: Json,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NodoPorQue)]
pub(crate) struct WhyView {
    pub(crate) nodo_id: i64,
    /// Whether the dispatcher would start it now.
    pub(crate) ready: bool,
    /// When it runs next, as far as is known.
    pub(crate) next_run_at: Option<Timestamp>,
    /// In the order in which they are checked.
    pub(crate) reasons: Vec<BecauseView>,
}

/// Every condition that keeps a node from running now, in order.
#[utoipa::path(get, path = "/api/coordinador/nodos/{id}/why", params(("id" = i64, Path)),
    tag = "coordinador",
    responses((status = 200, body = WhyView)))]
async fn reasons(desk: Desk, Path(id): Path<i64>) -> Result<axum::Json<WhyView>, Failure> {
    desk.require(Action::Read)?;
    let node = find(&desk, id).await?;
    Ok(axum::Json(explain(&desk, &node).await?))
}

pub(crate) async fn explain(desk: &Desk, node: &Node) -> Result<WhyView, Failure> {
    let mut tx = desk.context.store.read().await?;
    let mut world = world::load(&desk.context, &mut tx, desk.now).await?;
    world::with_site(&mut tx, &mut world, node.olt).await?;
    let active = world::template_active(&mut tx, node.id).await?;
    let one = std::iter::once(node.id);
    let recent = world::recent_starts(&mut tx, one, desk.now).await?.remove(&node.id);
    let answer = why::node(&world, node, active, recent.unwrap_or_default(), desk.now);
    let zone = &desk.context.zone;
    let reasons = answer.reasons.iter().map(|reason| BecauseView {
        code: reason.code(),
        detail: desk.lang.say(&reason.sentence(zone)).to_owned(),
        until: reason.until(),
        data: reason.data(),
    });
    Ok(WhyView {
        nodo_id: node.id.0,
        ready: answer.ready,
        next_run_at: answer.next_at(node.role.next_run_at()),
        reasons: reasons.collect(),
    })
}
