//! Templates and the OLTs they are pushed to.

use axum::{
    http::{HeaderMap, StatusCode},
    response::Response,
};
use db::Tx;
use engine::Word as _;
use host::{Failure, Listed, Span, check::Check, merged, tagged};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Path, Query};

use super::{
    Desk, Noun, done, missing,
    plan::{FitView, demands},
};
use crate::{
    Context,
    decisions::templates::{self as decide, Wish},
    model::{
        After, Interval, JobType, Oid, Olt, OltId, Priority, Space, Template, TemplateId,
        TemplateNode, TemplateNodeId,
    },
    policy::Action,
    rules::{
        feasibility::{self, Demand},
        template as rules,
    },
    store::{nodes, olts, policy, templates},
    wire::TemplateView,
};

pub(super) const TEMPLATE: Noun = Noun {
    missing: "PLANTILLA_INEXISTENTE",
    es: "No existe esa plantilla.",
    en: "There is no such template.",
    repeated: ("Ya hay una plantilla con ese nombre.", "There is a template with that name."),
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(one, update, remove))
        .routes(routes!(forecast))
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlantillaNueva)]
struct TemplateRequest {
    #[schema(min_length = 1, max_length = 100)]
    nombre: String,
    activa: Option<bool>,
    #[serde(default)]
    nodos: Vec<TemplateNodeRequest>,
    /// The OLTs it is pushed to.
    #[serde(default)]
    olts: Vec<i64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NodoDePlantillaNuevo)]
struct TemplateNodeRequest {
    /// Ignored: nodes of a template are known by their key.
    #[serde(default, skip_serializing)]
    #[schema(ignore)]
    #[allow(dead_code)]
    id: Option<i64>,
    #[schema(min_length = 1, max_length = 120)]
    clave: String,
    nombre: Option<String>,
    job_type: String,
    espacio: Option<String>,
    oid: Option<String>,
    interval_seconds: Option<i64>,
    priority: Option<i64>,
    enabled: Option<bool>,
    maestro: Option<String>,
    tras_maestro: Option<String>,
}

impl TemplateRequest {
    fn standing(template: &Template, olts: &[OltId]) -> Self {
        let view = TemplateView::new(template, olts.iter().map(|olt| olt.0).collect());
        let node = |node: &crate::wire::TemplateNodeView| TemplateNodeRequest {
            id: None,
            clave: node.clave.clone(),
            nombre: Some(node.nombre.clone()),
            job_type: node.job_type.to_owned(),
            espacio: node.espacio.map(str::to_owned),
            oid: node.oid.clone(),
            interval_seconds: Some(node.interval_seconds),
            priority: Some(node.priority),
            enabled: Some(node.enabled),
            maestro: node.maestro.clone(),
            tras_maestro: node.tras_maestro.map(str::to_owned),
        };
        Self {
            nodos: view.nodos.iter().map(node).collect(),
            nombre: view.nombre,
            activa: Some(view.activa),
            olts: view.olts,
        }
    }
}

/// Most nodes of a template, most OLTs it is pushed to.
const MOST_NODES: usize = 100;
const MOST_OLTS: usize = 10_000;

fn typed(desk: &Desk, known: &[Olt], request: &TemplateRequest) -> Result<Wish, Failure> {
    let mut check = Check::new(desk.lang);
    let name = check.name("nombre", &request.nombre, 100);
    if request.nodos.len() > MOST_NODES {
        check.wrong("nodos", "son demasiados", "are too many");
    }
    if request.olts.len() > MOST_OLTS {
        check.wrong("olts", "son demasiadas", "are too many");
    }
    let mut nodes = Vec::new();
    for (at, node) in request.nodos.iter().take(MOST_NODES).enumerate() {
        nodes.extend(typed_node(&mut check, at, node));
    }
    if nodes.len() == request.nodos.len() {
        for (path, es, en) in rules::check(&nodes) {
            check.wrong(&path, &es, &en);
        }
    }
    let mut olts: Vec<OltId> = request.olts.iter().copied().map(OltId).collect();
    olts.sort_unstable();
    olts.dedup();
    for (at, olt) in request.olts.iter().enumerate() {
        if !known.iter().any(|one| one.id.0 == *olt) {
            check.wrong(&format!("olts[{at}]"), "no existe esa OLT", "there is no such OLT");
        }
    }
    check.finish()?;
    Ok(Wish { name, active: request.activa.unwrap_or(true), nodes, olts })
}

