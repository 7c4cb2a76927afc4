//! Pools and who is in them.

use std::collections::{BTreeSet, HashMap};

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use db::{Error, Tx};
use host::{Context, Failure};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Path, Problem, Query};

use super::{Desk, Listed, Span, as_json, by, check::Check, conflict, merged, tagged, unknown};
use crate::{
    decisions::emit,
    model::{Pool, PoolId, RobotId, RunnerId},
    policy::Action,
    room::stir,
    store::{self, policy, pools, robots, runners},
    wire::PoolView,
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(one, update, remove))
        .routes(routes!(set_members))
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamPoolNuevo)]
struct PoolRequest {
    #[schema(min_length = 1, max_length = 100)]
    nombre: String,
    descripcion: Option<String>,
    /// A pool switched off is left alone by the balancer.
    activo: Option<bool>,
}

#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamMiembros)]
struct Members {
    #[serde(default)]
    robots: Vec<i64>,
    #[serde(default)]
    equipos: Vec<i64>,
}

fn typed(desk: &Desk, request: &PoolRequest) -> Result<Pool, Failure> {
    let mut check = Check::new(desk.lang);
    let name = check.name("nombre", &request.nombre, 100);
    let description = check.text("descripcion", request.descripcion.as_deref(), 500);
    check.finish()?;
    let active = request.activo.unwrap_or(true);
    Ok(Pool { id: PoolId(0), name, description, active, version: 1 })
}

pub(super) fn missing(desk: &Desk) -> Problem {
    unknown(desk, "POOL_INEXISTENTE", "No existe ese pool.", "There is no such pool.")
}

fn repeated(desk: &Desk) -> Problem {
    let (es, en) = ("Ya hay un pool con ese nombre.", "There is a pool with that name.");
    conflict(desk.lang, "NOMBRE_REPETIDO", es, en)
}

async fn views(desk: &Desk, tx: &mut Tx, pools: &[Pool]) -> Result<Vec<PoolView>, Error> {
    let mut members: HashMap<PoolId, (Vec<i64>, Vec<i64>)> = HashMap::new();
    for robot in robots::all(tx).await? {
        if let Some(pool) = robot.pool {
            members.entry(pool).or_default().0.push(robot.id.0);
        }
    }
    for runner in runners::all(tx).await? {
        if let Some(pool) = runner.pool {
            members.entry(pool).or_default().1.push(runner.id.0);
        }
    }
    let rules = policy::load(&desk.context.settings, &desk.context.zone, tx).await?;
    let changes = pools::changes(tx).await?;
    let rests = |pool: &Pool| {
        let until: Timestamp = *changes.get(&pool.id.0)? + rules.cooling;
        (desk.now < until).then_some(until)
    };
    Ok(pools
        .iter()
        .map(|pool| {
            let (robots, runners) = members.remove(&pool.id).unwrap_or_default();
            PoolView::new(pool, robots, runners, rests(pool))
        })
        .collect())
}

async fn view(desk: &Desk, tx: &mut Tx, pool: Pool) -> Result<PoolView, Error> {
    let found = views(desk, tx, std::slice::from_ref(&pool)).await?.pop();
    found.ok_or_else(|| Error::corrupt("a pool without its view"))
}

#[utoipa::path(get, path = "/api/sam/pools", tag = "sam", params(Span),
    responses((status = 200, body = Listed<PoolView>), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 503, body = Problem)))]
async fn list(
    desk: Desk,
    Query(span): Query<Span>,
) -> Result<axum::Json<Listed<PoolView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let mut all = pools::all(&mut tx).await?;
    all.sort_by_key(|pool| pool.id);
    let views = views(&desk, &mut tx, &all).await?;
    Ok(axum::Json(span.of(views, |view| view.id)))
}

#[utoipa::path(get, path = "/api/sam/pools/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 200, body = PoolView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 503, body = Problem)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let pool = pools::find(&mut tx, PoolId(id)).await?.ok_or_else(|| missing(&desk))?;
    let view = view(&desk, &mut tx, pool).await?;
    Ok(tagged(StatusCode::OK, view.version, view))
}

#[utoipa::path(post, path = "/api/sam/pools", request_body = PoolRequest, tag = "sam",
    responses((status = 201, body = PoolView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 409, body = Problem),
              (status = 415, body = Problem), (status = 422, body = Problem),
              (status = 503, body = Problem)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<PoolRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let mut pool = typed(&desk, &request)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    if pools::by_name(&mut decision.tx, &pool.name).await?.is_some() {
        return Err(repeated(&desk).into());
    }
    pool.id = pools::insert(&mut decision.tx, &pool).await?;
    let view = view(&desk, &mut decision.tx, pool).await?;
    let mut entry = by(&desk).did("pool.crear", format!("pool/{}", view.id));
    entry.after = Some(as_json(&view)?);
    decision.audit(entry);
    decision.commit().await?;
    Ok(tagged(StatusCode::CREATED, view.version, view))
}

