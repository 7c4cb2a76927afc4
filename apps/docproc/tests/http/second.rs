//! A second reader that speaks like a chat server: it agrees, disputes, lies, talks nonsense, hangs.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Json, Router, extract::State, http::StatusCode, routing::post};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::office::{Office, on_both};

#[derive(Clone, Default)]
struct Reader {
    /// What it says next: the content of its message.
    says: Arc<Mutex<String>>,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Reader {
    async fn start(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1/chat/completions", listener.local_addr().unwrap());
        let router =
            Router::new().route("/v1/chat/completions", post(answer)).with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        url
    }
}

async fn answer(
    State(reader): State<Reader>,
    Json(question): Json<Value>,
) -> Result<Json<Value>, StatusCode> {
    reader.asked.lock().unwrap().push(question);
    let says = reader.says.lock().unwrap().clone();
    match says.as_str() {
        "HANG" => std::future::pending().await,
        "FAIL" => Err(StatusCode::INTERNAL_SERVER_ERROR),
        content => Ok(Json(json!({
            "choices": [{ "message": { "role": "assistant", "content": content } }],
            "usage": { "total_tokens": 321 } }))),
    }
}

fn flow(first: &str, second: &str) -> String {
    format!(
        "name: two\nstages:\n  - {{name: split, component: splitter}}\n  \
         - {{name: ocr, component: ocr}}\n  \
         - {{name: group, component: classification_aggregator, doc_type: invoice}}\n  \
         - {{name: first, component: http, url: \"{first}\"}}\n  \
         - {{name: again, component: http, url: \"{second}\", model: small, timeout_seconds: 1, \
         confidence_threshold: 0.9, backoffice_queue: task.extraction}}\n  \
         - {{name: consolidate, component: consolidator}}\n\
         extraction_schemas:\n  invoice:\n    fields:\n      \
         - {{name: total_amount, type: decimal, required: true}}\n"
    )
}

/// The first reader is sure to 0.74 of 121.00; 7.50 is also printed.
const PAGE: &str = "FIELD total_amount 121.00 0.74\nPortes 7,50";

#[tokio::test]
async fn a_second_reader_is_believed_only_where_the_page_and_the_first_agree() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let reader = Reader::default();
        let url = reader.start().await;
        office.workflow("two", &flow(&office.outside.url, &url)).await;
        let read = async |says: &str| {
            says.clone_into(&mut reader.says.lock().unwrap());
            let id = office.pages(&[PAGE], "two").await;
            let told = office
                .detail_until(&id, |told| {
                    told["status"] == "completed"
                        || told["documents"][0]["status"] == "extraction_review"
                })
                .await;
            (told["status"] == "completed", told["documents"][0]["fields"][0].clone())
        };
        let (through, field) = read(r#"{"total_amount": 121}"#).await;
        assert!(through && field["confidence"].as_f64().unwrap() > 0.95, "{field}");
        assert_eq!(field["rules"][0]["rule"], "second_reader", "{field}");
        let (through, field) = read(r#"{"total_amount": "7.50"}"#).await;
        assert!(!through && field["value"] == "121.00", "{field}");
        assert_eq!(field["alternatives"][0][0], "7.50", "{field}");
        for nothing in [r#"{"total_amount": 999.99}"#, "no idea", "FAIL", "HANG", "{}"] {
            let (through, field) = read(nothing).await;
            assert!(!through && field["confidence"] == 0.74, "{nothing}: {field}");
        }
        let question = reader.asked.lock().unwrap()[0].clone();
        assert_eq!(question["model"], "small");
        let content = question["messages"][1]["content"].as_str().unwrap();
        assert!(content.contains("total_amount") && content.contains("Portes 7,50"), "{content}");
        let page = office.client.get("/docproc/calidad").await;
        assert!(page.text.contains("Segundo lector"), "what it cost is shown");
        // Whoever is sure is not asked about.
        let asked = reader.asked.lock().unwrap().len();
        let id = office.pages(&["FIELD total_amount 121.00 0.97"], "two").await;
        assert_eq!(office.finished(&id).await["status"], "completed");
        assert_eq!(reader.asked.lock().unwrap().len(), asked);
        tokio::time::timeout(Duration::from_secs(30), office.close()).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_second_reader_needs_a_first() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let alone = flow("http://127.0.0.1:9/", "http://127.0.0.1:9/")
            .replace("  - {name: first, component: http, url: \"http://127.0.0.1:9/\"}\n", "");
        office.workflow("two", &alone).await;
        let list = office.client.get("/api/docproc/workflows").await.expect(200);
        assert!(list["refused"].to_string().contains("segundo lector"), "{list}");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_second_reader_that_never_answers_rings_until_it_does() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let reader = Reader::default();
        let url = reader.start().await;
        office.workflow("two", &flow(&office.outside.url, &url)).await;
        let ask = async |says: &str| {
            says.clone_into(&mut reader.says.lock().unwrap());
            let id = office.pages(&[PAGE], "two").await;
            office
                .detail_until(&id, |told| {
                    told["status"] == "completed"
                        || told["documents"][0]["status"] == "extraction_review"
                })
                .await;
            let context = office.context();
            docproc::decisions::alarms::check(context, context.clock.now()).await.unwrap();
            let alerts = office.client.get("/api/alerts").await.expect(200);
            let mut all = alerts["items"].as_array().unwrap().iter();
            let ours = all.find(|one| one["fingerprint"] == "docproc/segundo-lector");
            ours.is_some_and(|one| one["firing"] == true)
        };
        assert!(!ask("FAIL").await && !ask("FAIL").await, "twice is chance");
        assert!(ask("FAIL").await);
        assert!(!ask(r#"{"total_amount": 121}"#).await);
        office.close().await;
    })
    .await;
}
