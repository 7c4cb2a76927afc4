//! How many workers and people a load needs, from what this installation measured.

use std::{collections::BTreeMap, time::Duration};

use axum::{
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use engine::Word as _;
use host::{Console, Failure};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::routing::get;
use web::{Problem, Query};

use super::{Desk, screens::render};
use crate::{
    Context,
    model::Component,
    pages::CapacityPage,
    policy::Action,
    rules::capacity::{self, Answer, Forecast, Load, Spread},
    store::{
        figures::{self, Took},
        workers::{self, WorkerProcess},
    },
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(plan)).route("/docproc/capacidad", get(page))
}

/// A person is not asked to be busy all the time.
const MOST_BUSY: f64 = 0.8;
/// What a task takes a person until some were measured.
const TASK_SECONDS: f64 = 45.0;
/// Workers that are busy for a larger share of their time keep requests waiting.
const BUSY_ENOUGH: f64 = 0.7;

/// Nothing takes less than a microsecond; what is nearer to zero than that would only overflow what
/// is divided by it.
const LEAST: f64 = 0.000_001;

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
    #[param(minimum = 0.000_001, maximum = 3600)]
    page_seconds: Option<f64>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Plan {
    /// Whether any number of workers keeps the promise.
    pub(crate) possible: bool,
    /// The fewest that do.
    pub(crate) hands: Option<u32>,
    pub(crate) busy: Option<f64>,
    pub(crate) mean_seconds: Option<f64>,
    pub(crate) p95_seconds: Option<f64>,
    pub(crate) waiting_seconds: Option<f64>,
    /// What a request takes when no other is there.
    pub(crate) alone_seconds: f64,
    /// The same load on the workers of this process.
    pub(crate) here: Here,
    pub(crate) people: People,
    /// Hands by component, for processes that do one each.
    pub(crate) components: Vec<Part>,
    /// What the plan stands on.
    pub(crate) measured: Vec<Measured>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Part {
    pub(crate) component: String,
    /// Pieces of work in a second.
    pub(crate) per_second: f64,
    pub(crate) mean_seconds: f64,
    /// Hands busy with it on the mean.
    pub(crate) busy: f64,
    /// Hands that do it now.
    pub(crate) hands: i64,
    /// Of their time, the share that this load takes.
    pub(crate) utilisation: Option<f64>,
    /// So many are busy at most seven tenths of their time.
    pub(crate) needed: u32,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Here {
    pub(crate) hands: u32,
    pub(crate) busy: f64,
    /// Absent when they cannot keep up.
    pub(crate) p95_seconds: Option<f64>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct People {
    /// Tasks for people per request, lately.
    pub(crate) tasks_per_request: f64,
    pub(crate) tasks_per_hour: f64,
    pub(crate) seconds_each: f64,
    pub(crate) operators: u32,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Measured {
    pub(crate) component: String,
    pub(crate) messages: i64,
    pub(crate) mean_seconds: f64,
    pub(crate) variation: f64,
}

/// How many workers and people a load needs.
#[utoipa::path(get, path = "/api/docproc/capacity", params(Asked), tag = "docproc",
    responses((status = 200, body = Plan), (status = 409, body = Problem)))]
async fn plan(desk: Desk, Query(asked): Query<Asked>) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    match reckon(&desk, &asked).await? {
        Some(plan) => Ok(axum::Json(plan).into_response()),
        None => Err(unmeasured(&desk).into()),
    }
}

/// `None`: nothing was measured, and nothing was told.
async fn reckon(desk: &Desk, asked: &Asked) -> Result<Option<Plan>, Failure> {
    let documents = asked.documents.unwrap_or(1.0);
    let mut tx = desk.context.store.read().await?;
    let took = figures::took(&mut tx).await?;
    let people = figures::people(&mut tx).await?;
    let workers = workers::all(&mut tx).await?;
    drop(tx);
    let spread = |component: Component| spread(&took, component);
    let read = match asked.page_seconds {
        Some(seconds) => Spread::new(seconds, 0.25),
        None => spread(Component::Ocr),
    };
    let classify = asked.page_seconds.map_or_else(|| spread(Component::Classifier), |_| NOTHING);
    let page = pair(read, classify);
    if page.mean <= 0.0 {
        return Ok(None);
    }
    let load = Load {
        requests_per_hour: Some(asked.requests_per_hour).filter(|n| *n >= LEAST).unwrap_or(0.0),
        pages: asked.pages,
        documents,
        split: spread(Component::Splitter),
        page,
        document: spread(Component::Extractor),
    };
    let limit = Duration::try_from_secs_f64(asked.max_seconds).unwrap_or(Duration::MAX);
    let here = desk.context.runtime.config.threads.max(1) as u32;
    let tasks_per_hour = people.per_request * asked.requests_per_hour;
    let seconds_each = people.seconds_each.unwrap_or(TASK_SECONDS);
    let people = People {
        tasks_per_request: people.per_request,
        tasks_per_hour,
        seconds_each,
        operators: capacity::operators(tasks_per_hour, seconds_each, MOST_BUSY),
    };
    let parts = [
        (Component::Splitter, 1.0, load.split),
        (Component::Ocr, load.pages, read),
        (Component::Classifier, load.pages, classify),
        (Component::Extractor, documents, load.document),
    ];
    let per_second = asked.requests_per_hour / 3600.0;
    let part = |(component, pieces, each): (Component, f64, Spread)| {
        part(component, per_second * pieces, each, &workers)
    };
    let timed = parts.into_iter().filter(|(_, _, each)| each.mean > 0.0);
    let components = timed.map(part).collect();
    let measured = measured(&took);
    Ok(Some(Plan { components, ..answered(&load, limit, here, people, measured) }))
}

const NOTHING: Spread = Spread::new(0.0, 0.0);

fn measured(took: &BTreeMap<String, Took>) -> Vec<Measured> {
    let one = |(component, took): (&String, &Took)| Measured {
        component: component.clone(),
        messages: took.messages,
        mean_seconds: took.mean,
        variation: took.variation,
    };
    took.iter().map(one).collect()
}

fn part(component: Component, per_second: f64, each: Spread, workers: &[WorkerProcess]) -> Part {
    let (busy, needed) = capacity::workers(per_second, each.mean, BUSY_ENOUGH);
    let does = workers.iter().filter(|worker| worker.takes(component.word()));
    let hands: i64 = does.map(|worker| worker.threads).sum();
    Part {
        component: component.word().to_owned(),
        per_second,
        mean_seconds: each.mean,
        busy,
        hands,
        utilisation: (hands > 0).then(|| busy / hands as f64),
        needed,
    }
}

/// What the page asks with: everything is optional, and nothing is refused.
#[derive(Debug, Default, Deserialize)]
struct Form {
    requests_per_hour: Option<String>,
    pages: Option<String>,
    max_seconds: Option<String>,
    page_seconds: Option<String>,
}

async fn page(desk: Desk, console: Console, Query(form): Query<Form>) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    let number = |text: &Option<String>, usual: f64| {
        let text = text.as_deref().map(|text| text.trim().replace(',', "."));
        text.and_then(|text| text.parse::<f64>().ok()).filter(|n| n.is_finite()).unwrap_or(usual)
    };
    let page_seconds = Some(number(&form.page_seconds, 0.0)).filter(|seconds| *seconds >= LEAST);
    let asked = Asked {
        requests_per_hour: number(&form.requests_per_hour, 600.0).clamp(0.0, 1e7),
        pages: number(&form.pages, 4.0).clamp(1.0, 5000.0),
        documents: None,
        max_seconds: number(&form.max_seconds, 60.0).clamp(0.01, 31_536_000.0),
        page_seconds: page_seconds.map(|seconds| seconds.min(3600.0)),
    };
    let view = CapacityPage {
        page: console.page(console.lang.t("Capacidad", "Capacity")),
        requests_per_hour: asked.requests_per_hour,
        pages: asked.pages,
        max_seconds: asked.max_seconds,
        page_seconds: asked.page_seconds,
        plan: reckon(&desk, &asked).await?,
    };
    render(&desk, StatusCode::OK, &view)
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
        components: Vec::new(),
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

fn unmeasured(desk: &Desk) -> Problem {
    Problem::conflict("SIN_MEDIDAS")
        .lang(desk.lang)
        .detail(desk.lang.t(
            "Todavía no se ha leído ninguna página de la que tomar tiempos.",
            "No page has been read yet to take times from.",
        ))
        .hint("page_seconds=1.5")
}
