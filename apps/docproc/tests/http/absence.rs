//! The broker is gone for a while under load, a minute under `make soak`, and comes back as it was,
//! emptied, or with a new disk (R-15a): work goes on meanwhile, and in the end everything was done
//! once.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use docproc::Part;
use reqwest::{
    Method,
    multipart::{Form, Part as FormPart},
};
use serde_json::{Value as Json, json};
use testkit::{Answer, Client, broker::Node};

use crate::{
    broker::PAGE,
    chaos::{exact, until},
    office::{Office, Setup, TestDb},
};

const PAUSE: Duration = Duration::from_millis(400);
/// How long a busy house may say that it cannot now.
const ACCEPT_TIMEOUT: Duration = Duration::from_mins(1);
const QUEUES: [&str; 5] =
    ["q.workflow_router", "q.splitter", "q.ocr", "q.classifier", "q.extractor"];

/// How it comes back.
#[derive(Clone, Copy, Debug)]
enum Comes {
    AsItWas,
    Emptied,
    WithANewDisk,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_that_is_gone_for_long_costs_time_and_nothing_else() {
    let Some(db) = TestDb::postgres().await else { return };
    let Some(node) = testkit::broker::node().await else { return };
    let part = |part| Setup { part, broker: Some(node.url.clone()), ..Setup::of(&db) };
    let door = Office::with(part(Part::Gateway)).await;
    let workers = Office::with(part(Part::Everything)).await;
    let stop = Arc::new(AtomicBool::new(false));
    let sending = tokio::spawn(send_on(door.client.clone(), stop.clone()));
    for comes in [Comes::AsItWas, Comes::Emptied, Comes::WithANewDisk] {
        until("work is done", async || read(&door).await > 0).await;
        node.kill().await;
        let told = async || {
            let answer = door.client.get("/ready").await;
            (answer.status != 503).then(|| answer.expect(200)["degraded"].clone())
        };
        until("it is missed", async || told().await == Some(json!(["broker"]))).await;
        let before = read(&door).await;
        tokio::time::sleep(Duration::from_secs(testkit::rounds(60) as u64)).await;
        let meanwhile = read(&door).await - before;
        assert!(meanwhile > 0, "{comes:?}: work goes on from the table");
        come(&node, comes).await;
        until("it is there again", async || told().await == Some(Json::Null)).await;
        println!("{comes:?}: {meanwhile} pages were read meanwhile");
    }
    stop.store(true, Ordering::SeqCst);
    let ids = sending.await.unwrap();
    for id in &ids {
        door.all_read(id).await;
    }
    let many = ids.len() as i64;
    println!("{many} requests");
    until("all are classified", async || {
        let sql = "SELECT COUNT(*) AS n FROM messages WHERE state IN ('READY', 'CLAIMED')";
        door.counted(sql).await == Some(0)
    })
    .await;
    exact(&door, many, 2 * many).await;
    for office in [workers, door] {
        office.close().await;
    }
}

async fn come(node: &Node, comes: Comes) {
    match comes {
        Comes::WithANewDisk => node.restart_empty().await,
        Comes::AsItWas => node.restart().await,
        Comes::Emptied => {
            node.restart().await;
            for queue in QUEUES {
                node.purge(queue).await;
            }
        }
    }
}

/// How many pages were read, as soon as the database says.
async fn read(office: &Office) -> i64 {
    let began = Instant::now();
    loop {
        let sql = "SELECT COUNT(*) AS n FROM pages WHERE ocr_text IS NOT NULL";
        if let Some(read) = office.counted(sql).await {
            return read;
        }
        assert!(began.elapsed() < ACCEPT_TIMEOUT, "the database is not available");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Sends until it is told to stop.
async fn send_on(client: Client, stop: Arc<AtomicBool>) -> Vec<String> {
    let mut ids = Vec::new();
    while !stop.load(Ordering::SeqCst) {
        ids.push(send(&client, &format!("absence/{}", ids.len())).await);
        tokio::time::sleep(PAUSE).await;
    }
    ids
}

/// Sends until it is accepted, under one key: what nobody said yes to may have been taken.
async fn send(client: &Client, key: &str) -> String {
    let began = Instant::now();
    loop {
        let part = FormPart::text([PAGE; 2].join("\u{c}")).file_name("a.txt");
        let request = client.request(Method::POST, "/process").header("idempotency-key", key);
        let request = request.multipart(Form::new().part("file", part));
        let answer = Answer::of(request, "POST /process").await;
        if answer.status != 503 {
            return answer.expect(200)["request_id"].as_str().unwrap().to_owned();
        }
        assert!(began.elapsed() < ACCEPT_TIMEOUT, "{key} was never accepted: {}", answer.text);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
