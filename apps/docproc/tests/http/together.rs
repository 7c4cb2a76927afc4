//! Two processes on one database: a worker is told of what a gateway takes, and a setting changed
//! on one holds on the other. Hints go through `PostgreSQL`, then through `RabbitMQ`.

use std::time::{Duration, Instant};

use docproc::drivers::runtime::Part;
use serde_json::json;

use crate::office::{Office, Setup};

/// Polls come every five seconds: whatever is there sooner, time after time, came by a hint.
const SOON: Duration = Duration::from_secs(2);
const REQUESTS: usize = 5;

fn only(part: Part, house: &testkit::Setup) -> Setup {
    let house = testkit::Setup { body_bytes: 100_000, ..house.clone() };
    let (dir, storage) = (house.data_dir.clone(), house.data_dir.join("files").into());
    let (prefetch, broker, ttl) = (None, None, docproc::drivers::broker::TTL);
    Setup { dir, storage, house, part, threads: 1, prefetch, broker, ttl }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_at_a_gateway_is_taken_by_a_worker_without_a_poll() {
    testkit::on_wires(async |house| {
        let door = Office::with(only(Part::Gateway, house)).await;
        let worker = Office::with(only(Part::Everything, house)).await;
        for _ in 0..REQUESTS {
            let began = Instant::now();
            let id = door.pages(&["nothing that anybody knows"], "default").await;
            door.until(&id, |now| now["page_count"] == 1).await;
            println!("taken by the other process after {:?}", began.elapsed());
            assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
        }
        worker.close().await;
        door.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_setting_changed_in_one_process_holds_in_the_other() {
    testkit::on_wires(async |house| {
        let one = Office::with(only(Part::Gateway, house)).await;
        let two = Office::with(only(Part::Gateway, house)).await;
        for most in [1, 500, 1, 500, 1] {
            let path = "/api/settings/docproc/DOCPROC_MAX_PAGES";
            one.client.put(path, json!({ "valor": most })).await.expect(200);
            let began = Instant::now();
            let holds = || two.context().runtime.limits().pages == most;
            while !holds() {
                tokio::time::sleep(Duration::from_millis(5)).await;
                assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
            }
        }
        one.close().await;
        two.close().await;
    })
    .await;
}
