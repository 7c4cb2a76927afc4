//! What is planned, whether it fits, and what would be if.

use db::Slice as _;
use std::collections::HashMap;

use host::{Failure, check::Check};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::Query;
use web::routes;

use super::{
    Desk,
    settings::{LimitsRequest, LimitsView},
};
use crate::{
    Context,
    decisions::spread::{self as moving, Planning},
    policy::{Action, Policy},
    rules::{
        feasibility::{self, Forecast},
        spread::{self, Placed},
    },
    store::{nodes, world},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(plan))
        .routes(routes!(preview))
        .routes(routes!(apply))
        .routes(routes!(fits))
}

/// One minute of the plan.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = PlanMinuto)]
pub(crate) struct MinuteView {
    pub(crate) minuto: Timestamp,
    pub(crate) nodos: Vec<i64>,
    /// Starts: short gets of one OLT are asked together.
    pub(crate) ejecuciones: usize,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = PlanDeMinutos)]
pub(crate) struct PlanView {
    pub(crate) minutos: Vec<MinuteView>,
    /// Nodes that fit nowhere in their window; they run in the nearest later minute.
    pub(crate) overflow: Vec<i64>,
    pub(crate) maximo_por_minuto: u32,
    pub(crate) pico: usize,
    /// The best load of a minute, from and to.
    pub(crate) optimo: [u32; 2],
    pub(crate) minutos_en_optimo: usize,
    pub(crate) minutos_sobre_optimo: usize,
    /// At least one start a minute is aimed at.
    pub(crate) minimo: u32,
    pub(crate) minutos_sin_ejecuciones: usize,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Span {
    /// How far to look, 60 when absent.
    #[param(minimum = 1, maximum = 1440)]
    minutos: Option<i64>,
}

impl Span {
    fn minutes(&self) -> i64 {
        self.minutos.unwrap_or(60).clamp(1, 1_440)
    }
}

/// Which node is planned in which minute, from this minute on.
fn view(
    placed: &[Placed],
    policy: &Policy,
    overflow: Vec<i64>,
    ahead: i64,
    now: Timestamp,
) -> PlanView {
    let outlook = spread::outlook(placed, policy, now, usize::try_from(ahead).unwrap_or(60));
    let minutos: Vec<MinuteView> = outlook
        .into_iter()
        .map(|minute| MinuteView {
            minuto: minute.at,
            nodos: minute.nodes.iter().map(|node| node.0).collect(),
            ejecuciones: minute.starts,
        })
        .collect();
    let (from, to) = policy.limits.optimum();
    let optimum = from as usize..=to as usize;
    let loads = || minutos.iter().map(|minute| minute.ejecuciones);
    PlanView {
        pico: loads().max().unwrap_or(0),
        minutos_en_optimo: loads().filter(|load| optimum.contains(load)).count(),
        minutos_sobre_optimo: loads().filter(|load| load > optimum.end()).count(),
        minutos_sin_ejecuciones: loads().filter(|load| *load == 0).count(),
        optimo: [from, to],
        minimo: 1,
        maximo_por_minuto: policy.limits.per_minute,
        overflow,
        minutos,
    }
}

/// The plan as it stands.
#[utoipa::path(get, path = "/api/coordinador/plan", tag = "coordinador", params(Span),
    responses((status = 200, body = PlanView)))]
async fn plan(desk: Desk, Query(span): Query<Span>) -> Result<axum::Json<PlanView>, Failure> {
    desk.require(Action::Read)?;
    Ok(axum::Json(standing(&desk.context, span.minutes(), desk.now).await?))
}

pub(crate) async fn standing(
    context: &Context,
    ahead: i64,
    now: Timestamp,
) -> Result<PlanView, Failure> {
    let mut tx = context.store.read().await?;
    let (policy, placed) = Planning(context).load(&mut tx, now).await?;
    let plan = spread::plan(&placed, &policy, now);
    let overflow = plan.overflow.iter().map(|one| one.node.0).collect();
    Ok(view(&placed, &policy, overflow, ahead, now))
}

/// The next minutes as they are planned: only who starts in them is looked at.
pub(crate) async fn soon(
    tx: &mut db::Tx,
    policy: &Policy,
    ahead: i64,
    now: Timestamp,
) -> Result<PlanView, Failure> {
    let until = now.saturating_add(SignedDuration::from_mins(ahead + 1)).unwrap_or(now);
    let placed = world::placed_before(tx, until).await?;
    Ok(view(&placed, policy, Vec::new(), ahead, now))
}

/// What if: other limits, another window.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlanSupuesto)]
pub(crate) struct Supposed {
    #[serde(default)]
    pub(crate) limites: LimitsRequest,
    /// Seconds a node may move from its grid, either way.
    #[schema(minimum = 0, maximum = 1800)]
    pub(crate) ventana_segundos: Option<i64>,
    #[schema(minimum = 1, maximum = 1440)]
    pub(crate) minutos: Option<i64>,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = PlanPrevisto)]
pub(crate) struct PreviewView {
    pub(crate) antes: PlanView,
    pub(crate) despues: PlanView,
    pub(crate) cambios: Vec<MoveView>,
    pub(crate) limites: LimitsView,
    pub(crate) factibilidad: FitView,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = PlanCambio)]
