//! Two servers on one database: a run asked for on one of them is begun and ended by the other at once,
//! not at its next look. Hints go through `PostgreSQL`, then through `RabbitMQ`.

use std::time::{Duration, Instant};

use host::Clock;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};
use snmp::sim::{Options, Simulator};
use testkit::{Client, Setup};

use crate::network::{extend, olt, walk};

/// By itself the dispatcher looks after thirty seconds: whatever is there sooner came by a hint.
const SOON: Duration = Duration::from_secs(10);
const RUNS: usize = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_asked_for_on_one_server_is_run_by_the_other() {
    testkit::on_wires(async |setup| {
        let options = Options { count: 1, onus: 16, ..Options::default() };
        let devices = Simulator::start(options).await.unwrap();
        // The clock of the one that is asked stands still: it runs nothing.
        let desk = Setup { clock: Clock::manual(Timestamp::now()), ..setup.clone() };
        let desk = desk.prepare(coordinador::app()).await.start().await;
        let runner = setup.clone().prepare(coordinador::app()).await.start().await;
        let port = devices.addresses()[0].port();
        let here = made(&runner.client, "olts", olt("OLT-1", port)).await;
        let mut node = walk(here, "descubrir");
        // Its grid is far away: only who asks makes it run.
        let later = Timestamp::now() + SignedDuration::from_hours(12);
        extend(&mut node, json!({ "next_run_at": later, "interval_seconds": 86_400 }));
        let node = made(&runner.client, "nodos", node).await;
        for _ in 0..RUNS {
            let began = Instant::now();
            let path = format!("/api/coordinador/nodos/{node}/ejecutar");
            let run = desk.client.post(&path, json!({})).await.expect(202)["id"].clone();
            let ended = ended(&runner.client, &run).await;
            println!("asked on one server, ended by the other after {:?}", began.elapsed());
            assert!(ended["started_at"].is_string(), "{ended}");
        }
        desk.stop().await;
        runner.stop().await;
    })
    .await;
}

async fn made(client: &Client, what: &str, body: Json) -> i64 {
    let path = format!("/api/coordinador/{what}");
    client.post(&path, body).await.expect(201)["id"].as_i64().unwrap()
}

/// The run, once it is over.
async fn ended(client: &Client, run: &Json) -> Json {
    let looks = async {
        let mut look = tokio::time::interval(Duration::from_millis(10));
        loop {
            look.tick().await;
            let now = client.get(&format!("/api/coordinador/ejecuciones/{run}")).await.expect(200);
            if now["finished_at"].is_string() {
                return now;
            }
        }
    };
    tokio::time::timeout(SOON, looks).await.expect("the other one runs it")
}
