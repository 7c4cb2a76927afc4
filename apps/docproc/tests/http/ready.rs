//! S-28: a process says whether it takes messages, and notices when it cannot.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use serde_json::Value as Json;
use testkit::TestDb;

use crate::{
    office::{self, Office, Setup},
    outside::Outside,
    wire::Wire,
};

async fn ready(health: SocketAddr) -> u16 {
    http_client::client()
        .get(format!("http://{health}/ready"))
        .send()
        .await
        .unwrap()
        .status()
        .as_u16()
}

/// How long it takes until it says so.
async fn until(health: SocketAddr, status: u16) -> Duration {
    let began = Instant::now();
    while ready(health).await != status {
        assert!(began.elapsed() < Duration::from_secs(30), "never {status}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    began.elapsed()
}

#[tokio::test]
async fn scenario_28_a_lost_database_is_noticed_within_five_seconds() {
    let Some(mut db) = TestDb::postgres().await else { return };
    let mut url = reqwest::Url::parse(&db.url).unwrap();
    let to = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap_or(5432));
    let to = tokio::net::lookup_host(to).await.unwrap().next().unwrap();
    let mut wire = Wire::lay(to).await;
    url.set_host(Some("127.0.0.1")).unwrap();
    url.set_port(Some(wire.address.port())).unwrap();
    db.url = url.into();
    let setup = Setup::of(&db);
    let (prepared, context) = office::prepared(&setup).await;
    let nowhere = "127.0.0.1:0".parse().unwrap();
    let health = docproc::routes::health::serve(context.clone(), nowhere).await.unwrap();
    assert_eq!(ready(health).await, 503, "nothing is taken yet");
    let office = Office::start(setup, prepared, context, Outside::start().await).await;
    until(health, 200).await;
    wire.cut();
    let noticed = until(health, 503).await;
    assert!(noticed < Duration::from_secs(5), "{noticed:?}");
    let alive = http_client::client().get(format!("http://{health}/health")).send().await.unwrap();
    assert_eq!(alive.status().as_u16(), 200, "it lives all the same");
    assert_eq!(alive.json::<Json>().await.unwrap()["status"], "ok");
    wire.mend().await;
    until(health, 200).await;
    office.close().await;
}
