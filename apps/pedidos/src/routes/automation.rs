//! Pausing automatic entry, and the health of the tick that works the queue.

use axum::{extract::State, http::StatusCode};
use host::Failure;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::Json;
use web::routes;

use super::{Desk, check};
use crate::{
    Context,
    decisions::{self, TICK},
    policy::{Action, Pause, TICK_SECONDS},
    store,
    wire::PauseView,
};

/// A pause lasts at most two days: a forgotten one must not outlive the weekend.
const LONGEST_MINUTES: i64 = 48 * 60;

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(pause)).routes(routes!(resume)).routes(routes!(worker))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PedidoDePausa)]
struct PauseRequest {
    #[schema(min_length = 1, max_length = 255)]
    motivo: String,
    /// Absent: until someone resumes.
    #[schema(minimum = 1, maximum = 2_880)]
    minutos: Option<i64>,
}

/// Stops automatic entry, with a reason everyone sees.
#[utoipa::path(post, path = "/api/pedidos/automatizacion/pausar", request_body = PauseRequest,
    tag = "automatizacion", responses((status = 200, body = PauseView)))]
async fn pause(
    desk: Desk,
    Json(wanted): Json<PauseRequest>,
) -> Result<axum::Json<PauseView>, Failure> {
    desk.require(Action::PauseAutomation)?;
    let mut check = check(&desk);
    let reason = check.name("motivo", &wanted.motivo, 255);
    let minutes =
        wanted.minutos.map(|minutes| check.within("minutos", minutes, 1, LONGEST_MINUTES));
    check.finish()?;
    let until = minutes.map(|minutes| desk.now + SignedDuration::from_mins(minutes));
    let by = desk.by();
    let pause = Pause { reason, until, by: by.name.clone() };
    decisions::pause(&desk.context, &by, Some(&pause)).await?;
    Ok(axum::Json(PauseView::from(&pause)))
}

/// Lets orders in again, at once.
#[utoipa::path(post, path = "/api/pedidos/automatizacion/reanudar", tag = "automatizacion",
    responses((status = 204)))]
async fn resume(desk: Desk) -> Result<StatusCode, Failure> {
    desk.require(Action::PauseAutomation)?;
    decisions::pause(&desk.context, &desk.by(), None).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SaludDelWorker)]
struct WorkerView {
    /// OK, WARNING or ERROR.
    status: &'static str,
    running: bool,
    last_execution: Option<Timestamp>,
    last_success: Option<Timestamp>,
    seconds_since_last: Option<i64>,
    interval_seconds: i64,
    execution_count: u64,
    last_duration_ms: u64,
    lag_ms: i64,
    last_error: Option<String>,
    start_time: Option<Timestamp>,
}

/// How the queue's tick has really been doing.
#[utoipa::path(get, path = "/health/worker", tag = "health",
    responses((status = 200, body = WorkerView)))]
async fn worker(State(context): State<Context>) -> axum::Json<WorkerView> {
    let now = context.clock.now();
    let health = context.tick_health(TICK).unwrap_or_default();
    let interval = store::policy::current(&context).await.map(|policy| policy.tick_seconds);
    let status = match (&health.last_error, health.is_silent(now)) {
        (Some(_), _) => "ERROR",
        (None, true) => "WARNING",
        (None, false) => "OK",
    };
    axum::Json(WorkerView {
        status,
        running: health.runs > 0 || context.clock.is_manual(),
        last_execution: health.last_run,
        last_success: health.last_success,
        seconds_since_last: health.last_run.map(|at| now.duration_since(at).as_secs()),
        interval_seconds: interval.unwrap_or(TICK_SECONDS.default),
        execution_count: health.runs,
        last_duration_ms: health.last_duration_ms,
        lag_ms: health.lag_ms,
        // Anyone may ask for health; the cause in full is in the log.
        last_error: health.last_error,
        start_time: health.started_at,
    })
}
