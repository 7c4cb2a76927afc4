//! A model that we do not own. It reads its orders off the page: `TYPE invoice 0.95` on a page is
//! its verdict, `FIELD total_amount 121.00 0.74` in a document one of its fields, `FAIL 500` makes
//! it fail, `WAIT` makes it wait until it is released.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, Ordering},
};

use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    routing::post,
};
use serde_json::{Map, Value, json};
use tokio::{net::TcpListener, sync::Semaphore};

#[derive(Clone)]
pub(crate) struct Outside {
    pub(crate) url: String,
    pub(crate) calls: Arc<AtomicU32>,
    /// Fails as many calls as this says, whatever the page says.
    pub(crate) failing: Arc<AtomicU32>,
    pub(crate) gate: Arc<Semaphore>,
    /// What it was sent: the header that says who calls, and the message.
    pub(crate) heard: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Outside {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let outside = Self {
            url: format!("http://{}/", listener.local_addr().unwrap()),
            calls: Arc::default(),
            failing: Arc::default(),
            gate: Arc::new(Semaphore::new(0)),
            heard: Arc::default(),
        };
        let router = Router::new().route("/", post(answer)).with_state(outside.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        outside
    }

    /// Lets `n` waiting pages go on.
    pub(crate) fn release(&self, n: usize) {
        self.gate.add_permits(n);
    }
}

async fn answer(
    State(outside): State<Outside>,
    headers: HeaderMap,
    Json(message): Json<Value>,
) -> Result<Json<Value>, StatusCode> {
    outside.calls.fetch_add(1, Ordering::SeqCst);
    let caller = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let caller = caller.unwrap_or_default().to_owned();
    outside.heard.lock().unwrap().push((caller, message.clone()));
    let payload = &message["payload"];
    let text = match payload["ocr_texts"].as_object() {
        Some(texts) => texts.values().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"),
        None => payload["ocr_text"].as_str().unwrap_or_default().to_owned(),
    };
    let failing = outside.failing.load(Ordering::SeqCst);
    if failing > 0 {
        outside.failing.fetch_sub(1, Ordering::SeqCst);
        return Err(StatusCode::SERVICE_UNAVAILABLE);
    }
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(' ').collect()).collect();
    let orders = |word: &'static str| lines.iter().filter(move |line| line[0] == word);
    if message["document_id"].is_null() {
        if orders("WAIT").next().is_some() {
            outside.gate.acquire().await.unwrap().forget();
        }
        if let Some(line) = orders("FAIL").next() {
            return Err(StatusCode::from_u16(line[1].parse().unwrap()).unwrap());
        }
        let line = orders("TYPE").next().ok_or(StatusCode::UNPROCESSABLE_ENTITY)?;
        let confidence: f64 = line[2].parse().unwrap();
        return Ok(Json(json!({ "doc_type": line[1], "confidence": confidence })));
    }
    let mut fields = Map::new();
    for line in orders("FIELD") {
        let confidence: f64 = line[3].parse().unwrap();
        fields.insert(line[1].into(), json!({ "value": line[2], "confidence": confidence }));
    }
    Ok(Json(json!({ "fields": fields })))
}

/// An invoice with one field that a person has to look at.
pub(crate) const DOUBTFUL: &str = "TYPE invoice 0.95\nFIELD invoice_number F-1 0.95\n\
    FIELD total_amount 121 0.50";

/// A page of one type, sure of it.
pub(crate) fn sure(doc_type: &str) -> String {
    format!("TYPE {doc_type} 0.95\n{}", fields(doc_type))
}

/// Every required field of a type, sure.
pub(crate) fn fields(doc_type: &str) -> &'static str {
    match doc_type {
        "invoice" => "FIELD invoice_number F-1 0.95\nFIELD total_amount 121.00 0.95",
        "receipt" => "FIELD total 9.50 0.95",
        "id_card" => "FIELD full_name Ana 0.95\nFIELD id_number 12345678Z 0.95",
        "payslip" => "FIELD company_name Norte 0.95\nFIELD employee_name Ana 0.95",
        _ => "",
    }
}
