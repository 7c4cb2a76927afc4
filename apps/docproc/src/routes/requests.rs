//! Looking at requests: the list, one of them with everything, and why it waits.

use axum::response::{IntoResponse as _, Response};
use host::Failure;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Path, Problem, Query};

use super::{AtDesk as _, Desk};
use crate::{
    Context,
    model::Unit,
    policy::Action,
    rules::{advance, why},
    store::{documents, pages, policy, progress, queue, requests, workers},
    wire::{self, DocumentView, FanIn, FileView, PageView, RequestDetail, RequestView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(one))
        .routes(routes!(words))
        .routes(routes!(why_waits))
}

const SHOWN: i64 = 50;
const MOST: i64 = 500;

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Asked {
    /// A status, `open`, `review` (a person is asked), or `sla_breached`.
    pub status: Option<String>,
    pub workflow: Option<String>,
    pub channel: Option<String>,
    /// In the id, the external reference or a file's name.
    pub q: Option<String>,
    pub desde: Option<Timestamp>,
    pub hasta: Option<Timestamp>,
    #[param(minimum = 1, maximum = 500)]
    pub limit: Option<i64>,
    pub cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct RequestList {
    items: Vec<RequestView>,
    next: Option<String>,
}

/// Requests, newest first.
#[utoipa::path(get, path = "/api/docproc/requests", params(Asked), tag = "docproc",
    responses((status = 200, body = RequestList)))]
async fn list(desk: Desk, Query(asked): Query<Asked>) -> Result<Response, Failure> {
    desk.require(Action::ReadStatus)?;
    let (rows, next) = find(&desk, &asked).await?;
    let items = rows.iter().map(|row| RequestView::new(row, desk.lang)).collect();
    Ok(axum::Json(RequestList { items, next }).into_response())
}

/// A page of the list and the cursor of the next one.
pub(super) async fn find(
    desk: &Desk,
    asked: &Asked,
) -> Result<(Vec<requests::RequestRow>, Option<String>), Failure> {
    let bad = |field: &str, detail: &str| {
        Problem::bad_request("FILTRO_INVALIDO").lang(desk.lang).detail(format!("{field}: {detail}"))
    };
    if let Some(status) = asked.status.as_deref().filter(|word| !word.is_empty())
        && !wire::known_status(status)
    {
        let detail = desk.lang.t("no es un estado", "is not a status");
        return Err(bad("status", detail).into());
    }
    let cursor = asked.cursor.as_deref().map(|text| parse_cursor(text).ok_or(text)).transpose();
    let before = cursor.map_err(|_| bad("cursor", desk.lang.t("no se entiende", "is not ours")))?;
    let limit = asked.limit.unwrap_or(SHOWN).clamp(1, MOST);
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let filter = requests::Filter {
        status: given(&asked.status),
        workflow: given(&asked.workflow),
        channel: given(&asked.channel),
        text: given(&asked.q),
        from: asked.desde,
        to: asked.hasta,
        before,
        limit: limit + 1,
    };
    let mut tx = desk.context.store.read().await?;
    let mut rows = requests::list(&mut tx, desk.visibility(), &filter).await?;
    let more = rows.len() as i64 > limit;
    rows.truncate(limit as usize);
    let next = rows
        .last()
        .filter(|_| more)
        .map(|last| format!("{}_{}", last.created_at.as_microsecond(), last.id));
    Ok((rows, next))
}

fn parse_cursor(text: &str) -> Option<(Timestamp, String)> {
    let (micros, id) = text.split_once('_')?;
    let at = Timestamp::from_microsecond(micros.parse().ok()?).ok()?;
    uuid::Uuid::try_parse(id).ok().map(|id| (at, id.to_string()))
}

/// One request with its pages, documents, evidence and timeline.
#[utoipa::path(get, path = "/api/docproc/requests/{id}", tag = "docproc",
    params(("id" = String, Path, description = "UUID")),
    responses((status = 200, body = RequestDetail), (status = 422, body = Problem)))]
async fn one(desk: Desk, Path(id): Path<String>) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    let id = desk.id(&id)?;
    match detail(&desk, &id).await? {
        Some(detail) => Ok(axum::Json(detail).into_response()),
        None => Err(desk.no_request().into()),
    }
}

pub(super) async fn detail(desk: &Desk, id: &str) -> Result<Option<RequestDetail>, Failure> {
    let runtime = desk.context.runtime.clone();
    let mut tx = desk.context.store.read().await?;
    let Some(row) = requests::find(&mut tx, desk.visibility(), id).await? else { return Ok(None) };
    let workflow = runtime.workflows.version(&mut tx, row.workflow_id).await?;
    let files = requests::files(&mut tx, id).await?;
    let pages = pages::all(&mut tx, id).await?;
    let documents = documents::all(&mut tx, id).await?;
    let mut timeline = queue::timeline(&mut tx, id).await?;
    for moment in &mut timeline {
        moment.error = moment.error.take().map(|error| desk.lang.told(&error));
    }
    let stage_of = |at: i32| {
        usize::try_from(at).ok().and_then(|at| workflow.stages.get(at)).map(|s| s.name.clone())
    };
    let fan_in = fan_in(&workflow, &row, &pages, &documents);
    Ok(Some(RequestDetail {
        trace_id: row.trace_id.clone(),
        metadata: row.metadata.clone(),
        workflow_version: row.workflow_id,
        duplicate_of: row.duplicate_of.clone(),
        created_by: row.created_by.clone(),
        result: row.result.clone(),
        files: files.iter().map(FileView::new).collect(),
        pages: pages.iter().map(|page| PageView::new(id, page, stage_of(page.stage_at))).collect(),
        documents: documents
            .iter()
            .map(|one| DocumentView::new(one, progress::is_settled(one, &workflow)))
            .collect(),
        fan_in,
        timeline,
        request: RequestView::new(&row, desk.lang),
    }))
}

