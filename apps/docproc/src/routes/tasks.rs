//! What waits for people, and what they do about it (§8.3, §13.4).

use std::fmt::Write as _;

use axum::{
    http::{HeaderMap, StatusCode, Uri},
    response::{IntoResponse as _, Redirect, Response},
};
use host::{By, Failure};
use jiff::SignedDuration;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Path, Problem, Query, problem::wants_html};

use super::{
    AtDesk as _, Desk, array, form::SubmittedForm, idempotency_key, submission, task_detail,
};
use crate::{
    Context,
    decisions::{Key, Refusal, answers, people, undo},
    policy::Action,
    rules::{assign, why},
    store::{self, policy, reviews},
    wire::{TaskView, people::TaskDetail},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(one))
        .routes(routes!(claim))
        .routes(routes!(submit))
        .routes(routes!(take_back))
        .routes(routes!(heartbeat))
        .routes(routes!(release))
        .routes(routes!(postpone))
        .routes(routes!(draft))
        .routes(routes!(reassign))
        .routes(routes!(why_waits))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    /// pending, assigned, completed, timeout or cancelled.
    status: Option<String>,
    skill: Option<String>,
    /// A team's queue: `task.hipotecas`, or `hipotecas`.
    queue: Option<String>,
    /// As many as there can be unless given.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    /// The last task of the page before.
    cursor: Option<String>,
}

/// The longest page of the list.
const MOST: i64 = 1_000;

/// Tasks, most urgent first. `Link` tells where the list goes on.
#[utoipa::path(get, path = "/api/tasks", params(Asked), tag = "docproc",
    responses((status = 200, body = Vec<TaskView>)))]
async fn list(desk: Desk, uri: Uri, Query(asked): Query<Asked>) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    let known = ["pending", "assigned", "completed", "timeout", "cancelled"];
    if let Some(status) = asked.status.as_deref()
        && !known.contains(&status)
    {
        let problem = Problem::bad_request("FILTRO_INVALIDO").lang(desk.lang);
        return Err(problem.detail(format!("status: {}", known.join(", "))).into());
    }
    let mut tx = desk.context.store.read().await?;
    if let Some(cursor) = asked.cursor.as_deref()
        && reviews::find(&mut tx, cursor).await?.is_none()
    {
        let detail = desk.lang.t("no es el final de ninguna página", "is not the end of any page");
        let problem = Problem::bad_request("FILTRO_INVALIDO").lang(desk.lang);
        return Err(problem.detail(format!("cursor: {detail}")).into());
    }
    let limit = asked.limit.unwrap_or(MOST).clamp(1, MOST);
    let filter = reviews::Filter {
        status: asked.status.as_deref(),
        skill: asked.skill.as_deref(),
        queue: asked.queue.as_deref(),
        after: asked.cursor.as_deref(),
        limit: limit + 1,
    };
    let mut tasks = reviews::list(&mut tx, filter).await?;
    let more = tasks.len() as i64 > limit;
    tasks.truncate(limit as usize);
    let next = tasks.last().filter(|_| more).map(|last| last.id.clone());
    let tasks: Vec<TaskView> = tasks.into_iter().map(TaskView::from).collect();
    Ok(array(tasks, next.as_deref(), &uri))
}

/// Who speaks, for those whom nobody asked for a name.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Named {
    /// On open loopback: the operator's name. Signed in, it is the user.
    pub operator: Option<String>,
}

/// One task with everything needed to answer it; a browser is led to the review station.
#[utoipa::path(get, path = "/tasks/{id}", tag = "docproc",
    params(("id" = String, Path, description = "UUID"), Named),
    responses((status = 200, body = TaskDetail), (status = 303), (status = 422, body = Problem)))]
async fn one(
    desk: Desk,
    headers: HeaderMap,
    Path(id): Path<String>,
    Query(named): Query<Named>,
) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    let id = desk.id(&id)?;
    if wants_html(&headers) {
        return Ok(station(&id, named.operator.as_deref()));
    }
    let operator = desk.operator(named.operator.as_deref()).ok();
    match task_detail::load(&desk, &id, operator.as_deref()).await? {
        Some(detail) => Ok(axum::Json(detail).into_response()),
        None => Err(desk.refused(&Refusal::NoTask).into()),
    }
}

fn station(id: &str, operator: Option<&str>) -> Response {
    Redirect::to(&format!("/backoffice/tareas/{id}{}", name_in_address(operator))).into_response()
}

