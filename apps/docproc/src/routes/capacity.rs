//! How many hands and people a load needs, from what this installation measured.

use std::{collections::BTreeMap, time::Duration};

use axum::response::{IntoResponse as _, Response};
use host::{Context, Failure};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Problem, Query};

use super::Desk;
use crate::{
    model::Component,
    policy::Action,
    room::room,
    rules::capacity::{self, Answer, Forecast, Load, Spread},
    store::figures::{self, Took},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(plan))
}

/// A person is not asked to be busy all the time.
const MOST_BUSY: f64 = 0.8;
/// What a task takes a person until some were measured.
const TASK_SECONDS: f64 = 45.0;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    #[param(minimum = 0, maximum = 10_000_000)]
    requests_per_hour: f64,
    /// Pages of a request.
    #[param(minimum = 1, maximum = 5000)]
    pages: f64,
    /// Documents of a request; one unless told.
    #[param(minimum = 1, maximum = 5000)]
    documents: Option<f64>,
    /// Nineteen of twenty requests are to be answered within this.
    #[param(minimum = 0.01, maximum = 31_536_000)]
    max_seconds: f64,
    /// Seconds per page; measured unless told.
    #[param(minimum = 0, maximum = 3600)]
    page_seconds: Option<f64>,
}

#[derive(Debug, Serialize, ToSchema)]
struct Plan {
    /// Whether any number of hands keeps the promise.
    possible: bool,
    /// The fewest that do.
    hands: Option<u32>,
    busy: Option<f64>,
    mean_seconds: Option<f64>,
    p95_seconds: Option<f64>,
    waiting_seconds: Option<f64>,
    /// What a request takes when no other is there.
    alone_seconds: f64,
    /// The same load on the hands of this process.
    here: Here,
    people: People,
    /// What the plan stands on.
    measured: Vec<Measured>,
}

#[derive(Debug, Serialize, ToSchema)]
struct Here {
    hands: u32,
    busy: f64,
    /// Absent when they cannot keep up.
    p95_seconds: Option<f64>,
}

#[derive(Debug, Serialize, ToSchema)]
struct People {
    /// Tasks for people per request, lately.
    tasks_per_request: f64,
    tasks_per_hour: f64,
    seconds_each: f64,
    operators: u32,
}

#[derive(Debug, Serialize, ToSchema)]
struct Measured {
    component: String,
    messages: i64,
    mean_seconds: f64,
    variation: f64,
}

/// How many hands and people a load needs.
#[utoipa::path(get, path = "/api/docproc/capacity", params(Asked), tag = "docproc",
    responses((status = 200, body = Plan), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 409, body = Problem),
              (status = 503, body = Problem)))]
async fn plan(desk: Desk, Query(asked): Query<Asked>) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    within(&desk, "requests_per_hour", asked.requests_per_hour, 0.0..=1e7)?;
    within(&desk, "pages", asked.pages, 1.0..=5000.0)?;
    let documents = asked.documents.unwrap_or(1.0);
    within(&desk, "documents", documents, 1.0..=5000.0)?;
    within(&desk, "max_seconds", asked.max_seconds, 0.01..=31_536_000.0)?;
    within(&desk, "page_seconds", asked.page_seconds.unwrap_or(0.0), 0.0..=3600.0)?;
    let mut tx = desk.context.store.read().await?;
    let took = figures::took(&mut tx).await?;
    let people = figures::people(&mut tx).await?;
    drop(tx);
    let spread = |component: Component| spread(&took, component);
    let page = match asked.page_seconds {
        Some(seconds) => Spread::new(seconds, 0.25),
        None => pair(spread(Component::Ocr), spread(Component::Classifier)),
    };
    if page.mean <= 0.0 {
        return Err(unmeasured(&desk).into());
    }
    let load = Load {
        requests_per_hour: asked.requests_per_hour,
        pages: asked.pages,
        documents,
        split: spread(Component::Splitter),
        page,
        document: spread(Component::Extractor),
    };
    let limit = Duration::try_from_secs_f64(asked.max_seconds).unwrap_or(Duration::MAX);
    let here = room(&desk.context).place.threads.max(1) as u32;
    let tasks_per_hour = people.per_request * asked.requests_per_hour;
    let seconds_each = people.seconds_each.unwrap_or(TASK_SECONDS);
    let people = People {
        tasks_per_request: people.per_request,
        tasks_per_hour,
        seconds_each,
        operators: capacity::operators(tasks_per_hour, seconds_each, MOST_BUSY),
    };
    let measured = took.into_iter().map(|(component, took)| Measured {
        component,
        messages: took.messages,
        mean_seconds: took.mean,
        variation: took.variation,
    });
    let plan = answered(&load, limit, here, people, measured.collect());
    Ok(axum::Json(plan).into_response())
}

fn answered(
    load: &Load,
    limit: Duration,
    hands_here: u32,
    people: People,
    measured: Vec<Measured>,
) -> Plan {
    let found = capacity::fewest(load, limit);
    let here = capacity::forecast(load, hands_here);
    let finite = |seconds: f64| Some(seconds).filter(|seconds| seconds.is_finite());
    let here = Here { hands: hands_here, busy: here.busy, p95_seconds: finite(here.p95) };
    let enough = |of: fn(&Forecast) -> f64| match &found {
        Answer::Enough(forecast) => finite(of(forecast)),
        Answer::TooSlow { .. } => None,
    };
    Plan {
        possible: matches!(found, Answer::Enough(_)),
        hands: match found {
            Answer::Enough(forecast) => Some(forecast.hands),
            Answer::TooSlow { .. } => None,
        },
        busy: enough(|one| one.busy),
        mean_seconds: enough(|one| one.mean),
        p95_seconds: enough(|one| one.p95),
        waiting_seconds: enough(|one| one.waiting),
        alone_seconds: match found {
            Answer::Enough(forecast) => forecast.mean - forecast.waiting,
            Answer::TooSlow { alone } => alone,
        },
        here,
        people,
        measured,
    }
}

fn spread(took: &BTreeMap<String, Took>, component: Component) -> Spread {
    took.get(component.word())
        .map_or(Spread::new(0.0, 0.0), |one| Spread::new(one.mean, one.variation))
}

/// Two pieces of work one after the other.
fn pair(one: Spread, two: Spread) -> Spread {
    let mean = one.mean + two.mean;
    let variance = one.variation * one.mean * one.mean + two.variation * two.mean * two.mean;
    Spread::new(mean, if mean > 0.0 { variance / (mean * mean) } else { 0.0 })
}

fn within(
    desk: &Desk,
    name: &str,
    value: f64,
    bounds: std::ops::RangeInclusive<f64>,
) -> Result<(), Problem> {
    if bounds.contains(&value) {
        return Ok(());
    }
    let detail = format!("{name}: {} … {}", bounds.start(), bounds.end());
    Err(Problem::bad_request("FUERA_DE_RANGO").lang(desk.lang).detail(detail))
}

fn unmeasured(desk: &Desk) -> Problem {
    Problem::conflict("SIN_MEDIDAS")
        .lang(desk.lang)
        .detail(desk.lang.t(
            "Todavía no se ha leído ninguna página de la que tomar tiempos.",
            "No page has been read yet to take times from.",
        ))
        .hint("page_seconds=1.5")
}
