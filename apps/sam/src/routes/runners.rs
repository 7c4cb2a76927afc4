//! Runners (*equipos*).

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use db::{Decision, Error};
use host::{Context, Failure};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Path, Problem, Query};

use super::{Desk, Listed, Span, as_json, by, check::Check, conflict, merged, tagged, unknown};
use crate::{
    model::{Hold, Licence, PoolId, Runner, RunnerId},
    policy::Action,
    room::stir,
    store::{self, assignments, pools, runners},
    wire::RunnerView,
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(one, update, remove))
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamEquipoNuevo)]
pub(super) struct RunnerRequest {
    /// The id of its device in the Control Room; chosen when absent.
    #[schema(minimum = 1)]
    id: Option<i64>,
    #[schema(min_length = 1, max_length = 100)]
    equipo: String,
    /// The user it runs as.
    #[schema(minimum = 1)]
    user_id: i64,
    user_name: Option<String>,
    #[schema(example = "RUNTIME, ANALYTICS")]
    licencia: Option<String>,
    activo_sam: Option<bool>,
    permite_balanceo_dinamico: Option<bool>,
    pool_id: Option<i64>,
}

impl RunnerRequest {
    pub(super) fn of(runner: &Runner, scheduled: bool) -> Self {
        Self {
            id: Some(runner.id.0),
            equipo: runner.name.clone(),
            user_id: runner.user_id,
            user_name: runner.user_name.clone(),
            licencia: Some(runner.licence.text()),
            activo_sam: Some(runner.active),
            permite_balanceo_dinamico: Some(runner.dynamic && !scheduled),
            pool_id: runner.pool.map(|pool| pool.0),
        }
    }
}

fn typed(desk: &Desk, request: &RunnerRequest) -> Result<Runner, Failure> {
    let mut check = Check::new(desk.lang);
    let id = request.id.unwrap_or(0);
    if request.id.is_some() {
        check.within("id", id, 1, i64::from(u32::MAX));
    }
    let name = check.name("equipo", &request.equipo, 100).to_uppercase();
    let user_id = check.within("user_id", request.user_id, 1, i64::from(u32::MAX));
    let user_name = check.text("user_name", request.user_name.as_deref(), 100);
    let licence = check.text("licencia", request.licencia.as_deref(), 500).unwrap_or_default();
    check.finish()?;
    Ok(Runner {
        id: RunnerId(id),
        name,
        user_id,
        user_name,
        licence: Licence::parse(&licence),
        active: request.activo_sam.unwrap_or(true),
        dynamic: request.permite_balanceo_dinamico.unwrap_or(false),
        pool: request.pool_id.map(PoolId),
        connected: None,
        seen_name: None,
        version: 1,
    })
}

pub(super) fn missing(desk: &Desk) -> Problem {
    unknown(desk, "EQUIPO_INEXISTENTE", "No existe ese equipo.", "There is no such runner.")
}

async fn refused(desk: &Desk, tx: &mut db::Tx, runner: &Runner) -> Result<Option<Problem>, Error> {
    let other = runners::by_name(tx, &runner.name).await?;
    if other.is_some_and(|other| other.id != runner.id) {
        let (es, en) = ("Ya hay un equipo con ese nombre.", "There is a runner with that name.");
        return Ok(Some(conflict(desk.lang, "NOMBRE_REPETIDO", es, en)));
    }
    if let Some(pool) = runner.pool
        && pools::find(tx, pool).await?.is_none()
    {
        return Ok(Some(super::pools::missing(desk)));
    }
    Ok(None)
}

/// Every runner by id.
#[utoipa::path(get, path = "/api/sam/equipos", tag = "sam", params(Span),
    responses((status = 200, body = Listed<RunnerView>), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 503, body = Problem)))]
async fn list(
    desk: Desk,
    Query(span): Query<Span>,
) -> Result<axum::Json<Listed<RunnerView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let assigned = assignments::all(&mut tx).await?;
    let scheduled: std::collections::HashSet<_> =
        assigned.iter().filter(|one| one.hold == Hold::Scheduled).map(|one| one.runner).collect();
    let all = runners::all(&mut tx).await?;
    let views = all.iter().map(|one| RunnerView::new(one, scheduled.contains(&one.id))).collect();
    Ok(axum::Json(span.of(views, |view| view.id)))
}

#[utoipa::path(get, path = "/api/sam/equipos/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 200, body = RunnerView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 503, body = Problem)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let runner = runners::find(&mut tx, RunnerId(id)).await?.ok_or_else(|| missing(&desk))?;
    let scheduled = assignments::is_scheduled(&mut tx, runner.id).await?;
    Ok(tagged(StatusCode::OK, runner.version, RunnerView::new(&runner, scheduled)))
}