/// `?operator=name`, escaped.
pub(crate) fn name_in_address(operator: Option<&str>) -> String {
    operator.map(|operator| format!("?operator={}", escaped(operator))).unwrap_or_default()
}

/// A value as it stands in an address.
pub(crate) fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// The form of the seed; JSON has the same names.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes what is read by name")]
pub(super) struct Operator {
    operator: Option<String>,
}

/// *Reclamar*: takes a task; of many who ask at once one gets it.
#[utoipa::path(post, path = "/tasks/{id}/claim", tag = "docproc",
    params(("id" = String, Path, description = "UUID"), Named),
    request_body(content((Operator = "application/json"),
                         (Operator = "application/x-www-form-urlencoded"))),
    responses((status = 200, body = TaskDetail), (status = 303)))]
async fn claim(
    desk: Desk,
    headers: HeaderMap,
    Path(id): Path<String>,
    Query(named): Query<Named>,
    form: SubmittedForm,
) -> Result<Response, Failure> {
    desk.require(Action::Review)?;
    let id = desk.id(&id)?;
    let operator = desk.operator(form.operator().or(named.operator.as_deref()))?;
    let done = people::claim(&desk.context, &operator, &id).await?;
    done.map_err(|refusal| desk.refused(&refusal))?;
    if wants_html(&headers) {
        let shown = desk.is_open().then_some(operator.as_str());
        return Ok(station(&id, shown));
    }
    detail(&desk, &id, &operator).await
}

pub(super) async fn detail(desk: &Desk, id: &str, operator: &str) -> Result<Response, Failure> {
    match task_detail::load(desk, id, Some(operator)).await? {
        Some(detail) => Ok(axum::Json(detail).into_response()),
        None => Err(desk.refused(&Refusal::NoTask).into()),
    }
}

#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes what is read by name")]
struct Submit {
    operator: Option<String>,
    /// For a classification task.
    doc_type: Option<String>,
    /// For an extraction task: an object, or its text.
    #[schema(value_type = Option<Object>)]
    extracted_data: Option<Json>,
    /// Required fields that are not on the paper.
    absent: Option<Vec<String>>,
    /// By field, the boxes its value was picked from.
    #[schema(value_type = Option<Object>)]
    evidence: Option<Json>,
    /// Instead of data: which pages are one document, `[{doc_type, page_indices}]`.
    #[schema(value_type = Option<Vec<Object>>)]
    groups: Option<Json>,
    /// Keep it as a case to be judged by.
    golden: Option<bool>,
    /// For a moment it may be taken back: nothing follows from it before `undo_until`.
    undoable: Option<bool>,
}

/// *Enviar*: answers a task; the pipeline goes on in the same commit, or at `undo_until` if it may
/// be taken back. An `Idempotency-Key` makes it safe to send again.
#[utoipa::path(post, path = "/tasks/{id}/submit", tag = "docproc",
    params(("id" = String, Path, description = "UUID"), Named),
    request_body(content((Submit = "application/json"),
                         (Submit = "application/x-www-form-urlencoded"))),
    responses((status = 200, body = TaskView), (status = 303)))]
async fn submit(
    desk: Desk,
    headers: HeaderMap,
    Path(id): Path<String>,
    Query(named): Query<Named>,
    form: SubmittedForm,
) -> Result<Response, Failure> {
    desk.require(Action::Review)?;
    let id = desk.id(&id)?;
    let operator = desk.operator(form.operator().or(named.operator.as_deref()))?;
    let submission = answers::Submission {
        by: By { name: operator, ..desk.by() },
        answer: submission::answer(&desk, &form)?,
        golden: form.switch("golden"),
        undoable: form.switch("undoable"),
        key: key(&desk, &headers, &form)?,
    };
    match answers::submit(&desk.context, &id, &submission).await? {
        Ok(_) if wants_html(&headers) => {
            let shown = desk.is_open().then_some(submission.by.name.as_str());
            Ok(Redirect::to(&format!("/backoffice{}", name_in_address(shown))).into_response())
        }
        Ok(answers::Answered { task, undo_until }) => {
            let view = TaskView { undo_until, ..TaskView::from(task) };
            Ok(axum::Json(view).into_response())
        }
        Err(refusal) => {
            // Whatever was typed too late is not lost: it waits as a draft.
            if matches!(&refusal, Refusal::Conflict { code: "TAREA_VENCIDA", .. }) {
                let typed = submission::draft(&form);
                let kept = people::keep_draft(&desk.context, &submission.by.name, &id, &typed);
                let _ = kept.await?;
            }
            Err(desk.refused(&refusal).into())
        }
    }
}

