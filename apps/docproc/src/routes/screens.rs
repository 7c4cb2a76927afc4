//! The pages people look at.

use askama::Template;
use axum::{
    http::{HeaderMap, StatusCode, header},
    response::{Html, IntoResponse as _, Response},
};
use engine::{Roles as _, Word as _};
use host::{Console, Failure};
use jiff::{SignedDuration, Timestamp, ToSpan as _, civil::Date, tz::TimeZone};
use serde::Deserialize;
use utoipa_axum::router::OpenApiRouter;
use web::routing::get;
use web::{Path, Problem, Query};

use super::{AtDesk as _, Desk, requests};
use crate::{
    Context,
    model::{Component, Status},
    pages::{
        NoRequestPage, OverviewPage, RequestPage, RequestsPage, UploadPage,
        overview::Dead,
        requests::{Line, May, Narrowed},
        upload::Choice,
    },
    policy::Action,
    store::{self, figures, measures, outbox, policy, queue, reviews, workers},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .route("/docproc", get(overview))
        .route("/docproc/subir", get(upload))
        .route("/docproc/solicitudes", get(list))
        .route("/docproc/solicitudes/{id}", get(one))
}

/// What "lately" means for the load of a stage.
const LATELY: SignedDuration = SignedDuration::from_mins(15);
const MINUTES: usize = 30;
/// Letters of others that are shown; the rest is in the API.
const FOREIGN: i64 = 20;

async fn overview(desk: Desk, console: Console, headers: HeaderMap) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    let page = console.page(console.lang.t("Documentos", "Documents"));
    let runtime = desk.context.runtime.clone();
    let today = midnight(desk.now, &page.zone);
    let lately = desk.now.saturating_sub(LATELY).unwrap_or(Timestamp::MIN);
    let mut tx = desk.context.store.read().await?;
    let dead = queue::dead_by_error(&mut tx).await?;
    let dead =
        dead.into_iter().map(|(code, stage, count, latest)| Dead { code, stage, count, latest });
    let view = OverviewPage {
        counts: figures::counts(&mut tx, today, desk.now).await?,
        waiting: figures::waiting(&mut tx).await?,
        read: figures::pages_read(&mut tx, desk.now, MINUTES).await?,
        courses: figures::courses(&mut tx, desk.now, MINUTES).await?,
        load: queue::load(&mut tx, lately).await?,
        paces: measures::paces(&mut tx, lately).await?,
        manual: measures::manual(&mut tx, today).await?,
        through: measures::through(&mut tx, today).await?,
        used: desk.context.process.used(),
        dead: dead.collect(),
        foreign: outbox::foreign(&mut tx, FOREIGN).await?,
        workers: workers::everyone(&mut tx).await?,
        real_now: desk.context.clock.real(),
        refused: runtime.workflows.refused(),
        calls: runtime.workflows.active().values().any(|one| one.has(Component::Http)),
        may_steer: desk.role.can(Action::Steer),
        address: address(&headers),
        page,
    };
    render(&desk, StatusCode::OK, &view)
}

/// The start of the day that `now` is in.
pub(super) fn midnight(now: Timestamp, zone: &TimeZone) -> Timestamp {
    now.to_zoned(zone.clone()).start_of_day().map_or(now, |start| start.timestamp())
}

/// How the reader reached us, for an example that can be pasted.
fn address(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    host.unwrap_or("localhost").to_owned()
}

async fn upload(desk: Desk, console: Console) -> Result<Response, Failure> {
    desk.require(Action::Submit)?;
    let active = desk.context.runtime.workflows.active();
    let mut tx = desk.context.store.read().await?;
    let policy = policy::load(&desk.context.settings, &mut tx).await?;
    let choice = |one: &std::sync::Arc<crate::rules::workflow::Workflow>| Choice {
        name: one.name.clone(),
        description: one.description.clone(),
        types: one.types().into_iter().map(str::to_owned).collect(),
    };
    let view = UploadPage {
        page: console.page(console.lang.t("Subir documentos", "Upload documents")),
        workflows: active.values().map(choice).collect(),
        most: policy.upload_bytes,
        may_read: desk.role.can(Action::ReadContent),
        may_review: desk.role.can(Action::Review),
    };
    render(&desk, StatusCode::OK, &view)
}

#[derive(Debug, Deserialize)]
struct Wanted {
    status: Option<String>,
    workflow: Option<String>,
    q: Option<String>,
    desde: Option<String>,
    hasta: Option<String>,
    cursor: Option<String>,
}

