//! How good the machine is, and what other thresholds would do.

use axum::{
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use engine::Roles as _;
use host::{Console, Failure};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use web::Query;
use web::routes;
use web::routing::get;

use super::{Desk, screens::render};
use crate::{
    Context,
    pages::{QualityPage, quality::Set},
    policy::Action,
    rules::{
        quality::Quality,
        thresholds::{self, Confidences, Point},
        workflow::Promotion,
    },
    store::{
        golden, layouts, policy, quality,
        second::{self, Seconded},
        workflows as versions,
    },
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(read)).route("/docproc/calidad", get(page))
}

/// Vendors on the page; the API has all of them.
const SHOWN: i64 = 200;
/// How far back to look unless told.
const DAYS: u32 = 30;

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    /// Only this workflow.
    workflow: Option<String>,
    /// How many days to look back; 30 unless told.
    #[param(minimum = 1, maximum = 365)]
    days: Option<u32>,
    /// The threshold of types to look at; the house's unless told.
    #[param(minimum = 0, maximum = 1)]
    classification: Option<f64>,
    /// The threshold of fields to look at; the house's unless told.
    #[param(minimum = 0, maximum = 1)]
    extraction: Option<f64>,
}

/// What was asked, with what was left open filled in.
struct Looked {
    quality: Quality,
    days: u32,
    workflow: Option<String>,
    classification: f64,
    extraction: f64,
    second: Seconded,
}

async fn look(desk: &Desk, asked: Asked) -> Result<Looked, Failure> {
    desk.require(Action::ReadContent)?;
    // A page that is asked for what is no share shows the house's.
    let share = |asked: Option<f64>| asked.filter(|value| (0.0..=1.0).contains(value));
    let days = asked.days.unwrap_or(DAYS).clamp(1, 365);
    let span = SignedDuration::from_hours(i64::from(days) * 24);
    let since = desk.now.saturating_sub(span).unwrap_or(Timestamp::MIN);
    let workflow = asked.workflow.filter(|name| !name.is_empty());
    let mut tx = desk.context.store.read().await?;
    let house = policy::load(&desk.context.settings, &mut tx).await?.thresholds;
    Ok(Looked {
        quality: quality::load(&mut tx, since, workflow.as_deref()).await?,
        days,
        workflow,
        classification: share(asked.classification).unwrap_or(house.classification),
        extraction: share(asked.extraction).unwrap_or(house.extraction),
        second: second::load(&mut tx, since).await?,
    })
}

/// Straight-through rates by type and field, what people changed, and what other thresholds would
/// send to people, at what error.
#[utoipa::path(get, path = "/api/docproc/quality", params(Asked), tag = "docproc",
    responses((status = 200, body = Object)))]
async fn read(desk: Desk, Query(asked): Query<Asked>) -> Result<Response, Failure> {
    let Looked { quality, days, workflow, classification, extraction, second } =
        look(&desk, asked).await?;
    let share = |part: i64, whole: i64| (whole > 0).then(|| part as f64 / whole as f64);
    let types = quality.types.iter().map(|one| {
        json!({ "doc_type": one.doc_type, "documents": one.documents, "straight": one.straight,
                "straight_share": share(one.straight, one.documents) })
    });
    let fields = quality.fields.iter().map(|one| {
        json!({ "doc_type": one.doc_type, "field": one.field, "documents": one.documents,
                "straight": one.straight, "straight_share": share(one.straight, one.documents),
                "answered": one.answered, "changed": one.changed })
    });
    let body = json!({
        "days": days, "workflow": workflow,
        "types": types.collect::<Vec<_>>(), "fields": fields.collect::<Vec<_>>(),
        "classification": simulated(&quality.pages, classification),
        "extraction": simulated(&quality.documents, extraction),
        "second_reader": second,
    });
    Ok(axum::Json(body).into_response())
}

fn simulated(confidences: &Confidences, threshold: f64) -> Json {
    let curve: Vec<Json> = thresholds::curve(confidences).iter().map(point).collect();
    json!({ "at": point(&thresholds::at(confidences, threshold)), "curve": curve,
            "known": confidences.known.len() })
}

fn point(one: &Point) -> Json {
    json!({ "threshold": one.threshold, "asked": one.asked, "all": one.all,
            "asked_share": one.asked_share(), "accepted": one.accepted, "wrong": one.wrong,
            "error": one.error() })
}

async fn page(
    desk: Desk,
    console: Console,
    Query(asked): Query<Asked>,
) -> Result<Response, Failure> {
    let Looked { quality, days, workflow, classification, extraction, second } =
        look(&desk, asked).await?;
    let active = desk.context.runtime.workflows.active();
    let mut tx = desk.context.store.read().await?;
    let tally = golden::tally(&mut tx).await?;
    let mut sets = Vec::new();
    for (name, flow) in &active {
        let counted = tally.iter().find(|(of, ..)| of == name);
        let waiting = versions::waiting(&mut tx, name).await?;
        sets.push(Set {
            workflow: name.clone(),
            cases: counted.map_or(0, |(_, cases, _)| *cases),
            off: counted.map_or(0, |(_, _, off)| *off),
            required: flow.promotion == Promotion::Required,
            waiting: waiting.map(|one| (one.id, one.loaded_at)),
        });
    }
    let vendors = layouts::list(&mut tx, SHOWN).await?;
    let view = QualityPage {
        page: console.page(console.lang.t("Calidad", "Quality")),
        workflows: active.into_keys().collect(),
        quality,
        days,
        workflow: workflow.unwrap_or_default(),
        classification,
        extraction,
        sets,
        vendors,
        may_forget: desk.role.can(Action::Judge),
        second,
    };
    render(&desk, StatusCode::OK, &view)
}