/// *Deshacer*: takes an answer back before anything followed from it; the task is its operator's
/// again.
#[utoipa::path(post, path = "/tasks/{id}/undo", tag = "docproc",
    params(("id" = String, Path, description = "UUID"), Named),
    request_body(content((Operator = "application/json"),
                         (Operator = "application/x-www-form-urlencoded"))),
    responses((status = 200, body = TaskDetail), (status = 409, body = Problem)))]
async fn take_back(
    desk: Desk,
    Path(id): Path<String>,
    Query(named): Query<Named>,
    form: SubmittedForm,
) -> Result<Response, Failure> {
    desk.require(Action::Review)?;
    let id = desk.id(&id)?;
    let operator = desk.operator(form.operator().or(named.operator.as_deref()))?;
    let by = By { name: operator, ..desk.by() };
    let done = undo::undo(&desk.context, &by, &id).await?;
    done.map_err(|refusal| desk.refused(&refusal))?;
    detail(&desk, &id, &by.name).await
}

/// The key with what it stands for.
fn key(desk: &Desk, headers: &HeaderMap, form: &SubmittedForm) -> Result<Option<Key>, Failure> {
    let Some(key) = idempotency_key(desk, headers)? else { return Ok(None) };
    let body = Json::Object(form.0.clone()).to_string();
    Ok(Some(Key { key, fingerprint: db::sha256_hex(body.as_bytes()) }))
}

/// *Presencia*: the operator is at this task.
#[utoipa::path(post, path = "/tasks/{id}/heartbeat", tag = "docproc",
    params(("id" = String, Path, description = "UUID"), Named),
    request_body(content((Operator = "application/json"),
                         (Operator = "application/x-www-form-urlencoded"))),
    responses((status = 200, body = Object)))]
async fn heartbeat(
    desk: Desk,
    Path(id): Path<String>,
    Query(named): Query<Named>,
    form: SubmittedForm,
) -> Result<Response, Failure> {
    desk.require(Action::Review)?;
    let id = desk.id(&id)?;
    let operator = desk.operator(form.operator().or(named.operator.as_deref()))?;
    let done = people::heartbeat(&desk.context, &operator, Some(&id)).await?;
    done.map_err(|refusal| desk.refused(&refusal))?;
    let mut tx = desk.context.store.read().await?;
    let task_timeout = policy::load(&desk.context.settings, &mut tx).await?.desk.task_timeout;
    let lapses = desk.now.checked_add(task_timeout).ok();
    Ok(axum::Json(json!({ "id": id, "operator": operator, "lapses_at": lapses })).into_response())
}

/// Gives a task back to the queue.
#[utoipa::path(post, path = "/tasks/{id}/release", tag = "docproc",
    params(("id" = String, Path, description = "UUID"), Named),
    request_body(content((Operator = "application/json"),
                         (Operator = "application/x-www-form-urlencoded"))),
    responses((status = 200, body = TaskView)))]
async fn release(
    desk: Desk,
    Path(id): Path<String>,
    Query(named): Query<Named>,
    form: SubmittedForm,
) -> Result<Response, Failure> {
    give_back(&desk, &id, &named, &form, None).await
}

async fn give_back(
    desk: &Desk,
    id: &str,
    named: &Named,
    form: &SubmittedForm,
    later: Option<SignedDuration>,
) -> Result<Response, Failure> {
    desk.require(Action::Review)?;
    let id = desk.id(id)?;
    let operator = desk.operator(form.operator().or(named.operator.as_deref()))?;
    let done = people::give_back(&desk.context, &operator, &id, later).await?;
    let task = done.map_err(|refusal| desk.refused(&refusal))?;
    Ok(axum::Json(TaskView::from(task)).into_response())
}

#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes what is read by name")]
struct Postpone {
    operator: Option<String>,
    /// 15 unless given; a day at most.
    #[schema(minimum = 1, maximum = 1440)]
    minutes: Option<i64>,
}

/// *Aplazar*: gives a task back for later; nobody is offered it before.
#[utoipa::path(post, path = "/tasks/{id}/postpone", tag = "docproc",
    params(("id" = String, Path, description = "UUID"), Named),
    request_body(content((Postpone = "application/json"),
                         (Postpone = "application/x-www-form-urlencoded"))),
    responses((status = 200, body = TaskView)))]