async fn list(
    desk: Desk,
    console: Console,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    let page = console.page(console.lang.t("Solicitudes", "Requests"));
    let narrowed = Narrowed {
        status: wanted.status.unwrap_or_default(),
        workflow: wanted.workflow.unwrap_or_default(),
        text: wanted.q.unwrap_or_default().trim().to_owned(),
        from: wanted.desde.unwrap_or_default(),
        to: wanted.hasta.unwrap_or_default(),
    };
    let asked = requests::Asked {
        status: Some(narrowed.status.clone()),
        workflow: Some(narrowed.workflow.clone()),
        q: Some(narrowed.text.clone()),
        desde: day(&narrowed.from, 0, &page.zone),
        hasta: day(&narrowed.to, 1, &page.zone),
        cursor: wanted.cursor.clone(),
        ..requests::Asked::default()
    };
    let (rows, next) = requests::find(&desk, &asked).await?;
    let ids: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
    let mut tx = desk.context.store.read().await?;
    let mut names = figures::first_files(&mut tx, &ids).await?;
    let ever = !rows.is_empty() || figures::counts(&mut tx, desk.now, desk.now).await?.ever;
    let waiting = reviews::waiting(&mut tx, &ids).await?;
    let line = |row: &store::requests::RequestRow| {
        Line::new(&page, row, names.remove(&row.id)).waiting(waiting.contains_key(&row.id))
    };
    let view = RequestsPage {
        lines: rows.iter().map(line).collect(),
        may: May { steer: desk.role.can(Action::Steer), review: desk.role.can(Action::Review) },
        workflows: desk.context.runtime.workflows.active().into_keys().collect(),
        next: next.map(|cursor| narrowed.address(&cursor)),
        newest: wanted.cursor.is_none(),
        wanted: narrowed,
        ever,
        page,
    };
    render(&desk, StatusCode::OK, &view)
}

/// The start of a day `2026-11-16`, or of one some days later; anything else narrows nothing.
fn day(text: &str, later: i32, zone: &TimeZone) -> Option<Timestamp> {
    let date: Date = text.parse().ok()?;
    let date = date.checked_add(later.days()).ok()?;
    date.to_zoned(zone.clone()).ok().map(|start| start.timestamp())
}

#[derive(Debug, Deserialize)]
struct Looked {
    /// From 1.
    pagina: Option<u32>,
}

async fn one(
    desk: Desk,
    console: Console,
    Path(id): Path<String>,
    Query(Looked { pagina }): Query<Looked>,
) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    let title = console.lang.t("Solicitud", "Request");
    let known = uuid::Uuid::try_parse(&id).ok().map(|id| id.to_string());
    let detail = match &known {
        Some(id) => requests::detail(&desk, id).await?,
        None => None,
    };
    let (Some(id), Some(detail)) = (known, detail) else {
        let id = id.chars().take(80).collect();
        let view = NoRequestPage { page: console.page(title), id };
        return render(&desk, StatusCode::NOT_FOUND, &view);
    };
    let reasons = requests::reasons(&desk, &id).await?.map(|(_, reasons)| reasons);
    let mut tx = desk.context.store.read().await?;
    let policy = policy::load(&desk.context.settings, &mut tx).await?;
    let row = store::requests::find(&mut tx, desk.visibility(), &id).await?;
    let row = row.ok_or_else(|| desk.no_request())?;
    let workflow = desk.context.runtime.workflows.version(&mut tx, row.workflow_id).await?;
    let extractor = workflow.stages.iter().find(|one| one.component == Component::Extractor);
    let threshold = extractor.and_then(|stage| stage.threshold);
    let name = detail.files.first().map_or(title, |file| &file.name).to_owned();
    let last = detail.pages.len().saturating_sub(1) as u32;
    let view = RequestPage {
        page: console.page(&name),
        status: Status::from_word(detail.request.status).unwrap_or(row.status),
        threshold: threshold.unwrap_or(policy.thresholds.extraction),
        reasons: reasons.unwrap_or_default(),
        selected: pagina.unwrap_or(1).saturating_sub(1).min(last),
        may_steer: desk.role.can(Action::Steer),
        may_review: desk.role.can(Action::Review),
        waits: reviews::waiting(&mut tx, std::slice::from_ref(&id)).await?.contains_key(&id),
        checkpoints: store::deadlines::reached(&mut tx, &id).await?,
        answers: store::answers::log(&mut tx, &id).await?,
        workflow,
        detail,
    };
    render(&desk, StatusCode::OK, &view)
}

pub(super) fn render(
    desk: &Desk,
    status: StatusCode,
    page: &impl Template,
) -> Result<Response, Failure> {
    match page.render() {
        Ok(html) => Ok((status, Html(html)).into_response()),
        Err(error) => {
            tracing::error!(%error, "a page could not be rendered");
            Err(Problem::internal(desk.lang).into())
        }
    }
}
