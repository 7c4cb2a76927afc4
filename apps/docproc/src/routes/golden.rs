//! Golden cases: what they are, adding, retiring, running.

use std::sync::Arc;

use axum::{
    extract::{DefaultBodyLimit, Multipart, multipart::MultipartRejection},
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use host::Failure;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Path, Problem, Query};

use super::{AtDesk as _, Desk, workflows::faults};
use crate::{
    Context,
    decisions::{Refusal, golden},
    drivers::reception::{self, Refused},
    golden::Verdict,
    policy::Action,
    rules::{golden as rule, workflow},
    store::{
        golden::{self as cases, CaseRow},
        policy, workflows as versions,
    },
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(add_files))
        // The house's body limit is for JSON; files are bounded where they are read.
        .layer(DefaultBodyLimit::disable())
        .routes(routes!(list, add))
        .routes(routes!(of_workflow))
        .routes(routes!(retire))
        .routes(routes!(run))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    workflow: Option<String>,
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
    cursor: Option<String>,
}

/// Every golden case, retired ones too, oldest first.
#[utoipa::path(get, path = "/api/docproc/golden", tag = "docproc", params(Asked),
    responses((status = 200, body = Object)))]
async fn list(desk: Desk, Query(asked): Query<Asked>) -> Result<Response, Failure> {
    listed(&desk, asked.workflow.as_deref(), &asked).await
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Part {
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
    cursor: Option<String>,
}

/// The golden set of a workflow, retired cases too, oldest first.
#[utoipa::path(get, path = "/api/docproc/workflows/{name}/golden", tag = "docproc",
    params(("name" = String, Path), Part),
    responses((status = 200, body = Object)))]
async fn of_workflow(
    desk: Desk,
    Path(name): Path<String>,
    Query(Part { limit, cursor }): Query<Part>,
) -> Result<Response, Failure> {
    listed(&desk, Some(&name), &Asked { workflow: None, limit, cursor }).await
}

async fn listed(desk: &Desk, workflow: Option<&str>, asked: &Asked) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    let limit = i64::from(asked.limit.unwrap_or(100).clamp(1, 500));
    let mut tx = desk.context.store.read().await?;
    let rows = cases::list(&mut tx, workflow, asked.cursor.as_deref(), limit).await?;
    let next = rows.last().filter(|_| rows.len() as i64 == limit).map(|row| row.id.clone());
    let items: Vec<Json> = rows.iter().map(view).collect();
    Ok(axum::Json(json!({ "items": items, "next": next })).into_response())
}

fn view(case: &CaseRow) -> Json {
    let retired = case.retired.as_ref();
    let last = case.last.as_ref();
    json!({
        "id": case.id, "workflow": case.workflow, "name": case.name,
        "request_id": case.request_id, "expected": case.expected,
        "added_by": case.added_by, "added_at": case.added_at,
        "retired_at": retired.map(|one| one.at), "retired_by": retired.map(|one| &one.by),
        "retired_reason": retired.map(|one| &one.reason),
        "verdict": last.map(|one| &one.verdict), "verdict_version": last.map(|one| one.version),
        "verdict_at": last.map(|one| one.at),
    })
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewCase {
    /// A completed request; its answer is what is expected.
    request_id: String,
    name: Option<String>,
}

/// Takes a completed request, with what people confirmed, into its workflow's golden set.
#[utoipa::path(post, path = "/api/docproc/golden", tag = "docproc", request_body = NewCase,
    responses((status = 201, body = Object)))]
async fn add(
    desk: Desk,
    web::Json(NewCase { request_id, name }): web::Json<NewCase>,
) -> Result<Response, Failure> {
    desk.require(Action::Judge)?;
    let id = desk.id(&request_id)?;
    let added = golden::add_request(&desk.context, &desk.by(), &id, name.as_deref()).await?;
    created(&desk, added)
}

fn created(desk: &Desk, added: Result<CaseRow, Refusal>) -> Result<Response, Failure> {
    match added {
        Ok(case) => Ok((StatusCode::CREATED, axum::Json(view(&case))).into_response()),
        Err(refusal) => Err(desk.refused(&refusal).into()),
    }
}

