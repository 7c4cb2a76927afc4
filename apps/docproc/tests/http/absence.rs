//! The broker is gone for a while under load, a minute under `make soak`, and comes back as it was,
//! emptied, or with a new disk (R-15a): work goes on meanwhile, and in the end everything was done
//! once.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use docproc::Part;
use serde_json::{Value as Json, json};
use testkit::broker::Node;

use crate::{
    broker::PAGE,
    chaos::{exact, until},
    office::{Office, Setup, TestDb, upload},
};

const PAUSE: Duration = Duration::from_millis(400);
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
        let told = async || door.client.get("/ready").await.expect(200)["degraded"].clone();
        until("it is missed", async || told().await == json!(["broker"])).await;
        let before = read(&door).await;
        tokio::time::sleep(Duration::from_secs(testkit::rounds(60) as u64)).await;
        let meanwhile = read(&door).await - before;
        assert!(meanwhile > 0, "{comes:?}: work goes on from the table");
        come(&node, comes).await;
        until("it is there again", async || told().await.is_null()).await;
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
        door.count("SELECT COUNT(*) AS n FROM messages WHERE state IN ('READY', 'CLAIMED')").await
            == 0
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

async fn read(office: &Office) -> i64 {
    office.count("SELECT COUNT(*) AS n FROM pages WHERE ocr_text IS NOT NULL").await
}

/// Sends until it is told to stop; the door is open all the time.
async fn send_on(client: testkit::Client, stop: Arc<AtomicBool>) -> Vec<String> {
    let mut ids = Vec::new();
    while !stop.load(Ordering::SeqCst) {
        let files = [("a.txt", [PAGE; 2].join("\u{c}").into_bytes())];
        let said: Json = upload(&client, "/process", &files, &[]).await.expect(200);
        ids.push(said["request_id"].as_str().unwrap().to_owned());
        tokio::time::sleep(PAUSE).await;
    }
    ids
}