/// Joins and who has come to them; rows counted, never a counter.
fn fan_in(
    workflow: &crate::rules::workflow::Workflow,
    row: &requests::RequestRow,
    pages: &[pages::PageRow],
    documents: &[documents::DocumentRow],
) -> Vec<FanIn> {
    let mut joins = Vec::new();
    for (at, stage) in workflow.stages.iter().enumerate() {
        let (expected, received) = match (stage.unit, row.page_count) {
            (Unit::Page, Some(count)) => {
                let there = pages.iter().filter(|page| page.stage_at >= at as i32).count();
                (count, there as u32)
            }
            (Unit::Document, Some(_)) => {
                let there = documents.iter().filter(|one| one.stage_at >= at as i32).count();
                (documents.len() as u32, there as u32)
            }
            (Unit::Request, _) | (_, None) => continue,
        };
        if stage.component.is_join() {
            let open = pages.iter().any(|page| page.document_id.is_none());
            let is_complete = received == expected && (stage.unit == Unit::Page || !open);
            joins.push(FanIn { stage: stage.name.clone(), expected, received, is_complete });
        }
    }
    joins
}

/// The words of a page with their boxes.
#[utoipa::path(get, path = "/api/docproc/requests/{id}/pages/{n}/words", tag = "docproc",
    params(("id" = String, Path, description = "UUID"), ("n" = u32, Path)),
    responses((status = 200, body = Object), (status = 422, body = Problem)))]
async fn words(desk: Desk, Path((id, n)): Path<(String, u32)>) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    let id = desk.id(&id)?;
    let mut tx = desk.context.store.read().await?;
    match pages::text(&mut tx, desk.visibility(), &id, n).await? {
        Some(text) => Ok(axum::Json(text).into_response()),
        None => Err(desk.no_request().into()),
    }
}

/// Why a request is not done: the planner's own reasons, on a fresh snapshot.
#[utoipa::path(get, path = "/api/docproc/requests/{id}/why", tag = "docproc",
    params(("id" = String, Path, description = "UUID")),
    responses((status = 200, body = Object), (status = 422, body = Problem)))]
async fn why_waits(desk: Desk, Path(id): Path<String>) -> Result<Response, Failure> {
    desk.require(Action::ReadStatus)?;
    let id = desk.id(&id)?;
    let Some((row, reasons)) = reasons(&desk, &id).await? else {
        return Err(desk.no_request().into());
    };
    let status = RequestView::new(&row, desk.lang).status;
    let reasons: Vec<_> = reasons
        .iter()
        .map(|reason| {
            json!({ "code": reason.code, "detail": desk.lang.say(&reason.sentence),
                    "until": reason.until, "data": reason.data })
        })
        .collect();
    let subject = json!({ "type": "request", "id": id, "status": status });
    let body = json!({ "subject": subject, "ready": row.status.is_final(), "reasons": reasons });
    Ok(axum::Json(body).into_response())
}

pub(super) async fn reasons(
    desk: &Desk,
    id: &str,
) -> Result<Option<(requests::RequestRow, Vec<why::Reason>)>, Failure> {
    let runtime = desk.context.runtime.clone();
    let mut tx = desk.context.store.read().await?;
    let policy = policy::load(&desk.context.settings, &mut tx).await?;
    if requests::find(&mut tx, desk.visibility(), id).await?.is_none() {
        return Ok(None);
    }
    let loaded = progress::load(&mut tx, &[id.to_owned()], &runtime.workflows).await?;
    let Some(loaded) = loaded.into_iter().next() else { return Ok(None) };
    if loaded.row.status.is_final() {
        let reasons = ended(&loaded.row);
        return Ok(Some((loaded.row, reasons)));
    }
    let hosted = hosted(&workers::all(&mut tx).await?);
    let queued = queue::of_request(&mut tx, id, desk.now, hosted.as_deref()).await?;
    let plan = advance::plan(&loaded.snapshot, &loaded.workflow, policy.thresholds);
    let reasons = plan
        .held
        .iter()
        .map(|held| {
            let found = match held {
                advance::Held::Working { item, at } => queued
                    .get(&(item.clone(), *at as i32))
                    .or_else(|| queued.get(&(item.clone(), -1))),
                _ => None,
            };
            why::reason(held, &loaded.workflow, found)
        })
        .collect();
    Ok(Some((loaded.row, reasons)))
}

/// Components some process takes; `None`: some process takes all.
fn hosted(workers: &[workers::WorkerProcess]) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for worker in workers {
        names.extend(worker.components.as_ref()?.iter().cloned());
    }
    Some(names)
}

fn ended(row: &requests::RequestRow) -> Vec<why::Reason> {
    let Some(error) = &row.error else { return Vec::new() };
    let code = if row.status == crate::model::Status::Cancelled { "CANCELADA" } else { "FALLIDA" };
    vec![why::Reason {
        code,
        sentence: engine::Sentence::told(error),
        until: None,
        data: json!({ "code": row.error_code }),
    }]
}