pub(crate) struct MoveView {
    pub(crate) nodo_id: i64,
    pub(crate) desde: Timestamp,
    pub(crate) hasta: Timestamp,
    pub(crate) segundos: i64,
}

/// What a redistribution would do now, under these or other limits. Nothing is changed.
#[utoipa::path(post, path = "/api/coordinador/plan/previsualizar", tag = "coordinador",
    request_body = Supposed,
    responses((status = 200, body = PreviewView)))]
async fn preview(
    desk: Desk,
    web::Json(supposed): web::Json<Supposed>,
) -> Result<axum::Json<PreviewView>, Failure> {
    desk.require(Action::Read)?;
    let mut check = Check::new(desk.lang);
    supposed.limites.check(&mut check);
    check.within("ventana_segundos", supposed.ventana_segundos.unwrap_or(0), 0, 1_800);
    check.within("minutos", supposed.minutos.unwrap_or(60), 1, 1_440);
    check.finish()?;
    Ok(axum::Json(suppose(&desk.context, &supposed, desk.now).await?))
}

pub(crate) async fn suppose(
    context: &Context,
    supposed: &Supposed,
    now: Timestamp,
) -> Result<PreviewView, Failure> {
    let ahead = Span { minutos: supposed.minutos }.minutes();
    let mut tx = context.store.read().await?;
    let (standing, mut placed) = Planning(context).load(&mut tx, now).await?;
    let demands = nodes::demands(&mut tx, None).await?;
    drop(tx);
    let mut policy = standing.clone();
    policy.limits = supposed.limites.over(&standing.limits);
    if let Some(seconds) = supposed.ventana_segundos {
        policy.spread.window = SignedDuration::from_secs(seconds.clamp(0, 1_800));
    }
    let before = view(&placed, &standing, Vec::new(), ahead, now);
    let plan = spread::plan(&placed, &policy, now);
    let moves: Vec<MoveView> = plan
        .moves
        .iter()
        .map(|one| MoveView {
            nodo_id: one.node.0,
            desde: one.from,
            hasta: one.next_run_at,
            segundos: one.next_run_at.duration_since(one.from).as_secs(),
        })
        .collect();
    let by_node: HashMap<_, _> = plan.moves.iter().map(|one| (one.node, one)).collect();
    for node in &mut placed {
        if let Some(one) = by_node.get(&node.node) {
            node.next_run_at = one.next_run_at;
            node.cadence.phase = one.phase;
        }
    }
    let overflow = plan.overflow.iter().map(|one| one.node.0).collect();
    Ok(PreviewView {
        antes: before,
        despues: view(&placed, &policy, overflow, ahead, now),
        cambios: moves,
        limites: LimitsView::new(&policy.limits),
        factibilidad: FitView::new(&feasibility::forecast(demands, &policy.limits)),
    })
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PlanAplicado)]
struct AppliedView {
    movidos: usize,
}

/// Redistributes now, without waiting for the next pass.
#[utoipa::path(post, path = "/api/coordinador/plan/aplicar", tag = "coordinador",
    responses((status = 200, body = AppliedView)))]
async fn apply(desk: Desk) -> Result<axum::Json<AppliedView>, Failure> {
    desk.require(Action::Operate)?;
    let movidos = moving::apply(&desk.context, &desk.by(), desk.now).await?;
    Ok(axum::Json(AppliedView { movidos }))
}

/// Whether everything that is planned fits in the hour.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Factibilidad)]
pub(crate) struct FitView {
    pub(crate) demanda_por_hora: f64,
    pub(crate) capacidad_por_hora: f64,
    pub(crate) factible: bool,
    pub(crate) porcentaje: f64,
    /// Of nodes with a short interval.
    pub(crate) demanda_corta_por_hora: f64,
    pub(crate) capacidad_corta_por_hora: f64,
    pub(crate) corta_factible: bool,
}

impl FitView {
    pub(crate) fn new(forecast: &Forecast) -> Self {
        let round = |number: f64| (number * 100.0).round() / 100.0;
        Self {
            demanda_por_hora: round(forecast.demand),
            capacidad_por_hora: round(forecast.capacity),
            factible: forecast.fits(),
            porcentaje: round(forecast.percent()),
            demanda_corta_por_hora: round(forecast.short_demand),
            capacidad_corta_por_hora: round(forecast.short_capacity),
            corta_factible: forecast.short_fits(),
        }
    }
}

/// Whether the plan fits its limits.
#[utoipa::path(get, path = "/api/coordinador/factibilidad", tag = "coordinador",
    responses((status = 200, body = FitView)))]
async fn fits(desk: Desk) -> Result<axum::Json<FitView>, Failure> {
    desk.require(Action::Read)?;
    Ok(axum::Json(fit(&desk.context).await?))
}

pub(crate) async fn fit(context: &Context) -> Result<FitView, Failure> {
    let mut tx = context.store.read().await?;
    let policy = crate::store::policy::load(context, &mut tx).await?;
    let demands = nodes::demands(&mut tx, None).await?;
    Ok(FitView::new(&feasibility::forecast(demands, &policy.limits)))
}
