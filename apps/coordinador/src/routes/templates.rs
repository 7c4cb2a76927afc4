//! Templates and the OLTs they are pushed to.

use std::collections::HashSet;

use axum::{
    http::{HeaderMap, StatusCode},
    response::Response,
};
use host::{Failure, Listed, Span, edit, tagged};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Lang, Path, Query};

use super::{Desk, plan::FitView};
use crate::{
    Context,
    decisions::templates::{Templates, view},
    model::{JobType, TemplateId},
    policy::Action,
    rules::feasibility::{self, Demand},
    store::{nodes, olts, policy, templates},
    wire::{TemplateRequest, TemplateView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(one, update, remove))
        .routes(routes!(forecast))
}

/// Templates of nodes, with the OLTs they go to.
#[utoipa::path(get, path = "/api/coordinador/plantillas", tag = "coordinador", params(Span),
    responses((status = 200, body = Listed<TemplateView>)))]
async fn list(
    desk: Desk,
    Query(span): Query<Span>,
) -> Result<axum::Json<Listed<TemplateView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let mut views = Vec::new();
    for template in templates::all(&mut tx).await? {
        views.push(view(&mut tx, &template).await?);
    }
    views.sort_by_key(|view| view.id);
    Ok(axum::Json(span.of(views, |view| view.id)))
}

/// Makes a template and pushes it to its OLTs.
#[utoipa::path(post, path = "/api/coordinador/plantillas", request_body = TemplateRequest,
    tag = "coordinador",
    responses((status = 201, body = TemplateView)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<TemplateRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let mut view = edit::create::<Templates>(&desk, &request).await?;
    view.avisos = warnings(&desk, &view).await?;
    Ok(tagged(StatusCode::CREATED, view.version, view))
}

/// One template; its version is the `ETag`.
#[utoipa::path(get, path = "/api/coordinador/plantillas/{id}", params(("id" = i64, Path)),
    tag = "coordinador",
    responses((status = 200, body = TemplateView)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let view = edit::one::<Templates>(&desk, id).await?;
    Ok(tagged(StatusCode::OK, view.version, view))
}

/// Changes the fields that are named and pushes them; what a person changed on an OLT stays.
#[utoipa::path(put, path = "/api/coordinador/plantillas/{id}", request_body = TemplateRequest,
    tag = "coordinador", params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = TemplateView)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    web::Json(change): web::Json<Map<String, Json>>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let mut view = edit::update::<Templates>(&desk, id, &headers, change).await?;
    view.avisos = warnings(&desk, &view).await?;
    Ok(tagged(StatusCode::OK, view.version, view))
}

/// What somebody who saved this should know: that more is asked for now than can start, and where
/// the catalogue has no OID.
async fn warnings(desk: &Desk, saved: &TemplateView) -> Result<Vec<String>, Failure> {
    let mut tx = desk.context.store.read().await?;
    let policy = policy::load(&desk.context, &mut tx).await?;
    let fit = feasibility::forecast(nodes::demands(&mut tx, None).await?, &policy.limits);
    let bare = nodes::of_template(&mut tx, TemplateId(saved.id)).await?;
    let bare = bare.iter().filter(|node| node.oid.is_none()).count();
    let mut told = Vec::new();
    let mut above = |fits: bool, demand: f64, capacity: f64, es: &str, en: &str| {
        if !fits {
            told.push(match desk.lang {
                Lang::Es => format!(
                    "Se piden {demand:.0} ejecuciones{es} por hora y entran {capacity:.0}: el \
                     atraso crece sin fin."
                ),
                Lang::En => format!(
                    "{demand:.0} runs{en} per hour are asked for and {capacity:.0} can start: \
                     lateness grows without end."
                ),
            });
        }
    };
    above(fit.fits(), fit.demand, fit.capacity, "", "");
    let (short, room) = (fit.short_demand, fit.short_capacity);
    above(fit.short_fits(), short, room, " de intervalo corto", " of short interval");
    if bare > 0 {
        told.push(match desk.lang {
            Lang::Es => {
                format!("{bare} nodos quedan sin OID: el catálogo no tiene uno para su OLT.")
            }
            Lang::En => format!("{bare} nodes are left without an OID: the catalogue has none."),
        });
    }
    Ok(told)
}

/// Deletes a template and the nodes that were made from it.
#[utoipa::path(delete, path = "/api/coordinador/plantillas/{id}", tag = "coordinador",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 204)))]
async fn remove(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
) -> Result<StatusCode, Failure> {
    desk.require(Action::Edit)?;
    edit::remove_version::<Templates>(&desk, id, &headers, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PlantillaFactibilidad)]
struct ForecastView {
    antes: FitView,
    despues: FitView,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Standing {
    /// The template that it would take the place of.
    id: Option<i64>,
}

/// What a template would add to the load if it were pushed as given. Nothing is changed.
#[utoipa::path(post, path = "/api/coordinador/plantillas/factibilidad",
    request_body = TemplateRequest, tag = "coordinador", params(Standing),
    responses((status = 200, body = ForecastView)))]
async fn forecast(
    desk: Desk,
    Query(standing): Query<Standing>,
    web::Json(request): web::Json<TemplateRequest>,
) -> Result<axum::Json<ForecastView>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let (wanted, olts) = request.typed(desk.lang, &olts::all(&mut tx).await?)?;
    let policy = policy::load(&desk.context, &mut tx).await?;
    let present = nodes::demands(&mut tx, None).await?;
    let others = nodes::demands(&mut tx, standing.id.map(TemplateId)).await?;
    let (mut added, mut gets) = (Vec::new(), HashSet::new());
    for node in wanted.nodes.iter().filter(|node| node.enabled && node.master.is_none()) {
        let members = wanted.nodes.iter().filter(|other| {
            other.enabled && other.master.as_ref().is_some_and(|(key, _)| *key == node.key)
        });
        let chained = u32::try_from(members.count()).unwrap_or(u32::MAX);
        let masters = u32::try_from(olts.len()).unwrap_or(u32::MAX);
        // Made at one instant, gets of one OLT and interval start together.
        let joins = node.job == JobType::Get && !gets.insert(node.interval.seconds());
        added.push(Demand {
            interval: node.interval,
            masters,
            chained: chained.saturating_mul(masters),
            joining: if joins { masters } else { 0 },
        });
    }
    let before = feasibility::forecast(present, &policy.limits);
    let (_, after) = feasibility::what_if(&others, &added, &policy.limits);
    Ok(axum::Json(ForecastView { antes: FitView::new(&before), despues: FitView::new(&after) }))
}
