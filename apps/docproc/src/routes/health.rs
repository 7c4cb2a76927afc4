//! *Health checks* (§9.4) of this process alone, on a port of their own: `/health` says that
//! it lives, `/ready` that it takes messages, `/metrics` how it has been.

use std::{net::SocketAddr, sync::atomic::Ordering, time::Duration};

use axum::{Json, Router, extract::State, http::StatusCode, response::IntoResponse};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use web::routing::get;

use crate::Context;

/// A database that takes longer to answer is not there.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(2);
/// The dispatcher looks at the queue every few seconds, if nobody wakes it.
const SILENT_SECONDS: i64 = 15;

/// Answers where a port was named for it. Taken by somebody else it is a warning: `/health` and
/// `/ready` are at the main address too.
pub async fn run(context: Context) {
    let config = &context.runtime.config;
    let Some(port) = config.health_port else { return };
    let address = SocketAddr::new(config.health_address.unwrap_or(context.options.listen), port);
    match serve(context, address).await {
        Ok(bound) => tracing::info!(address = %bound, "health checks of this component"),
        Err(error) => tracing::warn!(%address, %error, "no health checks on a port of their own"),
    }
}

/// Serves until the process stops. Fails when the port is taken.
pub async fn serve(context: Context, address: SocketAddr) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind(address).await?;
    let bound = listener.local_addr()?;
    let stopping = context.stopping.clone();
    let router = Router::new()
        .route("/health", get(health))
        .route("/ready", get(ready))
        .route("/metrics", get(metrics))
        .with_state(context);
    tokio::spawn(async move {
        let served = axum::serve(listener, router);
        if let Err(error) = served.with_graceful_shutdown(stopping.cancelled_owned()).await {
            tracing::error!(%error, "the port of health checks was lost");
        }
    });
    Ok(bound)
}

/// What Prometheus reads: a worker has no other port to be asked on.
async fn metrics(State(context): State<Context>) -> impl IntoResponse {
    ([("content-type", "text/plain; version=0.0.4")], context.metrics_text())
}

async fn health(State(context): State<Context>) -> Json<Value> {
    let part = context.runtime.config.part.word();
    Json(json!({ "status": "ok", "component": part }))
}

async fn ready(State(context): State<Context>) -> (StatusCode, Json<Value>) {
    let part = context.runtime.config.part.word();
    match waits_for(&context).await {
        None => {
            let body = json!({ "ready": true, "component": part });
            (StatusCode::OK, Json(context.shortages.told(body)))
        }
        Some(why) => {
            let body = json!({ "ready": false, "component": part, "why": why });
            (StatusCode::SERVICE_UNAVAILABLE, Json(body))
        }
    }
}

async fn waits_for(context: &Context) -> Option<String> {
    if context.stopping.is_cancelled() {
        return Some("draining".to_owned());
    }
    match tokio::time::timeout(DATABASE_TIMEOUT, context.store.ping()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Some(error.to_string()),
        Err(_) => return Some("the database does not answer".to_owned()),
    }
    let runtime = context.runtime.clone();
    // Joins and doors have no hands: the database is all they need.
    if runtime.config.part.takes().is_some_and(|takes| takes.is_empty()) {
        return None;
    }
    let looked = runtime.status.looked.load(Ordering::Relaxed);
    let silent = context.clock.real().as_second() - looked > SILENT_SECONDS;
    silent.then(|| "no messages are taken yet".to_owned())
}
