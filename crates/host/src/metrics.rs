//! Prometheus text at `/metrics`. Names carry their unit; labels are few and closed.

use std::{sync::OnceLock, time::Duration};

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use crate::Outcome;

const SECONDS: &[f64] = &[0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

#[derive(Clone, Debug)]
pub(crate) struct Metrics(PrometheusHandle);

impl Metrics {
    /// The recorder is one per process; contexts of one process share it.
    pub(crate) fn new() -> Self {
        static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
        let handle = HANDLE.get_or_init(|| {
            PrometheusBuilder::new()
                .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), SECONDS)
                .and_then(PrometheusBuilder::install_recorder)
                .expect("the recorder is installed once, with valid buckets")
        });
        metrics::gauge!("turno_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
        Self(handle.clone())
    }

    pub(crate) fn render(&self) -> String {
        self.0.render()
    }
}

pub(crate) fn tick_ran(name: &'static str, elapsed: Duration, ok: bool) {
    let outcome = if ok { "ok" } else { "error" };
    metrics::counter!("turno_ticks_total", "tick" => name, "outcome" => outcome).increment(1);
    metrics::histogram!("turno_tick_duration_seconds", "tick" => name).record(elapsed);
}

pub(crate) fn event_relayed(app: &str) {
    metrics::counter!("turno_events_total", "app" => app.to_owned()).increment(1);
}

pub(crate) fn effect_performed(kind: &str, outcome: &Outcome) {
    let outcome = match outcome {
        Outcome::Done => "done",
        Outcome::Failed(_) | Outcome::Again { .. } => "failed",
        Outcome::Refused(_) => "refused",
    };
    metrics::counter!("turno_effects_total", "kind" => kind.to_owned(), "outcome" => outcome)
        .increment(1);
}

pub(crate) fn answered(method: &'static str, route: &str, status: u16, elapsed: Duration) {
    let class = match status {
        500.. => "5xx",
        400.. => "4xx",
        300.. => "3xx",
        _ => "2xx",
    };
    let labels =
        [("method", method.to_owned()), ("route", route.to_owned()), ("status", class.to_owned())];
    metrics::histogram!("turno_http_request_duration_seconds", &labels).record(elapsed);
}