/// Files with the answer they must get.
#[derive(ToSchema)]
#[allow(dead_code, reason = "describes the form; it is read part by part")]
struct CaseForm {
    #[schema(format = Binary, content_media_type = "application/octet-stream")]
    file: Vec<String>,
    workflow: String,
    /// The result of §13.2, or its documents: `[{"doc_type", "page_indices", "extracted_data"}]`.
    expected: String,
    name: Option<String>,
}

/// Takes files and the answer they must get into a workflow's golden set.
#[utoipa::path(post, path = "/api/docproc/golden/files", tag = "docproc",
    request_body(content = CaseForm, content_type = "multipart/form-data"),
    responses((status = 201, body = Object)))]
async fn add_files(
    desk: Desk,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Response, Failure> {
    desk.require(Action::Judge)?;
    let form = form.map_err(|_| reception::not_a_form(desk.lang))?;
    // Its files are read like a request's, and copied; what was read goes again.
    let upload = uuid::Uuid::now_v7().to_string();
    let added = take_files(&desk, &upload, form).await;
    if let Err(error) = desk.context.runtime.storage.remove(&upload).await {
        tracing::warn!(%error, upload, "files of an upload stay until the sweep");
    }
    created(&desk, added?)
}

async fn take_files(
    desk: &Desk,
    upload: &str,
    form: Multipart,
) -> Result<Result<CaseRow, Refusal>, Failure> {
    let runtime = desk.context.runtime.clone();
    let limit = {
        let mut tx = desk.context.store.read().await?;
        policy::load(&desk.context.settings, &mut tx).await?.upload_bytes
    };
    let form = reception::read(&runtime, upload, form, limit, desk.lang).await;
    let form = form.map_err(|refused| match refused {
        Refused::Problem(problem) => Failure::from(*problem),
        Refused::Storage(error) => super::intake::unstored(desk.lang, &error),
    })?;
    let text = form.others.get("expected").map(String::as_str).unwrap_or_default();
    let expected = serde_json::from_str::<Json>(text).unwrap_or_default();
    let expected = rule::read(&expected).map_err(|sentence| {
        Problem::unprocessable("RESPUESTA_INVALIDA")
            .lang(desk.lang)
            .detail(desk.lang.say(&sentence))
    })?;
    let workflow = form.workflow.as_deref().unwrap_or(crate::rules::route::DEFAULT);
    let named = form.others.get("name").filter(|name| !name.trim().is_empty());
    let name = named.unwrap_or(&form.files[0].name);
    let by = desk.by();
    Ok(golden::add_files(&desk.context, &by, workflow, name, &expected, &form.files).await?)
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Reason {
    #[schema(min_length = 1, max_length = 500)]
    reason: String,
}

/// Takes a case out of its set, with a reason. It stays listed.
#[utoipa::path(post, path = "/api/docproc/golden/{id}/retire", tag = "docproc",
    params(("id" = String, Path, description = "UUID")), request_body = Reason,
    responses((status = 200, body = Object)))]
async fn retire(
    desk: Desk,
    Path(id): Path<String>,
    web::Json(Reason { reason }): web::Json<Reason>,
) -> Result<Response, Failure> {
    desk.require(Action::Judge)?;
    let id = desk.id(&id)?;
    let reason = given_reason(&desk, &reason)?;
    match golden::retire(&desk.context, &desk.by(), &id, reason).await? {
        Ok(case) => Ok(axum::Json(view(&case)).into_response()),
        Err(Refusal::NotFound) => Err(Problem::not_found("CASO_INEXISTENTE")
            .lang(desk.lang)
            .detail(desk.lang.t("No existe ese caso.", "There is no such case."))
            .into()),
        Err(refusal) => Err(desk.refused(&refusal).into()),
    }
}

