//! `/health` says the process lives, `/ready` that it can work, `/metrics` how it has been.

use std::time::{Duration, Instant};

use axum::{extract::State, http::StatusCode, response::IntoResponse};
use serde_json::json;

use crate::Context;

/// How long the outcome of a write that was tried is told again.
const PROBED: Duration = Duration::from_secs(1);

/// Always 200 while the process answers; the body says what is degraded.
#[utoipa::path(get, path = "/health", tag = "health",
    responses((status = 200, description = "the process lives")))]
pub(crate) async fn health(State(context): State<Context>) -> impl IntoResponse {
    let database = context.store.ping().await.map_err(|error| error.to_string());
    let now = context.clock.now();
    let ticks: serde_json::Map<_, _> = context
        .all_tick_health()
        .into_iter()
        .map(|(name, health)| {
            let body = json!({
                "last_success": health.last_success, "last_error": health.last_error,
                "last_duration_ms": health.last_duration_ms, "runs": health.runs,
                "silent": health.is_silent(now),
            });
            (name.to_owned(), body)
        })
        .collect();
    let without = context.shortages.all();
    let degraded = database.is_err()
        || !without.is_empty()
        || ticks.values().any(|t| t["silent"] == true || !t["last_error"].is_null());
    axum::Json(json!({
        "status": if degraded { "degraded" } else { "ok" },
        "version": context.options.version,
        "now": now,
        "database": database.err().unwrap_or_else(|| "ok".into()),
        "without": without,
        "ticks": ticks,
    }))
}

/// 503 until the database takes a write, and again while the server drains. What else is away is listed as
/// `degraded`: work goes on without it.
#[utoipa::path(get, path = "/ready", tag = "health",
    responses((status = 200, description = "ready"), (status = 503, description = "not ready")))]
pub(crate) async fn ready(State(context): State<Context>) -> impl IntoResponse {
    if context.stopping.is_cancelled() {
        return (
            StatusCode::SERVICE_UNAVAILABLE,
            axum::Json(json!({ "ready": false, "why": "draining" })),
        );
    }
    if let Some(percent) = context.lived_percent() {
        let why = format!("the demonstration's past week is being lived: {percent} %");
        let body = json!({ "ready": false, "why": why, "lived_percent": percent });
        return (StatusCode::SERVICE_UNAVAILABLE, axum::Json(body));
    }
    match context.probe().await {
        Ok(()) => (StatusCode::OK, axum::Json(context.shortages.told(json!({ "ready": true })))),
        Err(why) => {
            (StatusCode::SERVICE_UNAVAILABLE, axum::Json(json!({ "ready": false, "why": why })))
        }
    }
}

impl Context {
    /// Whether the database takes a write: a full disk still answers every question. What succeeded
    /// is not tried again for a second; what failed is, so that an end of the trouble is seen at once.
    async fn probe(&self) -> Result<(), String> {
        let mut probed = self.probed.lock().await;
        if probed.is_some_and(|at| at.elapsed() < PROBED) {
            return Ok(());
        }
        let outcome = self.appear().await.map_err(|error| terminal::with_causes(&error));
        *probed = outcome.is_ok().then(Instant::now);
        outcome
    }

    /// What Prometheus reads, for a port of an application's own.
    pub fn metrics_text(&self) -> String {
        self.metrics.render()
    }
}

/// Figures for Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "health",
    responses((status = 200, description = "Prometheus text", content_type = "text/plain")))]
pub(crate) async fn metrics(State(context): State<Context>) -> impl IntoResponse {
    ([("content-type", "text/plain; version=0.0.4")], context.metrics_text())
}
