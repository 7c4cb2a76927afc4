//! The pages people look at. They read; what people change goes through the contract's routes.

mod limits;
mod nodes;
mod olts;
mod overview;
mod plan;
mod runs;
mod templates;

use askama::Template;
use axum::response::{Html, IntoResponse as _, Response};
use db::{Error, Tx};
use host::Failure;
use serde_json::Value as Json;
use utoipa_axum::router::OpenApiRouter;
use web::routing::get;
use web::{Page, Problem};

use super::Desk;
use crate::{
    Context,
    model::{NodeId, OltId},
    pages::{
        Names,
        overview::EventLine,
        words::{self, Sign},
    },
    store::{self, journal::Kept},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .route("/coordinador", get(overview::show))
        .route("/coordinador/plan", get(plan::show))
        .route("/coordinador/nodos", get(nodes::list))
        .route("/coordinador/nodos/{id}", get(nodes::one))
        .route("/coordinador/olts", get(olts::list))
        .route("/coordinador/olts/{id}", get(olts::one))
        .route("/coordinador/plantillas", get(templates::list))
        .route("/coordinador/plantillas/nueva", get(templates::new))
        .route("/coordinador/plantillas/{id}", get(templates::one))
        .route("/coordinador/limites", get(limits::show))
        .route("/coordinador/ejecuciones", get(runs::list))
        .route("/coordinador/ejecuciones/{id}", get(runs::one))
}

/// What everything is called.
async fn names(tx: &mut Tx) -> Result<Names, Error> {
    let olts = store::olts::all(tx).await?;
    let nodes = store::nodes::all(tx).await?;
    Ok(Names::of(&olts, &nodes))
}

/// What these are called, and the OLTs they are on.
async fn names_of(
    tx: &mut Tx,
    nodes: Vec<NodeId>,
    olts: impl Iterator<Item = OltId>,
) -> Result<Names, Error> {
    let nodes = store::nodes::of(tx, nodes.into_iter()).await?;
    let olts = nodes.iter().map(|node| node.olt).chain(olts).collect();
    Ok(Names::of(&store::olts::of(tx, olts).await?, &nodes))
}

fn event(page: &Page, names: &Names, kept: &Kept) -> EventLine {
    let about = match (kept.node, kept.olt) {
        (Some(node), _) => Some((format!("/coordinador/nodos/{node}"), names.node(node))),
        (None, Some(olt)) => Some((format!("/coordinador/olts/{olt}"), names.olt(olt))),
        (None, None) => None,
    };
    EventLine {
        id: kept.id,
        at: kept.at,
        sign: Sign::new(words::event(page, &kept.kind), words::level(kept.level)),
        about,
        note: note(page, kept),
    }
}

/// The numbers of an event that people ask for.
fn note(page: &Page, kept: &Kept) -> String {
    let known = [
        ("movidos", page.t("movidos", "moved")),
        ("desborde", page.t("no caben", "do not fit")),
        ("usados", page.t("usados", "used")),
        ("maximo", page.t("máximo", "at most")),
        ("fallos", page.t("fallos", "failures")),
        ("perdidas", page.t("perdidas", "lost")),
        ("segundos", page.t("segundos", "seconds")),
        ("motivo", page.t("motivo", "reason")),
    ];
    let reason = kept.reason.as_deref().and_then(|word| words::reason(page, word));
    let mut parts: Vec<String> = reason.into_iter().collect();
    parts.extend(known.iter().filter_map(|(key, word)| match &kept.data[*key] {
        Json::Number(number) => Some(format!("{word}: {number}")),
        Json::String(text) => Some(format!("{word}: {text}")),
        _ => None,
    }));
    parts.join(" · ")
}

fn render(desk: &Desk, page: &impl Template) -> Result<Response, Failure> {
    match page.render() {
        Ok(html) => Ok(Html(html).into_response()),
        Err(error) => {
            tracing::error!(%error, "a page could not be rendered");
            Err(Problem::internal(desk.lang).into())
        }
    }
}