fn typed_node(check: &mut Check, at: usize, node: &TemplateNodeRequest) -> Option<TemplateNode> {
    let path = |field: &str| format!("nodos[{at}].{field}");
    let key = check.name(&path("clave"), &node.clave, 120);
    let name = check.text(&path("nombre"), node.nombre.as_deref(), 120);
    let job = JobType::from_word(node.job_type.trim());
    if job.is_none() {
        let text = "descubrimiento, get";
        check.wrong(&path("job_type"), text, text);
    }
    let given = |text: &Option<String>| {
        text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let space = given(&node.espacio).map(|word| Space::from_word(&word));
    if space == Some(None) {
        check.wrong(&path("espacio"), "no se conoce", "is not known");
    }
    let oid = given(&node.oid).map(|text| text.parse::<Oid>());
    if let Some(Err(fault)) = &oid {
        let (es, en) = fault.sentence();
        check.wrong(&path("oid"), es, en);
    }
    let chained = given(&node.maestro).is_some();
    let seconds = node.interval_seconds.filter(|seconds| !chained || *seconds != 0);
    let interval = Interval::new(seconds.unwrap_or(300));
    if interval.is_none() {
        let es = format!("debe ser de {} a {}", Interval::LEAST, Interval::MOST);
        let en = format!("must be from {} to {}", Interval::LEAST, Interval::MOST);
        check.wrong(&path("interval_seconds"), &es, &en);
    }
    let priority = Priority::new(node.priority.unwrap_or(3));
    if priority.is_none() {
        check.wrong(&path("priority"), "debe ser de 1 a 5", "must be from 1 to 5");
    }
    let after = After::from_word(node.tras_maestro.as_deref().unwrap_or("EXITO"));
    if after.is_none() {
        let text = "EXITO, EXITO_O_FALLO";
        check.wrong(&path("tras_maestro"), text, text);
    }
    Some(TemplateNode {
        id: TemplateNodeId(0),
        name: name.unwrap_or_else(|| key.clone()),
        key,
        job: job?,
        space: space.flatten(),
        oid: oid.transpose().ok()?,
        interval: interval?,
        priority: priority?,
        enabled: node.enabled.unwrap_or(true),
        master: given(&node.maestro).zip(after),
    })
}

pub(super) async fn view(tx: &mut Tx, template: &Template) -> Result<TemplateView, Failure> {
    let olts = templates::links(tx, template.id).await?;
    Ok(TemplateView::new(template, olts.iter().map(|olt| olt.0).collect()))
}

#[utoipa::path(get, path = "/api/coordinador/plantillas", tag = "coordinador", params(Span),
    responses((status = 200, body = Listed<TemplateView>)))]
async fn list(
    desk: Desk,
    Query(span): Query<Span>,
) -> Result<axum::Json<Listed<TemplateView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let mut views = Vec::new();
    for template in templates::all(&mut tx).await? {
        views.push(view(&mut tx, &template).await?);
    }
    views.sort_by_key(|view| view.id);
    Ok(axum::Json(span.of(views, |view| view.id)))
}

async fn shown(desk: &Desk, id: TemplateId, status: StatusCode) -> Result<Response, Failure> {
    let mut tx = desk.context.store.read().await?;
    let template = templates::find(&mut tx, id).await?;
    let template = template.ok_or_else(|| missing(desk.lang, TEMPLATE))?;
    Ok(tagged(status, template.version, view(&mut tx, &template).await?))
}