async fn postpone(
    desk: Desk,
    Path(id): Path<String>,
    Query(named): Query<Named>,
    form: SubmittedForm,
) -> Result<Response, Failure> {
    let minutes = match form.0.get("minutes") {
        None | Some(Json::Null) => Some(15),
        Some(Json::String(text)) => text.trim().parse().ok(),
        Some(value) => value.as_i64(),
    };
    let Some(minutes) = minutes.filter(|minutes| (1..=1440).contains(minutes)) else {
        let detail = desk.lang.t("minutes va de 1 a 1440.", "minutes is from 1 to 1440.");
        let problem = Problem::unprocessable("MINUTOS_INVALIDOS").lang(desk.lang).detail(detail);
        return Err(problem.error("minutes", detail).into());
    };
    give_back(&desk, &id, &named, &form, Some(SignedDuration::from_mins(minutes))).await
}

#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes what is read by name")]
struct Draft {
    operator: Option<String>,
    #[schema(value_type = Object)]
    data: Json,
}

/// Keeps what was typed so far.
#[utoipa::path(post, path = "/tasks/{id}/draft", tag = "docproc",
    params(("id" = String, Path, description = "UUID"), Named),
    request_body(content((Draft = "application/json"),
                         (Draft = "application/x-www-form-urlencoded"))),
    responses((status = 204)))]
async fn draft(
    desk: Desk,
    Path(id): Path<String>,
    Query(named): Query<Named>,
    form: SubmittedForm,
) -> Result<Response, Failure> {
    desk.require(Action::Review)?;
    let id = desk.id(&id)?;
    let operator = desk.operator(form.operator().or(named.operator.as_deref()))?;
    let Ok(Some(data @ Json::Object(_))) = form.json("data") else {
        let detail = desk.lang.t("data debe ser un objeto.", "data must be an object.");
        let problem = Problem::unprocessable("BORRADOR_INVALIDO").lang(desk.lang);
        return Err(problem.detail(detail).error("data", detail).into());
    };
    let done = people::keep_draft(&desk.context, &operator, &id, &data).await?;
    done.map_err(|refusal| desk.refused(&refusal))?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Reassign {
    /// To whom; absent: back into the queue.
    operator: Option<String>,
}

/// A supervisor puts a task into somebody's hands, or back into the queue.
#[utoipa::path(post, path = "/api/docproc/tasks/{id}/reassign", tag = "docproc",
    params(("id" = String, Path, description = "UUID")), request_body = Reassign,
    responses((status = 200, body = TaskView)))]
async fn reassign(
    desk: Desk,
    Path(id): Path<String>,
    web::Json(body): web::Json<Reassign>,
) -> Result<Response, Failure> {
    desk.require(Action::Staff)?;
    let id = desk.id(&id)?;
    let to = body.operator.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let done = people::reassign(&desk.context, &desk.by(), &id, to).await?;
    let task = done.map_err(|refusal| desk.refused(&refusal))?;
    Ok(axum::Json(TaskView::from(task)).into_response())
}

/// Why nobody has answered a task: the planner's own reason, on a fresh snapshot.
#[utoipa::path(get, path = "/api/docproc/tasks/{id}/why", tag = "docproc",
    params(("id" = String, Path, description = "UUID")),
    responses((status = 200, body = Object), (status = 422, body = Problem)))]
async fn why_waits(desk: Desk, Path(id): Path<String>) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    let id = desk.id(&id)?;
    let mut tx = desk.context.store.read().await?;
    let task = reviews::find(&mut tx, &id).await?;
    let task = task.ok_or_else(|| desk.refused(&Refusal::NoTask))?;
    let house = policy::load(&desk.context.settings, &mut tx).await?.desk;
    let snapshot = store::assign::load(&mut tx, Some(&id), desk.now).await?;
    let local = desk.now.to_zoned(desk.context.zone.clone()).datetime();
    let plan = assign::plan(&snapshot, house, desk.now, local);
    let reasons: Vec<Json> = plan
        .held
        .iter()
        .filter(|held| held.task() == id)
        .map(why::task_reason)
        .map(|reason| {
            json!({ "code": reason.code, "detail": desk.lang.say(&reason.sentence),
                    "until": reason.until, "data": reason.data })
        })
        .collect();
    let status = TaskView::from(task.clone()).status;
    let subject = json!({ "type": "task", "id": id, "status": status });
    let body = json!({ "subject": subject, "ready": !task.is_open(), "reasons": reasons });
    Ok(axum::Json(body).into_response())
}
