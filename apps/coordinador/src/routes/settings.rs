//! Limits, quotas, feasibility and test mode.

use std::collections::HashMap;

use db::settings::{Kind, Refused};
use host::{Failure, Listed, Span, check::Check};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Lang, Problem, Query};

use super::Desk;
use crate::{
    Context,
    decisions::settings as decide,
    model::Node,
    policy::{Action, Limits, QuotaPolicy, TestMode},
    rules::quota::{Usage, is_pressed},
    store::{nodes, policy, world},
    wire::QuotaView,
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(limits, set_limits))
        .routes(routes!(quotas))
        .routes(routes!(test_mode, set_test_mode))
}

// The names are the contract's.
#[allow(clippy::struct_field_names)]
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Limites)]
pub(crate) struct LimitsView {
    pub(crate) max_executions_per_minute: u32,
    pub(crate) max_short_per_minute: u32,
    pub(crate) max_descubrimiento: u32,
    pub(crate) max_get: u32,
    pub(crate) max_total: u32,
    pub(crate) max_running_per_olt: u32,
}

impl LimitsView {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            max_executions_per_minute: limits.per_minute,
            max_short_per_minute: limits.short_per_minute,
            max_descubrimiento: limits.discovery,
            max_get: limits.get,
            max_total: limits.total,
            max_running_per_olt: limits.per_olt,
        }
    }
}

/// The limits to change; those that are absent stay.
#[allow(clippy::struct_field_names)]
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = LimitesNuevos)]
pub(crate) struct LimitsRequest {
    #[schema(minimum = 1, maximum = 600)]
    pub(crate) max_executions_per_minute: Option<i64>,
    #[schema(minimum = 1, maximum = 600)]
    pub(crate) max_short_per_minute: Option<i64>,
    #[schema(minimum = 1, maximum = 500)]
    pub(crate) max_descubrimiento: Option<i64>,
    #[schema(minimum = 1, maximum = 500)]
    pub(crate) max_get: Option<i64>,
    #[schema(minimum = 1, maximum = 500)]
    pub(crate) max_total: Option<i64>,
    #[schema(minimum = 1, maximum = 20)]
    pub(crate) max_running_per_olt: Option<i64>,
}

impl LimitsRequest {
    /// Field, setting and value of everything that is named.
    fn named(&self) -> impl Iterator<Item = (&'static str, &'static str, i64)> {
        [
            ("max_executions_per_minute", policy::PER_MINUTE, self.max_executions_per_minute),
            ("max_short_per_minute", policy::SHORT_PER_MINUTE, self.max_short_per_minute),
            ("max_descubrimiento", policy::MAX_DISCOVERY, self.max_descubrimiento),
            ("max_get", policy::MAX_GET, self.max_get),
            ("max_total", policy::MAX_TOTAL, self.max_total),
            ("max_running_per_olt", policy::PER_OLT, self.max_running_per_olt),
        ]
        .into_iter()
        .filter_map(|(field, key, value)| Some((field, key, value?)))
    }

    /// Whether each is what its setting takes.
    pub(crate) fn check(&self, check: &mut Check) {
        for (field, key, value) in self.named() {
            let spec = policy::SETTINGS.iter().find(|one| one.key == key);
            let most = match spec.map(|one| &one.kind) {
                Some(Kind::Int { max, .. }) => *max,
                _ => policy::MOST_RUNNING,
            };
            check.within(&format!("limites.{field}"), value, 1, most);
        }
    }

    /// These limits over those that stand, for a look at what they would bring.
    pub(crate) fn over(&self, standing: &Limits) -> Limits {
        let or = |value: Option<i64>, standing: u32| {
            value.and_then(|value| u32::try_from(value).ok()).unwrap_or(standing)
        };
        Limits {
            per_minute: or(self.max_executions_per_minute, standing.per_minute).max(1),
            short_per_minute: or(self.max_short_per_minute, standing.short_per_minute),
            discovery: or(self.max_descubrimiento, standing.discovery),
            get: or(self.max_get, standing.get),
            total: or(self.max_total, standing.total),
            per_olt: or(self.max_running_per_olt, standing.per_olt),
            short: standing.short,
        }
    }
}

/// The limits in force.
#[utoipa::path(get, path = "/api/coordinador/limites", tag = "coordinador",
    responses((status = 200, body = LimitsView)))]
async fn limits(desk: Desk) -> Result<axum::Json<LimitsView>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let policy = policy::load(&desk.context, &mut tx).await?;
    Ok(axum::Json(LimitsView::new(&policy.limits)))
}

/// Changes limits, all that are named or none; in force when the answer comes.
#[utoipa::path(put, path = "/api/coordinador/limites", request_body = LimitsRequest,
    tag = "coordinador",
    responses((status = 200, body = LimitsView)))]
async fn set_limits(
    desk: Desk,
    web::Json(request): web::Json<LimitsRequest>,
) -> Result<axum::Json<LimitsView>, Failure> {
    desk.require(Action::Configure)?;
    let set = decide::set_limits(&desk.context, &desk.by(), request.named(), desk.now).await?;
    let limits = match set {
        Ok(limits) => limits,
        Err(wrong) => return Err(refused(&desk, wrong)),
    };
    Ok(axum::Json(LimitsView::new(&limits)))
}