/// Makes a template and pushes it to its OLTs.
#[utoipa::path(post, path = "/api/coordinador/plantillas", request_body = TemplateRequest,
    tag = "coordinador",
    responses((status = 201, body = TemplateView)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<TemplateRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let known = olts::all(&mut desk.context.store.read().await?).await?;
    let wish = typed(&desk, &known, &request)?;
    let created = decide::create(&desk.context, &desk.by(), &wish, desk.now).await?;
    let id = done(&desk, TEMPLATE, created)?;
    shown(&desk, id, StatusCode::CREATED).await
}

#[utoipa::path(get, path = "/api/coordinador/plantillas/{id}", params(("id" = i64, Path)),
    tag = "coordinador",
    responses((status = 200, body = TemplateView)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    shown(&desk, TemplateId(id), StatusCode::OK).await
}

/// Changes the fields that are named and pushes them; what a person changed on an OLT stays.
#[utoipa::path(put, path = "/api/coordinador/plantillas/{id}", request_body = TemplateRequest,
    tag = "coordinador", params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = TemplateView)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    web::Json(change): web::Json<Map<String, Json>>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let expected = desk.expected_version(&headers)?;
    let known = olts::all(&mut desk.context.store.read().await?).await?;
    let typed = |standing: &Template, links: &[OltId]| {
        let standing = TemplateRequest::standing(standing, links);
        typed(&desk, &known, &merged(&standing, change.clone(), desk.lang)?)
    };
    let (context, by, id) = (&desk.context, desk.by(), TemplateId(id));
    let changed = decide::update(context, &by, id, expected, typed, desk.now).await?;
    let id = done(&desk, TEMPLATE, changed)?;
    shown(&desk, id, StatusCode::OK).await
}

/// Deletes a template and the nodes that were made from it.
#[utoipa::path(delete, path = "/api/coordinador/plantillas/{id}", tag = "coordinador",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 204)))]
async fn remove(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
) -> Result<StatusCode, Failure> {
    desk.require(Action::Edit)?;
    let expected = desk.expected_version(&headers)?;
    let id = TemplateId(id);
    let deleted = decide::delete(&desk.context, &desk.by(), id, expected, desk.now).await?;
    done(&desk, TEMPLATE, deleted)?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PlantillaFactibilidad)]
struct ForecastView {
    antes: FitView,
    despues: FitView,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Standing {
    /// The template that it would take the place of.
    id: Option<i64>,
}

/// What a template would add to the load if it were pushed as given. Nothing is changed.
#[utoipa::path(post, path = "/api/coordinador/plantillas/factibilidad",
    request_body = TemplateRequest, tag = "coordinador", params(Standing),
    responses((status = 200, body = ForecastView)))]
async fn forecast(
    desk: Desk,
    Query(standing): Query<Standing>,
    web::Json(request): web::Json<TemplateRequest>,
) -> Result<axum::Json<ForecastView>, Failure> {
    desk.require(Action::Read)?;
    let known = olts::all(&mut desk.context.store.read().await?).await?;
    let wish = typed(&desk, &known, &request)?;
    let mut tx = desk.context.store.read().await?;
    let policy = policy::load(&desk.context, &mut tx).await?;
    let present = demands(&mut tx).await?;
    let others = nodes::demands(&mut tx, standing.id.map(TemplateId)).await?;
    let mut added = Vec::new();
    for node in wish.nodes.iter().filter(|node| node.enabled && node.master.is_none()) {
        let members = wish.nodes.iter().filter(|other| {
            other.enabled && other.master.as_ref().is_some_and(|(key, _)| *key == node.key)
        });
        let chained = u32::try_from(members.count()).unwrap_or(u32::MAX);
        let one = Demand { interval: node.interval, chained };
        added.extend(std::iter::repeat_n(one, wish.olts.len()));
    }
    let before = feasibility::forecast(present, &policy.limits);
    let (_, after) = feasibility::what_if(&others, &added, &policy.limits);
    Ok(axum::Json(ForecastView { antes: FitView::new(&before), despues: FitView::new(&after) }))
}