/// Why somebody does something that has to be explained.
pub(super) fn given_reason<'a>(desk: &Desk, reason: &'a str) -> Result<&'a str, Problem> {
    let reason = reason.trim();
    if (1..=500).contains(&reason.chars().count()) {
        return Ok(reason);
    }
    let detail = desk.lang.t(
        "Hace falta un motivo de 1 a 500 caracteres.",
        "A reason of 1 to 500 characters is needed.",
    );
    Err(Problem::unprocessable("FALTA_MOTIVO")
        .lang(desk.lang)
        .detail(detail)
        .error("reason", detail))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RunBody {
    /// A candidate to run instead of a stored version.
    yaml: Option<String>,
    /// A stored version; that in force unless told.
    version: Option<i64>,
    /// Only these cases; all in use unless told.
    #[schema(max_items = 500)]
    cases: Option<Vec<String>>,
}

/// Runs golden cases of a workflow, without disturbing anything: nothing is queued or asked.
#[utoipa::path(post, path = "/api/docproc/workflows/{name}/golden/run", tag = "docproc",
    params(("name" = String, Path)), request_body = RunBody,
    responses((status = 200, body = Object)))]
async fn run(
    desk: Desk,
    Path(name): Path<String>,
    web::Json(body): web::Json<RunBody>,
) -> Result<Response, Failure> {
    desk.require(Action::Judge)?;
    let runtime = desk.context.runtime.clone();
    let mut tx = desk.context.store.read().await?;
    let (flow, version) = match (&body.yaml, body.version) {
        (Some(yaml), _) => (candidate(&desk, &name, yaml)?, None),
        (None, wanted) => {
            let found = match wanted.or_else(|| runtime.workflows.id_of(&name)) {
                Some(id) => versions::find(&mut tx, id).await?.filter(|one| one.name == name),
                None => None,
            };
            let found = found.ok_or_else(|| no_workflow(&desk))?;
            (runtime.workflows.version(&mut tx, found.id).await?, Some(found.id))
        }
    };
    let mut set = cases::in_use(&mut tx, &name).await?;
    drop(tx);
    if let Some(only) = &body.cases {
        set.retain(|case| only.contains(&case.id));
    }
    let verdicts = golden::run(&desk.context, &flow, version, &set).await?;
    Ok(axum::Json(report(&name, version, &verdicts)).into_response())
}

fn candidate(desk: &Desk, name: &str, yaml: &str) -> Result<Arc<workflow::Workflow>, Problem> {
    let problem = || Problem::unprocessable("FLUJO_INVALIDO").lang(desk.lang);
    match workflow::parse(yaml) {
        Ok(flow) if flow.name == name => Ok(Arc::new(flow)),
        Ok(flow) => Err(problem().detail(match desk.lang {
            web::Lang::Es => format!("El archivo declara «{}», no «{name}».", flow.name),
            web::Lang::En => format!("The file declares “{}”, not “{name}”.", flow.name),
        })),
        Err(found) => {
            let detail = desk.lang.t("El archivo no se puede cargar.", "The file does not load.");
            let told = faults(&found, desk.lang);
            Err(told.iter().fold(problem().detail(detail), |problem, fault| {
                let message = fault["message"].as_str().unwrap_or_default();
                problem.error(format!("yaml:{}", fault["line"]), message)
            }))
        }
    }
}

pub(super) fn report(name: &str, version: Option<i64>, set: &[Verdict]) -> Json {
    let equal = set.iter().filter(|one| one.is_equal()).count();
    let asked = |of: fn(&Verdict) -> u32| set.iter().map(of).sum::<u32>();
    json!({
        "workflow": name, "version_id": version,
        "cases": set.iter().map(Verdict::json).collect::<Vec<_>>(),
        "equal": equal, "different": set.len() - equal,
        "asked": { "types": asked(|one| one.asked.types),
                   "documents": asked(|one| one.asked.documents) },
        "recalled": asked(|one| one.asked.recalled),
    })
}

pub(super) fn no_workflow(desk: &Desk) -> Problem {
    Problem::not_found("FLUJO_DESCONOCIDO")
        .lang(desk.lang)
        .detail(desk.lang.t("No hay un flujo con ese nombre.", "There is no such workflow."))
}
