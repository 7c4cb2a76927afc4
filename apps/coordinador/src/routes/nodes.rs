//! Nodes, running one now, and why one waits.

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use engine::Word as _;
use host::{Failure, Listed, Span, check::Check, conflict, merged, tagged};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Lang, Path, Problem, Query};

use super::{Desk, Noun, done, missing};
use crate::{
    Context,
    decisions::nodes::{self as decide, Asked as Wish},
    model::{
        After, Column, Interval, JobType, Node, NodeId, Oid, OltId, Override, Overrides, Priority,
        Role, Switch,
    },
    policy::Action,
    rules::{due, why},
    store::{nodes, runs, world},
    wire::{NodeView, RunView},
};

pub(super) const NODE: Noun = Noun {
    missing: "NODO_INEXISTENTE",
    es: "No existe ese nodo.",
    en: "There is no such node.",
    repeated: ("La OLT ya tiene un nodo con esa clave.", "The OLT has a node with that key."),
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(one, update, remove))
        .routes(routes!(run_now))
        .routes(routes!(pause))
        .routes(routes!(reasons))
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NodoNuevo)]
struct NodeRequest {
    olt_id: i64,
    /// Unique on its OLT; made from the name when absent.
    clave: Option<String>,
    #[schema(min_length = 1, max_length = 120)]
    nombre: String,
    /// `descubrimiento` or `get`.
    job_type: String,
    oid: Option<String>,
    /// What a get fills in: `descripcion`, `mac`, `plan_onu`, …
    espacio: Option<String>,
    /// 1 to 2678400; none for members of a chain.
    interval_seconds: Option<i64>,
    #[schema(minimum = 1, maximum = 5)]
    priority: Option<i64>,
    enabled: Option<bool>,
    pausado: Option<bool>,
    /// The first run of its grid; an interval from now when absent.
    next_run_at: Option<Timestamp>,
    /// Makes it a member of this node's chain.
    master_node_id: Option<i64>,
    /// `EXITO` or `EXITO_O_FALLO`.
    tras_maestro: Option<String>,
}

impl NodeRequest {
    fn standing(node: &Node) -> Self {
        let view = NodeView::new(node);
        Self {
            olt_id: view.olt_id,
            clave: Some(view.clave),
            nombre: view.nombre,
            job_type: view.job_type.to_owned(),
            oid: view.oid,
            espacio: view.espacio.map(str::to_owned),
            interval_seconds: view.interval_seconds,
            priority: Some(view.priority),
            enabled: Some(view.enabled),
            pausado: Some(view.pausado),
            next_run_at: view.next_run_at,
            master_node_id: view.master_node_id,
            tras_maestro: view.tras_maestro.map(str::to_owned),
        }
    }

    fn typed(&self, desk: &Desk) -> Result<Node, Failure> {
        let mut check = Check::new(desk.lang);
        let name = check.name("nombre", &self.nombre, 120);
        let key = check.text("clave", self.clave.as_deref(), 120);
        let job = JobType::from_word(self.job_type.trim());
        if job.is_none() {
            check.wrong(
                "job_type",
                "debe ser descubrimiento o get",
                "must be descubrimiento or get",
            );
        }
        let oid = self.oid.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let oid = oid.and_then(|text| {
            let read = text.parse::<Oid>();
            read.inspect_err(|fault| {
                let (es, en) = fault.sentence();
                check.wrong("oid", es, en);
            })
            .ok()
        });
        let column = column(&mut check, self.espacio.as_deref());
        let priority = Priority::new(self.priority.unwrap_or(3));
        if priority.is_none() {
            check.wrong("priority", "debe ser de 1 a 5", "must be from 1 to 5");
        }
        let role = self.role(&mut check, desk.now);
        check.finish()?;
        Ok(Node {
            id: NodeId(0),
            olt: OltId(self.olt_id),
            template: None,
            key: key.unwrap_or_else(|| name.to_lowercase().replace(char::is_whitespace, ".")),
            name,
            job: job.unwrap_or(JobType::Get),
            oid,
            column,
            priority: priority.unwrap_or_default(),
            switch: switch(self.enabled, self.pausado),
            role: role.unwrap_or(Role::Chain { master: NodeId(0), after: After::Success }),
            overrides: Overrides::NONE,
            last_run_at: None,
            last_success_at: None,
            last_failure_at: None,
            version: 1,
        })
    }