#[utoipa::path(put, path = "/api/sam/pools/{id}", request_body = PoolRequest, tag = "sam",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = PoolView), (status = 400, body = Problem),
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
    let before = pools::find(&mut decision.tx, PoolId(id)).await?;
    let before = before.ok_or_else(|| missing(&desk))?;
    if expected.is_some_and(|expected| expected != before.version) {
        return Err(desk.stale(before.version).into());
    }
    let standing = PoolRequest {
        nombre: before.name.clone(),
        descripcion: before.description.clone(),
        activo: Some(before.active),
    };
    let wanted = typed(&desk, &merged(&standing, change, desk.lang)?)?;
    let pool = Pool { id: before.id, version: before.version, ..wanted };
    let other = pools::by_name(&mut decision.tx, &pool.name).await?;
    if other.is_some_and(|other| other.id != pool.id) {
        return Err(repeated(&desk).into());
    }
    pools::update(&mut decision.tx, &pool).await?;
    let pool = Pool { version: pool.version + 1, ..pool };
    let mut entry = by(&desk).did("pool.editar", format!("pool/{id}"));
    entry.before = Some(json!({ "nombre": before.name, "activo": before.active }));
    entry.after = Some(json!({ "nombre": pool.name, "activo": pool.active }));
    decision.audit(entry);
    let view = view(&desk, &mut decision.tx, pool).await?;
    decision.commit().await?;
    stir(&desk.context);
    Ok(tagged(StatusCode::OK, view.version, view))
}

/// Removes a pool; its members go on without one.
#[utoipa::path(delete, path = "/api/sam/pools/{id}", params(("id" = i64, Path)), tag = "sam",
    responses((status = 204), (status = 400, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 503, body = Problem)))]
async fn remove(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let pool = pools::find(&mut decision.tx, PoolId(id)).await?.ok_or_else(|| missing(&desk))?;
    let before = view(&desk, &mut decision.tx, pool.clone()).await?;
    pools::remove(&mut decision.tx, pool.id).await?;
    let mut entry = by(&desk).did("pool.borrar", format!("pool/{id}"));
    entry.before = Some(as_json(&before)?);
    decision.audit(entry);
    decision.commit().await?;
    stir(&desk.context);
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Makes these, and only these, the members; each leaves the pool it was in.
#[utoipa::path(put, path = "/api/sam/pools/{id}/miembros", request_body = Members, tag = "sam",
    params(("id" = i64, Path)),
    responses((status = 200, body = PoolView), (status = 400, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 415, body = Problem), (status = 422, body = Problem),
              (status = 503, body = Problem)))]
async fn set_members(
    desk: Desk,
    Path(id): Path<i64>,
    web::Json(members): web::Json<Members>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let pool = pools::find(&mut decision.tx, PoolId(id)).await?.ok_or_else(|| missing(&desk))?;
    let before = view(&desk, &mut decision.tx, pool.clone()).await?;
    let known: BTreeSet<i64> =
        robots::all(&mut decision.tx).await?.iter().map(|one| one.id.0).collect();
    let known_runners: BTreeSet<i64> =
        runners::all(&mut decision.tx).await?.iter().map(|one| one.id.0).collect();
    let mut check = Check::new(desk.lang);
    let strangers = |path: &str, ids: &[i64], known: &BTreeSet<i64>, check: &mut Check| {
        for (n, id) in ids.iter().enumerate().filter(|(_, id)| !known.contains(id)) {
            let (es, en) = (format!("no existe {id}"), format!("there is no {id}"));
            check.wrong(&format!("{path}[{n}]"), &es, &en);
        }
    };
    strangers("robots", &members.robots, &known, &mut check);
    strangers("equipos", &members.equipos, &known_runners, &mut check);
    check.finish()?;
    let robots: Vec<_> = members.robots.iter().copied().map(RobotId).collect();
    let runners: Vec<_> = members.equipos.iter().copied().map(RunnerId).collect();
    pools::set_members(&mut decision.tx, pool.id, &robots, &runners).await?;
    let after = view(&desk, &mut decision.tx, pool).await?;
    let shown = |view: &PoolView| json!({ "robots": view.robots, "equipos": view.equipos });
    let mut entry = by(&desk).did("pool.miembros", format!("pool/{id}"));
    entry.before = Some(shown(&before));
    entry.after = Some(shown(&after));
    decision.audit(entry);
    emit(&mut decision, "pool:miembros", format!("pool/{id}"), shown(&after));
    decision.commit().await?;
    stir(&desk.context);
    Ok(tagged(StatusCode::OK, after.version, after))
}
