//! Histories of *DocProc*: documents of text, some of which people have to look at, and a receiver of
//! answers that fails.

use std::sync::{
    Arc,
    atomic::{AtomicU16, Ordering},
};

use axum::{Json as Body, Router, extract::State, http::StatusCode, routing::post};
use docproc::{Config, Context, Part, Runtime};
use engine::Chance;
use reqwest::{RequestBuilder, multipart};
use serde_json::{Value as Json, json};
use testkit::{Client, LocalServer, Setup};
use tokio::net::TcpListener;

use crate::{
    play::{Never, Play, World, as_json},
    step::{Step, ask},
};

pub(crate) static PLAY: Play = Play {
    name: "docproc",
    tables: docproc::store::MIGRATIONS,
    open: |setup| Box::pin(open(setup)),
    people: &[("supervisor", "SUPERVISOR"), ("ana", "OPERADOR"), ("sender", "EMISOR")],
    prepared: || {
        let ana = json!({ "username": "ana", "skills": ["classification", "extraction"] });
        vec![("POST /api/docproc/operators", ana)]
    },
    opening: Vec::new,
    draw,
    world: || Box::pin(world()),
    send,
    ids: &[("@r", "request_id"), ("@t", "id")],
    reads: |house| {
        let requests = house.ids.iter().filter(|(name, _)| name.starts_with("@r"));
        let of = |(_, id): &(String, String)| {
            [format!("/status/{id}"), format!("/api/docproc/requests/{id}/why")]
        };
        let whole = ["/api/tasks", "/api/docproc/dead-letters"].map(str::to_owned);
        let all = whole.into_iter().chain(requests.flat_map(of));
        all.map(|path| ("supervisor", path)).collect()
    },
    left_out: &[("file_storage", "*")],
    // How much of a request is done in one go depends on how quick it is.
    at_once: true,
    ranked: &[],
    model: || Box::new(Never(NEVER)),
    steps: 16,
};

const NEVER: &[(&str, &str)] = &[
    (
        "a request has ended and a task of it waits",
        "SELECT COUNT(*) AS n FROM review_tasks
        JOIN requests ON requests.id = request_id
        WHERE review_tasks.status IN ('pending', 'assigned')
        AND requests.status IN ('completed', 'failed', 'cancelled')",
    ),
    (
        "a page of a completed request is in no document",
        "SELECT COUNT(*) AS n FROM pages
        JOIN requests ON requests.id = request_id
        WHERE requests.status = 'completed' AND document_id IS NULL",
    ),
    (
        "a request was completed twice",
        "SELECT COUNT(*) AS n FROM (SELECT subject FROM events
        WHERE name = 'request.completed' GROUP BY subject HAVING COUNT(*) > 1) AS found",
    ),
    (
        "something is claimed and nobody works",
        "SELECT COUNT(*) AS n FROM messages
        WHERE state = 'CLAIMED'",
    ),
];

async fn open(setup: Setup) -> LocalServer {
    let dir = setup.data_dir.clone();
    let workflows = dir.join("workflows");
    std::fs::create_dir_all(&workflows).unwrap();
    std::fs::write(workflows.join("default.yaml"), docproc::rules::workflow::DEFAULT).unwrap();
    let config = Config {
        storage: dir.join("files").into(),
        workflows: Some(workflows),
        models: dir.join("models"),
        part: Part::Everything,
        threads: 1,
        prefetch: None,
        folder: None,
        callback_secret: None,
        health_port: None,
        health_address: None,
        isolated: false,
    };
    let runtime = Arc::new(Runtime::open(config).unwrap());
    let prepared = setup.prepare(docproc::app_in(runtime.clone())).await;
    docproc::prepare(&Context::new(prepared.context.clone(), runtime)).await.unwrap();
    prepared.start().await
}

/// Whoever is told of answers, and what it says to that.
async fn world() -> World {
    let says = Arc::new(AtomicU16::new(200));
    let told = async |State(says): State<Arc<AtomicU16>>| {
        StatusCode::from_u16(says.load(Ordering::SeqCst)).unwrap()
    };
    let change = async |State(says): State<Arc<AtomicU16>>, Body(status): Body<u16>| {
        says.store(status, Ordering::SeqCst);
    };
    let router = Router::new().route("/", post(told).put(change)).with_state(says);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    World {
        people: vec![("receiver", Client::anonymous(url.clone()))],
        names: vec![("{receiver}", url.into())],
        ..World::default()
    }
}

/// Pages are sent as a file of text in a form.
fn send(request: RequestBuilder, body: &Json) -> RequestBuilder {
    let Some(pages) = body["pages"].as_array() else { return as_json(request, body) };
    let pages: Vec<&str> = pages.iter().filter_map(Json::as_str).collect();
    let file = multipart::Part::text(pages.join("\u{c}")).file_name("pages.txt");
    let mut form = multipart::Form::new().part("file", file);
    for field in ["workflow", "callback_url"] {
        if let Some(value) = body[field].as_str() {
            form = form.text(field, value.to_owned());
        }
    }
    request.multipart(form)
}

const PAGES: [&str; 4] = [
    "FACTURA\nFactura n.º: F-1\nFecha: 12/03/2024\nTotal: 121,00 €",
    "CONTRATO DE TRABAJO\nDe una parte la empresa Norte S.L.",
    "FACTURA\nTotal: 9,50 €",
    "Nada que nadie conozca.",
];

fn draw(chance: &mut Chance) -> Step {
    let request = format!("@r{}", chance.below(4));
    let task = format!("@t{}", chance.below(4));
    match chance.below(20) {
        0..6 => Step::Advance(*chance.pick(&[0, 1, 20, 60, 300])),
        6..11 => {
            let count = chance.between(1, 3);
            let pages: Vec<&str> = (0..count).map(|_| *chance.pick(&PAGES)).collect();
            let mut body = json!({ "workflow": "default", "pages": pages });
            if chance.percent(40.0) {
                body["callback_url"] = json!("{receiver}");
            }
            let key = if chance.percent(30.0) { " k1" } else { "" };
            ask("sender", format!("POST /process{key}"), body)
        }
        11..14 => ask("ana", "POST /api/docproc/desk/next", json!({ "operator": "ana" })),
        14..17 => {
            let verb = *chance.pick(&["claim", "submit", "submit", "release", "heartbeat"]);
            let mut body = json!({ "operator": "ana" });
            if verb == "submit" {
                body["doc_type"] = json!(chance.pick(&["invoice", "contract"]));
            }
            ask("ana", format!("POST /tasks/{task}/{verb}"), body)
        }
        17 => ask("supervisor", format!("POST /api/docproc/requests/{request}/cancel"), json!({})),
        18 => ask("receiver", "PUT /", json!(chance.pick(&[200, 200, 503, 400]))),
        _ => ask("supervisor", "POST /api/docproc/dead-letters/replay", json!({})),
    }
}