    fn role(&self, check: &mut Check, now: Timestamp) -> Option<Role> {
        if let Some(master) = self.master_node_id {
            if self.interval_seconds.is_some_and(|seconds| seconds != 0) {
                check.wrong(
                    "interval_seconds",
                    "un nodo de cadena corre tras su maestro: no lleva intervalo",
                    "a member of a chain runs after its master: it has no interval",
                );
            }
            let word = self.tras_maestro.as_deref().unwrap_or("EXITO");
            let after = After::from_word(word);
            if after.is_none() {
                let text = "EXITO, EXITO_O_FALLO";
                check.wrong("tras_maestro", text, text);
            }
            return Some(Role::Chain { master: NodeId(master), after: after? });
        }
        let Some(interval) = self.interval_seconds.and_then(Interval::new) else {
            let (least, most) = (Interval::LEAST, Interval::MOST);
            let es = format!("debe ser de {least} a {most} segundos");
            let en = format!("must be from {least} to {most} seconds");
            check.wrong("interval_seconds", &es, &en);
            return None;
        };
        let (cadence, next) = match self.next_run_at {
            Some(at) => due::first(interval, at),
            None => due::enabled(interval, now),
        };
        Some(Role::Master { cadence, next_run_at: Some(next) })
    }
}

fn column(check: &mut Check, word: Option<&str>) -> Option<Column> {
    let word = word.map(str::trim).filter(|word| !word.is_empty())?;
    let column = Column::from_word(word);
    if column.is_none() && word != "descubrimiento" {
        let words: Vec<_> = Column::ALL.iter().map(|column| column.word()).collect();
        let words = words.join(", ");
        check.wrong("espacio", &words, &words);
    }
    column
}

fn switch(enabled: Option<bool>, paused: Option<bool>) -> Switch {
    match (enabled.unwrap_or(true), paused.unwrap_or(false)) {
        (false, _) => Switch::Off,
        (true, true) => Switch::Paused,
        (true, false) => Switch::On,
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    olt_id: Option<i64>,
    job_type: Option<String>,
    enabled: Option<bool>,
    /// Part of the name or the key.
    buscar: Option<String>,
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    cursor: Option<i64>,
}

#[utoipa::path(get, path = "/api/coordinador/nodos", tag = "coordinador", params(Asked),
    responses((status = 200, body = Listed<NodeView>)))]
async fn list(
    desk: Desk,
    Query(asked): Query<Asked>,
) -> Result<axum::Json<Listed<NodeView>>, Failure> {
    desk.require(Action::Read)?;
    let span = Span { limit: asked.limit, cursor: asked.cursor };
    let filter = nodes::Filter {
        olt: asked.olt_id.map(OltId),
        job: asked.job_type.as_deref().and_then(JobType::from_word),
        on: asked.enabled,
        part: asked.buscar.filter(|part| !part.is_empty()),
        after: asked.cursor.map(NodeId),
    };
    let mut tx = desk.context.store.read().await?;
    let found = nodes::list(&mut tx, &filter, span.limit() as i64 + 1).await?;
    let views = found.iter().map(NodeView::new).collect();
    Ok(axum::Json(Listed::page(views, span.limit(), |view| view.id)))
}

#[utoipa::path(post, path = "/api/coordinador/nodos", request_body = NodeRequest,
    tag = "coordinador",
    responses((status = 201, body = NodeView)))]
async fn create(
    desk: Desk,
    web::Json(request): web::Json<NodeRequest>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let node = request.typed(&desk)?;
    let created = decide::create(&desk.context, &desk.by(), node, desk.now).await?;
    let node = done(&desk, NODE, created)?;
    Ok(tagged(StatusCode::CREATED, node.version, NodeView::new(&node)))
}

async fn find(desk: &Desk, id: i64) -> Result<Node, Failure> {
    let mut tx = desk.context.store.read().await?;
    let node = nodes::find(&mut tx, NodeId(id)).await?;
    Ok(node.ok_or_else(|| missing(desk.lang, NODE))?)
}

