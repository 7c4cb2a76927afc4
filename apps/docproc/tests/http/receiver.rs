//! A receiver of answers that we do not own: it checks signatures, and can be out of order.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU16, AtomicU32, Ordering},
};

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::post,
};
use serde_json::Value as Json;
use tokio::net::TcpListener;

#[derive(Clone)]
pub(crate) struct Receiver {
    pub(crate) url: String,
    /// What it answers.
    pub(crate) status: Arc<AtomicU16>,
    pub(crate) calls: Arc<AtomicU32>,
    acknowledged: Arc<Mutex<Vec<Json>>>,
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let receiver = Self {
            url: format!("http://{}/answers", listener.local_addr().unwrap()),
            status: Arc::new(AtomicU16::new(204)),
            calls: Arc::default(),
            acknowledged: Arc::default(),
        };
        let router = Router::new().route("/answers", post(take)).with_state(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        receiver
    }

    pub(crate) fn answers(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    /// The bodies it acknowledged, in order.
    pub(crate) fn acknowledged(&self) -> Vec<Json> {
        self.acknowledged.lock().unwrap().clone()
    }

    pub(crate) fn kinds(&self) -> Vec<String> {
        let kind = |body: &Json| body["kind"].as_str().unwrap().to_owned();
        self.acknowledged().iter().map(kind).collect()
    }
}

async fn take(State(receiver): State<Receiver>, headers: HeaderMap, body: String) -> StatusCode {
    receiver.calls.fetch_add(1, Ordering::SeqCst);
    let header = |name: &str| headers[name].to_str().unwrap().to_owned();
    let signed = format!("{}.{}.{body}", header("turno-id"), header("turno-timestamp"));
    if header("turno-signature") != host::webhook::sign("a secret", &signed) {
        return StatusCode::UNAUTHORIZED;
    }
    let status = StatusCode::from_u16(receiver.status.load(Ordering::SeqCst)).unwrap();
    if status.is_success() {
        receiver.acknowledged.lock().unwrap().push(serde_json::from_str(&body).unwrap());
    }
    status
}