#[utoipa::path(post, path = "/api/sam/equipos", request_body = RunnerRequest, tag = "sam",
    responses((status = 201, body = RunnerView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem), (status = 415, body = Problem),
              (status = 422, body = Problem), (status = 503, body = Problem)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<RunnerRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let view = save(&desk, &mut decision, None, &request).await?;
    decision.commit().await?;
    stir(&desk.context);
    Ok(tagged(StatusCode::CREATED, view.version, view))
}

/// Writes a runner as it is asked for, new or over the one before.
pub(super) async fn save(
    desk: &Desk,
    decision: &mut Decision,
    before: Option<(&Runner, bool)>,
    request: &RunnerRequest,
) -> Result<RunnerView, Failure> {
    let mut runner = typed(desk, request)?;
    let scheduled = before.is_some_and(|(_, scheduled)| scheduled);
    if scheduled && runner.dynamic {
        let (es, en) = (
            "Una programación usa el equipo: no puede entrar al balanceo hasta que se quite.",
            "A schedule uses the runner: it cannot be balanced until that goes.",
        );
        return Err(conflict(desk.lang, "EQUIPO_PROGRAMADO", es, en).into());
    }
    if let Some((before, _)) = before {
        runner.id = before.id;
        runner.version = before.version;
        runner.seen_name.clone_from(&before.seen_name);
        runner.connected = before.connected;
        // While a schedule suspends it, what the operator set before is kept for afterwards.
        runner.dynamic = if scheduled { before.dynamic } else { runner.dynamic };
    } else if runner.id.0 != 0 && runners::find(&mut decision.tx, runner.id).await?.is_some() {
        let (es, en) = ("Ya hay un equipo con ese id.", "There is a runner with that id.");
        return Err(conflict(desk.lang, "ID_REPETIDO", es, en).into());
    }
    if let Some(problem) = refused(desk, &mut decision.tx, &runner).await? {
        return Err(problem.into());
    }
    if before.is_some() {
        runners::update(&mut decision.tx, &runner).await?;
        runner.version += 1;
    } else {
        runner.id = runners::insert(&mut decision.tx, &runner).await?;
    }
    let view = RunnerView::new(&runner, scheduled);
    let action = if before.is_some() { "equipo.editar" } else { "equipo.crear" };
    let mut entry = by(desk).did(action, format!("equipo/{}", runner.id));
    entry.before =
        before.map(|(before, _)| as_json(RunnerView::new(before, scheduled))).transpose()?;
    entry.after = Some(as_json(&view)?);
    decision.audit(entry);
    Ok(view)
}

/// Changes the fields that are named. What the Control Room says of it stays.
#[utoipa::path(put, path = "/api/sam/equipos/{id}", request_body = RunnerRequest, tag = "sam",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = RunnerView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem), (status = 412, body = Problem),
              (status = 415, body = Problem), (status = 422, body = Problem),
              (status = 503, body = Problem)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    web::Json(change): web::Json<Map<String, Json>>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let expected = desk.expected_version(&headers)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let before = runners::find(&mut decision.tx, RunnerId(id)).await?;
    let before = before.ok_or_else(|| missing(&desk))?;
    if expected.is_some_and(|expected| expected != before.version) {
        return Err(desk.stale(before.version).into());
    }
    let scheduled = assignments::is_scheduled(&mut decision.tx, before.id).await?;
    let request = merged(&RunnerRequest::of(&before, scheduled), change, desk.lang)?;
    let view = save(&desk, &mut decision, Some((&before, scheduled)), &request).await?;
    decision.commit().await?;
    stir(&desk.context);
    Ok(tagged(StatusCode::OK, view.version, view))
}

/// Removes a runner that never ran and that nothing names; otherwise put it in maintenance.
#[utoipa::path(delete, path = "/api/sam/equipos/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 409, body = Problem),
              (status = 503, body = Problem)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let runner = runners::find(&mut decision.tx, RunnerId(id)).await?;
    let runner = runner.ok_or_else(|| missing(&desk))?;
    if runners::in_use(&mut decision.tx, runner.id).await? {
        let (es, en) = (
            "El equipo tiene historia o asignaciones: ponelo en mantenimiento.",
            "The runner has history or assignments: put it in maintenance.",
        );
        return Err(conflict(desk.lang, "EN_USO", es, en).into());
    }
    runners::remove(&mut decision.tx, runner.id).await?;
    let mut entry = by(&desk).did("equipo.borrar", format!("equipo/{id}"));
    entry.before = Some(as_json(RunnerView::new(&runner, false))?);
    decision.audit(entry);
    decision.commit().await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