#[utoipa::path(get, path = "/api/coordinador/nodos/{id}", params(("id" = i64, Path)),
    tag = "coordinador",
    responses((status = 200, body = NodeView)))]
async fn one(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let node = find(&desk, id).await?;
    Ok(tagged(StatusCode::OK, node.version, NodeView::new(&node)))
}

/// Changes the fields that are named. The planned run stays; another interval counts from it.
#[utoipa::path(put, path = "/api/coordinador/nodos/{id}", request_body = NodeRequest,
    tag = "coordinador", params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = NodeView)))]
async fn update(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
    web::Json(change): web::Json<Map<String, Json>>,
) -> Result<Response, Failure> {
    desk.require(Action::Edit)?;
    let expected = desk.expected_version(&headers)?;
    let typed = |standing: &Node| {
        let change = change.clone();
        let request: NodeRequest = merged(&NodeRequest::standing(standing), change, desk.lang)?;
        let mut node = request.typed(&desk)?;
        node.overrides = overridden(standing, &node);
        let mut check = Check::new(desk.lang);
        if node.olt != standing.olt {
            check.wrong("olt_id", "un nodo no cambia de OLT", "a node does not change its OLT");
        }
        check.finish()?;
        Ok(node)
    };
    save(&desk, id, expected, typed).await
}

async fn save(
    desk: &Desk,
    id: i64,
    expected: Option<i64>,
    typed: impl Fn(&Node) -> Result<Node, Failure>,
) -> Result<Response, Failure> {
    let (context, by, id) = (&desk.context, desk.by(), NodeId(id));
    let changed = decide::update(context, &by, id, expected, typed, desk.now).await?;
    let node = done(desk, NODE, changed)?;
    Ok(tagged(StatusCode::OK, node.version, NodeView::new(&node)))
}

/// What differs now from the template it came from.
fn overridden(standing: &Node, wanted: &Node) -> Overrides {
    let interval = |node: &Node| node.role.cadence().map(|cadence| cadence.interval);
    let differing = [
        (Override::Interval, interval(standing) != interval(wanted)),
        (Override::Priority, standing.priority != wanted.priority),
        (Override::Enabled, standing.switch != wanted.switch),
        (Override::Oid, standing.oid != wanted.oid),
    ];
    let own = standing.template.is_some();
    let changed = differing.into_iter().filter(|(_, changed)| own && *changed);
    changed.fold(standing.overrides, |overrides, (what, _)| overrides.with(what))
}

/// Deletes a node and the chain that follows it.
#[utoipa::path(delete, path = "/api/coordinador/nodos/{id}", tag = "coordinador",
    params(("id" = i64, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 204)))]
async fn remove(
    desk: Desk,
    Path(id): Path<i64>,
    headers: HeaderMap,
) -> Result<StatusCode, Failure> {
    desk.require(Action::Edit)?;
    let expected = desk.expected_version(&headers)?;
    let deleted = decide::delete(&desk.context, &desk.by(), NodeId(id), expected, desk.now).await?;
    done(&desk, NODE, deleted)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Runs it as soon as it is its turn, whatever its grid says; not counted for its quota.
#[utoipa::path(post, path = "/api/coordinador/nodos/{id}/ejecutar", params(("id" = i64, Path)),
    tag = "coordinador",
    responses((status = 202, body = RunView)))]
async fn run_now(desk: Desk, Path(id): Path<i64>) -> Result<Response, Failure> {
    desk.require(Action::Operate)?;
    let lang = desk.lang;
    let asked = decide::run_now(&desk.context, &desk.by(), NodeId(id), desk.now).await?;
    let run = match asked {
        Wish::Waiting(run) => run,
        Wish::NotFound => return Err(missing(lang, NODE).into()),
        Wish::Live(run) => {
            return Err(Problem::conflict("ALREADY_LIVE")
                .lang(lang)
                .detail(live(lang, run.0))
                .into());
        }
        Wish::OltOff => {
            let (es, en) = ("La OLT está deshabilitada.", "The OLT is disabled.");
            return Err(conflict(lang, "OLT_DISABLED", es, en).into());
        }
        Wish::NoOid => {
            let (es, en) = ("El nodo no tiene OID.", "The node has no OID.");
            return Err(conflict(lang, "NO_OID", es, en).into());
        }
    };
    let mut tx = desk.context.store.read().await?;
    let told = runs::one(&mut tx, run).await?.ok_or_else(|| missing(lang, NODE))?;
    Ok((StatusCode::ACCEPTED, axum::Json(RunView::new(&told, lang))).into_response())
}

