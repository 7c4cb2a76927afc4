//! *Operadores* (§14.3) and what people corrected.

use axum::{
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use host::Failure;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Json, Path, Problem, Query};

use super::{AtDesk as _, Desk};
use crate::{
    Context,
    decisions::{self, Refusal, people},
    policy::Action,
    rules::{assign::Presence, shift},
    store::{
        corrections,
        operators::{self, OperatorRow},
        policy, reviews,
    },
    wire::people::{CorrectionView, OperatorBody, OperatorView, ShiftBody},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list, add))
        .routes(routes!(change))
        .routes(routes!(learnt))
        .routes(routes!(mark))
}

/// Operators with their presence and load.
#[utoipa::path(get, path = "/api/docproc/operators", tag = "docproc",
    params(Paged), responses((status = 200, body = OperatorList)))]
async fn list(desk: Desk, Query(asked): Query<Paged>) -> Result<Response, Failure> {
    desk.require(Action::Review)?;
    let mut items = views(&desk).await?;
    items.sort_by(|one, other| one.username.cmp(&other.username));
    if let Some(after) = &asked.cursor {
        items.retain(|one| one.username > *after);
    }
    let limit = asked.limit.unwrap_or(MOST).clamp(1, MOST) as usize;
    let more = items.len() > limit;
    items.truncate(limit);
    let next = items.last().filter(|_| more).map(|last| last.username.clone());
    Ok(axum::Json(OperatorList { items, next }).into_response())
}

const MOST: u32 = 500;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Paged {
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
    cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct OperatorList {
    items: Vec<OperatorView>,
    next: Option<String>,
}

pub(super) async fn views(desk: &Desk) -> Result<Vec<OperatorView>, Failure> {
    let mut tx = desk.context.store.read().await?;
    let task_timeout = policy::load(&desk.context.settings, &mut tx).await?.desk.task_timeout;
    let rows = operators::all(&mut tx).await?;
    let held = reviews::loads(&mut tx).await?;
    let local = desk.now.to_zoned(desk.context.zone.clone()).datetime();
    let view = |row: OperatorRow| {
        let presence = match row.for_rules().presence(desk.now, task_timeout) {
            Presence::Here => "here",
            Presence::Assumed => "assumed",
            Presence::Silent => "silent",
        };
        let theirs = held.get(&row.username).copied().unwrap_or_default();
        let in_shift = shift::at_work(&row.shifts, local);
        OperatorView::new(row, in_shift, presence, theirs)
    };
    Ok(rows.into_iter().map(view).collect())
}

/// Registers an operator.
#[utoipa::path(post, path = "/api/docproc/operators", tag = "docproc",
    request_body = OperatorBody,
    responses((status = 201, body = OperatorView)))]
async fn add(desk: Desk, Json(body): Json<OperatorBody>) -> Result<Response, Failure> {
    desk.require(Action::Staff)?;
    let username = body.username.clone().unwrap_or_default();
    let row = checked(&desk, &username, &body, None)?;
    put(&desk, &row, true).await
}

/// Changes an operator; what is left out stays as it was.
#[utoipa::path(put, path = "/api/docproc/operators/{username}", tag = "docproc",
    params(("username" = String, Path)), request_body = OperatorBody,
    responses((status = 200, body = OperatorView)))]
async fn change(
    desk: Desk,
    Path(username): Path<String>,
    Json(body): Json<OperatorBody>,
) -> Result<Response, Failure> {
    desk.require(Action::Staff)?;
    let before = operators::find(&mut desk.context.store.read().await?, &username).await?;
    let before = before.ok_or_else(|| no_operator(&desk))?;
    let row = checked(&desk, &username, &body, Some(&before))?;
    put(&desk, &row, false).await
}

async fn put(desk: &Desk, row: &OperatorRow, new: bool) -> Result<Response, Failure> {
    let done = people::put_operator(&desk.context, &desk.by(), row, new).await?;
    let row = match done {
        Ok(row) => row,
        Err(Refusal::NotFound) => return Err(no_operator(desk).into()),
        Err(refusal) => return Err(desk.refused(&refusal).into()),
    };
    let view = views(desk).await?.into_iter().find(|one| one.username == row.username);
    let view = view.ok_or_else(|| no_operator(desk))?;
    let status = if new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, axum::Json(view)).into_response())
}

fn no_operator(desk: &Desk) -> Problem {
    Problem::not_found("OPERADOR_INEXISTENTE")
        .lang(desk.lang)
        .detail(desk.lang.t("No existe ese operador.", "Operator not found."))
}