/// Everything that is wrong, unless one of them is not for the caller to change.
fn refused(desk: &Desk, wrong: Vec<(&'static str, Refused)>) -> Failure {
    let mut check = Check::new(desk.lang);
    for (field, refused) in wrong {
        match refused {
            Refused::Locked { by, .. } => return locked(desk.lang, field, &by).into(),
            Refused::Invalid(wrong) => check.wrong(field, &wrong.reason.es, &wrong.reason.en),
            Refused::Senseless(es, en) => check.wrong(field, &es, &en),
            Refused::Unknown { key } => check.wrong(field, &key, &key),
            Refused::Stale { current } => return desk.stale(current).into(),
        }
    }
    check.finish().err().unwrap_or_else(|| locked(desk.lang, "limites", "").into())
}

fn locked(lang: Lang, field: &str, by: &str) -> Problem {
    Problem::conflict("CLAVE_FIJADA").lang(lang).detail(match lang {
        Lang::Es => format!("{field} está fijado por {by}; no se cambió nada."),
        Lang::En => format!("{field} is fixed by {by}; nothing was changed."),
    })
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct QuotasAsked {
    /// Only nodes that used at least this share, in percent.
    #[param(minimum = 0, maximum = 100_000)]
    desde_porcentaje: Option<u32>,
    olt_id: Option<i64>,
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    cursor: Option<i64>,
}

/// How much of its quota each node used in the last hour.
#[utoipa::path(get, path = "/api/coordinador/cuotas", tag = "coordinador",
    params(QuotasAsked),
    responses((status = 200, body = Listed<QuotaView>)))]
async fn quotas(
    desk: Desk,
    Query(asked): Query<QuotasAsked>,
) -> Result<axum::Json<Listed<QuotaView>>, Failure> {
    desk.require(Action::Read)?;
    let least = asked.desde_porcentaje.unwrap_or(0);
    let mut views = all_quotas(&desk.context, desk.now).await?;
    views.retain(|view| {
        view.porcentaje >= least && asked.olt_id.is_none_or(|olt| view.olt_id == olt)
    });
    let span = Span { limit: asked.limit, cursor: asked.cursor };
    Ok(axum::Json(span.of(views, |view| view.nodo_id)))
}

/// The quotas of all masters that are switched on, by number of the node.
pub(crate) async fn all_quotas(
    context: &Context,
    now: Timestamp,
) -> Result<Vec<QuotaView>, Failure> {
    let mut tx = context.store.read().await?;
    let policy = policy::load(context, &mut tx).await?;
    let masters: Vec<Node> = nodes::all(&mut tx)
        .await?
        .into_iter()
        .filter(|node| node.role.cadence().is_some())
        .collect();
    let starts = world::starts_of_the_hour(&mut tx, now, false).await?;
    Ok(masters.iter().map(|node| quota(node, &starts, &policy.quota, now)).collect())
}

pub(crate) fn quota(
    node: &Node,
    starts: &HashMap<crate::model::NodeId, Vec<Timestamp>>,
    policy: &QuotaPolicy,
    now: Timestamp,
) -> QuotaView {
    let own = starts.get(&node.id).map_or(&[][..], Vec::as_slice);
    let Some(cadence) = node.role.cadence() else {
        return QuotaView::new(node, Usage { used: 0, max: 1 }, policy, false);
    };
    let usage = Usage::at(own, cadence.interval, now);
    let next = node.role.next_run_at();
    let pressed = is_pressed(own, cadence.interval, next, policy, now);
    QuotaView::new(node, usage, policy, pressed)
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ModoPrueba)]
struct TestModeView {
    activo: bool,
    duracion_segundos: Option<f64>,
    exito_pct: Option<u32>,
}

impl TestModeView {
    fn new(mode: TestMode) -> Self {
        match mode {
            TestMode::Off => Self { activo: false, duracion_segundos: None, exito_pct: None },
            TestMode::On { duration, success_percent } => Self {
                activo: true,
                duracion_segundos: Some(duration.as_secs_f64()),
                exito_pct: Some(success_percent),
            },
        }
    }
}

/// Whether runs send SNMP or only pretend to.
#[utoipa::path(get, path = "/api/coordinador/modo-prueba", tag = "coordinador",
    responses((status = 200, body = TestModeView)))]
async fn test_mode(desk: Desk) -> Result<axum::Json<TestModeView>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let policy = policy::load(&desk.context, &mut tx).await?;
    Ok(axum::Json(TestModeView::new(policy.test_mode)))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ModoPruebaNuevo)]
struct TestModeRequest {
    activo: bool,
    /// How long each run lasts; 1 when absent.
    #[schema(minimum = 0, maximum = 3600)]
    duracion_segundos: Option<f64>,
    /// How many of a hundred end well; 100 when absent.
    #[schema(minimum = 0, maximum = 100)]
    exito_pct: Option<i64>,
}

/// *Modo prueba*: runs without SNMP. What runs when it is switched ends as INTERRUPTED.
#[utoipa::path(put, path = "/api/coordinador/modo-prueba", request_body = TestModeRequest,
    tag = "coordinador",
    responses((status = 200, body = TestModeView)))]
async fn set_test_mode(
    desk: Desk,
    web::Json(request): web::Json<TestModeRequest>,
) -> Result<axum::Json<TestModeView>, Failure> {
    desk.require(Action::Configure)?;
    let mut check = Check::new(desk.lang);
    let seconds = request.duracion_segundos.unwrap_or(1.0);
    let share = check.within("exito_pct", request.exito_pct.unwrap_or(100), 0, 100);
    let duration = SignedDuration::try_from_secs_f64(seconds).ok();
    let duration = duration.filter(|one| (0.0..=3600.0).contains(&one.as_secs_f64()));
    if duration.is_none() {
        check.wrong("duracion_segundos", "debe ser de 0 a 3600", "must be from 0 to 3600");
    }
    check.finish()?;
    let mode = match duration {
        Some(duration) if request.activo => {
            TestMode::On { duration, success_percent: u32::try_from(share).unwrap_or(100) }
        }
        _ => TestMode::Off,
    };
    decide::rehearse(&desk.context, &desk.by(), mode, desk.now).await?;
    Ok(axum::Json(TestModeView::new(mode)))
}
