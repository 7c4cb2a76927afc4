//! A broker that is away or refuses is told of in a house whose applications send it nothing.

use std::time::{Duration, Instant};

use host::Clock;
use jiff::Timestamp;
use serde_json::{Value as Json, json};
use testkit::{LocalServer, Setup, TestDb, broker::Vhost};

/// A look every five seconds, an alert after ten, the broker's own pace.
const SOON: Duration = Duration::from_secs(40);

async fn house(db: &TestDb, url: &str) -> LocalServer {
    let broker = Some(url.parse().unwrap());
    let setup = Setup { clock: Clock::Real, broker, ..Setup::at(Timestamp::now(), db) };
    setup.prepare_all(Vec::new()).await.start().await
}

async fn ready(server: &LocalServer) -> Json {
    server.client.get("/ready").await.expect(200)
}

async fn fires(server: &LocalServer) -> bool {
    let all = server.client.get("/api/alerts").await.expect(200);
    let all = all["items"].as_array().unwrap().clone();
    all.iter().any(|one| one["fingerprint"] == "host/broker" && one["firing"] == true)
}

async fn until(what: &str, holds: impl AsyncFn() -> bool) {
    let began = Instant::now();
    while !holds().await {
        assert!(began.elapsed() < SOON, "{what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn wrong(vhost: &Vhost) -> [(String, &'static str); 3] {
    let port = testkit::server::free_port();
    [
        (vhost.url.replace("guest:guest", "guest:secret-word"), "refuses"),
        (vhost.url.replace(&vhost.name, "nowhere"), "nowhere"),
        (format!("amqp://guest:guest@127.0.0.1:{port}/"), "does not answer"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_names_a_wrong_broker_reads_so_in_ready() {
    let Some(vhost) = testkit::broker::vhost().await else { return };
    for (url, said) in wrong(&vhost) {
        let db = TestDb::sqlite();
        let server = house(&db, &url).await;
        until(said, async || !ready(&server).await["degraded"].is_null()).await;
        let told = ready(&server).await;
        println!("{told}");
        assert_eq!(told["degraded"], json!(["broker"]), "{told}");
        let why = told["why"].as_str().unwrap();
        assert!(why.contains("amqp://guest@") && why.contains(said), "{told}");
        assert!(!why.contains("secret-word"), "{told}");
        server.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alert_rings_while_the_broker_refuses_and_ends_with_that() {
    let Some(vhost) = testkit::broker::vhost().await else { return };
    let db = TestDb::sqlite();
    let server = house(&db, &vhost.url).await;
    assert!(ready(&server).await["degraded"].is_null() && !fires(&server).await);
    let path = format!("vhosts/{}", vhost.name);
    vhost.send("DELETE", &path, &json!({})).await;
    until("it is missed", async || ready(&server).await["degraded"] == json!(["broker"])).await;
    until("the alert rings", async || fires(&server).await).await;
    vhost.send("PUT", &path, &json!({})).await;
    until("it is back", async || ready(&server).await["degraded"].is_null()).await;
    until("the alert is over", async || !fires(&server).await).await;
    server.stop().await;
}