fn live(lang: Lang, run: i64) -> String {
    match lang {
        Lang::Es => format!("Ya corre o espera: ejecución {run}."),
        Lang::En => format!("It runs or waits already: run {run}."),
    }
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NodoPausa)]
struct PauseRequest {
    /// False resumes; true, the default, pauses.
    pausado: Option<bool>,
}

/// Pauses a node or lets it go on, on its old grid; slots that went by are not caught up.
#[utoipa::path(post, path = "/api/coordinador/nodos/{id}/pausar", params(("id" = i64, Path)),
    request_body = Option<PauseRequest>, tag = "coordinador",
    responses((status = 200, body = NodeView)))]
async fn pause(
    desk: Desk,
    Path(id): Path<i64>,
    body: Option<web::Json<PauseRequest>>,
) -> Result<Response, Failure> {
    desk.require(Action::Operate)?;
    let wanted = body.and_then(|web::Json(body)| body.pausado).unwrap_or(true);
    let switch = if wanted { Switch::Paused } else { Switch::On };
    let typed = |node: &Node| match node.switch {
        Switch::Off => {
            let (es, en) = ("El nodo está deshabilitado.", "The node is disabled.");
            Err(conflict(desk.lang, "NODE_DISABLED", es, en).into())
        }
        Switch::On | Switch::Paused => Ok(Node { switch, ..node.clone() }),
    };
    save(&desk, id, None, typed).await
}

/// One condition that keeps a node from running.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NodoMotivo)]
pub(crate) struct BecauseView {
    pub(crate) code: &'static str,
    pub(crate) detail: String,
    /// When it stops holding by itself.
    pub(crate) until: Option<Timestamp>,
    #[schema(value_type = serde_json::Value)]
    pub(crate) data: Json,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NodoPorQue)]
pub(crate) struct WhyView {
    pub(crate) nodo_id: i64,
    /// Whether the dispatcher would start it now.
    pub(crate) ready: bool,
    pub(crate) next_run_at: Option<Timestamp>,
    /// In the order in which they are checked.
    pub(crate) reasons: Vec<BecauseView>,
}

/// Every condition that keeps a node from running now, in order.
#[utoipa::path(get, path = "/api/coordinador/nodos/{id}/why", params(("id" = i64, Path)),
    tag = "coordinador",
    responses((status = 200, body = WhyView)))]
async fn reasons(desk: Desk, Path(id): Path<i64>) -> Result<axum::Json<WhyView>, Failure> {
    desk.require(Action::Read)?;
    let node = find(&desk, id).await?;
    Ok(axum::Json(explain(&desk, &node).await?))
}

pub(crate) async fn explain(desk: &Desk, node: &Node) -> Result<WhyView, Failure> {
    let mut tx = desk.context.store.read().await?;
    let mut world = world::load(&desk.context, &mut tx, desk.now).await?;
    world::with_site(&mut tx, &mut world, node.olt).await?;
    let active = world::template_active(&mut tx, node.id).await?;
    let one = std::iter::once(node.id);
    let recent = world::recent_starts(&mut tx, one, desk.now).await?.remove(&node.id);
    let answer = why::node(&world, node, active, recent.unwrap_or_default(), desk.now);
    let zone = &desk.context.zone;
    let reasons = answer.reasons.iter().map(|reason| BecauseView {
        code: reason.code(),
        detail: desk.lang.say(&reason.sentence(zone)).to_owned(),
        until: reason.until(),
        data: reason.data(),
    });
    Ok(WhyView {
        nodo_id: node.id.0,
        ready: answer.ready,
        next_run_at: node.role.next_run_at(),
        reasons: reasons.collect(),
    })
}
