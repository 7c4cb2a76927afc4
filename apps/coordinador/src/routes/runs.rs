//! Runs: what ran, what runs, stopping one; and what was decided about nodes.

use engine::Word as _;
use host::{Failure, Listed};
use jiff::Timestamp;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Path, Query};

use super::{Desk, named};
use crate::{
    Context,
    decisions::runs::{abort, missing},
    model::{NodeId, OltId, RunId},
    policy::Action,
    store::{
        journal::{self, Kind},
        runs::{self, Filter},
    },
    wire::{EventView, RunView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(one))
        .routes(routes!(stop))
        .routes(routes!(events))
}

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    pub(crate) nodo_id: Option<i64>,
    pub(crate) olt_id: Option<i64>,
    /// `PENDING`, `RUNNING`, `SUCCESS`, `FAILED` or `INTERRUPTED`.
    pub(crate) status: Option<String>,
    pub(crate) job_type: Option<String>,
    /// Started (or asked for) since this instant.
    pub(crate) desde: Option<Timestamp>,
    #[param(minimum = 1, maximum = 1000)]
    pub(crate) limit: Option<i64>,
    pub(crate) cursor: Option<i64>,
}

impl Asked {
    pub(crate) fn limit(&self) -> usize {
        self.limit.unwrap_or(100).clamp(1, 1000) as usize
    }

    /// Words that name no state or type are told, not taken for none.
    pub(crate) fn filter(&self, desk: &Desk) -> Result<Filter, Failure> {
        Ok(Filter {
            node: self.nodo_id.map(NodeId),
            olt: self.olt_id.map(OltId),
            state: named(desk, self.status.as_deref(), "ESTADO_DESCONOCIDO")?,
            job: named(desk, self.job_type.as_deref(), "TIPO_DESCONOCIDO")?,
            since: self.desde,
            before: self.cursor.map(RunId),
        })
    }
}

/// Runs, the newest first.
#[utoipa::path(get, path = "/api/coordinador/ejecuciones", tag = "coordinador", params(Asked),
    responses((status = 200, body = Listed<RunView>)))]
async fn list(
    desk: Desk,
    Query(asked): Query<Asked>,
) -> Result<axum::Json<Listed<RunView>>, Failure> {
    desk.require(Action::Read)?;
    let (filter, limit) = (asked.filter(&desk)?, asked.limit());
    let mut tx = desk.context.store.read().await?;
    let found = runs::list(&mut tx, &filter, limit as i64 + 1).await?;
    let views = found.iter().map(|told| RunView::new(told, desk.lang)).collect();
    Ok(axum::Json(Listed::page(views, limit, |view| view.id)))
}

/// One run.
#[utoipa::path(get, path = "/api/coordinador/ejecuciones/{id}", params(("id" = i64, Path)),
    tag = "coordinador",
    responses((status = 200, body = RunView)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<axum::Json<RunView>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let told = runs::one(&mut tx, RunId(id)).await?.ok_or_else(|| missing(desk.lang))?;
    Ok(axum::Json(RunView::new(&told, desk.lang)))
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = EjecucionAborto)]
struct AbortRequest {
    motivo: Option<String>,
}

/// Stops a run: not one more packet leaves for it, and nothing it read is kept.
#[utoipa::path(post, path = "/api/coordinador/ejecuciones/{id}/abortar",
    params(("id" = i64, Path)), request_body = Option<AbortRequest>, tag = "coordinador",
    responses((status = 200, body = RunView)))]
async fn stop(
    desk: Desk,
    Path(id): Path<i64>,
    body: Option<web::Json<AbortRequest>>,
) -> Result<axum::Json<RunView>, Failure> {
    desk.require(Action::Operate)?;
    let mut check = host::check::Check::new(desk.lang);
    let reason = body.and_then(|web::Json(body)| body.motivo);
    let reason = check.text("motivo", reason.as_deref(), 500);
    check.finish()?;
    let id = RunId(id);
    abort(&desk, id, reason).await?;
    let mut tx = desk.context.store.read().await?;
    let told = runs::one(&mut tx, id).await?.ok_or_else(|| missing(desk.lang))?;
    Ok(axum::Json(RunView::new(&told, desk.lang)))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct EventsAsked {
    nodo_id: Option<i64>,
    olt_id: Option<i64>,
    /// Its kind, such as `CUOTA_OMITIDA`.
    tipo: Option<String>,
    /// `DEBUG`, `INFO`, `WARNING` or `ALERT`.
    nivel: Option<String>,
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    cursor: Option<i64>,
}

/// What was decided about nodes and why, the newest first.
#[utoipa::path(get, path = "/api/coordinador/eventos", tag = "coordinador",
    params(EventsAsked),
    responses((status = 200, body = Listed<EventView>)))]
async fn events(
    desk: Desk,
    Query(asked): Query<EventsAsked>,
) -> Result<axum::Json<Listed<EventView>>, Failure> {
    desk.require(Action::Read)?;
    let filter = journal::Filter {
        node: asked.nodo_id.map(NodeId),
        olt: asked.olt_id.map(OltId),
        kind: named::<Kind>(&desk, asked.tipo.as_deref(), "EVENTO_DESCONOCIDO")?
            .map(|kind| kind.word().to_owned()),
        level: named(&desk, asked.nivel.as_deref(), "NIVEL_DESCONOCIDO")?,
        before: asked.cursor,
    };
    let limit = asked.limit.unwrap_or(100).clamp(1, 1000) as usize;
    let mut tx = desk.context.store.read().await?;
    let found = journal::list(&mut tx, &filter, limit as i64 + 1).await?;
    let views = found.into_iter().map(EventView::new).collect();
    Ok(axum::Json(Listed::page(views, limit, |view| view.id)))
}