/// A profile that makes sense, or every reason why it does not.
fn checked(
    desk: &Desk,
    username: &str,
    body: &OperatorBody,
    before: Option<&OperatorRow>,
) -> Result<OperatorRow, Failure> {
    let lang = desk.lang;
    let username = username.trim();
    let mut wrong: Vec<(&str, &str)> = Vec::new();
    let plain = |text: &str, most: usize| {
        text.chars().count() <= most && !text.chars().any(char::is_control)
    };
    if username.is_empty() || !plain(username, 100) {
        wrong.push(("username", lang.t("Entre 1 y 100 caracteres.", "From 1 to 100 characters.")));
    }
    if body.username.as_deref().is_some_and(|name| name.trim() != username) {
        wrong.push(("username", lang.t("El nombre no se cambia.", "The name cannot change.")));
    }
    let display = body.display_name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let display = display.or(before.map(|one| one.display_name.as_str())).unwrap_or(username);
    if !plain(display, 200) {
        wrong.push((
            "display_name",
            lang.t("200 caracteres como mucho.", "At most 200 characters."),
        ));
    }
    let mut skills: Vec<String> = match (&body.skills, before) {
        (Some(skills), _) => skills.iter().map(|skill| skill.trim().to_owned()).collect(),
        (None, Some(before)) => before.skills.clone(),
        (None, None) => Vec::new(),
    };
    skills.retain(|skill| !skill.is_empty());
    if skills.len() > 100 || !skills.iter().all(|skill| plain(skill, 100)) {
        wrong.push(("skills", lang.t("100 como mucho, cortas.", "At most 100, short ones.")));
    }
    let shifts = match (&body.shifts, before) {
        (Some(shifts), _) => shifts.iter().take(50).map(ShiftBody::shift).collect(),
        (None, Some(before)) => Some(before.shifts.clone()),
        (None, None) => Some(Vec::new()),
    };
    if shifts.is_none() {
        let text =
            lang.t("Días mon…sun o Lu…Do, horas HH:MM.", "Days mon…sun or Lu…Do, times HH:MM.");
        wrong.push(("shifts", text));
    }
    if !wrong.is_empty() {
        let detail = lang.t("El perfil no es válido.", "The profile is not valid.");
        let problem = Problem::unprocessable("OPERADOR_INVALIDO").lang(lang).detail(detail);
        let told = |problem: Problem, (path, text): (&str, &str)| problem.error(path, text);
        return Err(wrong.into_iter().fold(problem, told).into());
    }
    Ok(OperatorRow {
        username: username.to_owned(),
        display_name: display.to_owned(),
        skills,
        shifts: shifts.unwrap_or_default(),
        active: body.is_active.unwrap_or(before.is_none_or(|one| one.active)),
        seen_at: None,
        lapsed_at: None,
        given_at: None,
        version: 1,
        created_at: desk.now,
    })
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    /// classification, extraction or grouping.
    kind: Option<String>,
    golden: Option<bool>,
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
    cursor: Option<String>,
}

/// What people corrected, newest first.
#[utoipa::path(get, path = "/api/docproc/corrections", tag = "docproc", params(Asked),
    responses((status = 200, body = Object)))]
async fn learnt(desk: Desk, Query(asked): Query<Asked>) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    let limit = i64::from(asked.limit.unwrap_or(50).clamp(1, 500));
    let mut tx = desk.context.store.read().await?;
    let (kind, cursor) = (asked.kind.as_deref(), asked.cursor.as_deref());
    let rows = corrections::list(&mut tx, kind, asked.golden, cursor, limit).await?;
    let next = rows.last().filter(|_| rows.len() as i64 == limit).map(|row| row.id.clone());
    let items: Vec<CorrectionView> = rows.into_iter().map(CorrectionView::from).collect();
    Ok(axum::Json(serde_json::json!({ "items": items, "next": next })).into_response())
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Mark {
    golden: bool,
}

/// Marks a correction as a case to be judged by, or no longer.
#[utoipa::path(put, path = "/api/docproc/corrections/{id}", tag = "docproc",
    params(("id" = String, Path, description = "UUID")), request_body = Mark,
    responses((status = 200, body = CorrectionView)))]
async fn mark(
    desk: Desk,
    Path(id): Path<String>,
    Json(Mark { golden }): Json<Mark>,
) -> Result<Response, Failure> {
    desk.require(Action::Staff)?;
    let id = desk.id(&id)?;
    let marked = decisions::answers::mark(&desk.context, &desk.by(), &id, golden).await?;
    match marked {
        Some(row) => Ok(axum::Json(CorrectionView::from(row)).into_response()),
        None => Err(Problem::not_found("CORRECCION_INEXISTENTE")
            .lang(desk.lang)
            .detail(desk.lang.t("No existe esa corrección.", "Correction not found."))
            .into()),
    }
}
