//! Every refusal arrives as what it is, asked once and not accepted.

use std::time::Duration;

use controlroom::{Client, Config, Kind as K, Secret};
use serde_json::{Value, json};

use crate::room::{TestRoom, deployment};

#[tokio::test]
async fn deployments_are_refused_in_every_way() {
    let room = TestRoom::new().await;
    let client = room.client();
    let text = |status: u16, message: &str| json!({"status": status, "message": message});
    let table = [
        (text(412, "No compatible targets found in automation 5"), K::NoCompatibleTargets),
        (text(412, "Device busy"), K::DeviceUnavailable),
        (text(400, "Bot Runners are not active"), K::DeviceUnavailable),
        (text(400, "none of the user(s) provided have default device(s)"), K::NoDefaultDevice),
        (text(400, "License expired"), K::Rejected),
        (text(403, "no permission"), K::Forbidden),
        (text(404, "no bot"), K::NotFound),
        (text(409, "again?"), K::Conflict),
        (text(429, "slow down"), K::TooMany),
        (text(500, "oops"), K::Server),
        (text(502, "gateway"), K::Server),
        (text(503, "later"), K::Server),
        (json!({"body": "<html>welcome</html>"}), K::Malformed),
        (json!({"body": "{}"}), K::Malformed),
        (json!({"body": "[1,2]"}), K::Malformed),
        (json!({"body": "{\"deploymentId\": null}"}), K::Malformed),
        (json!({"status": 204, "body": ""}), K::Malformed),
        (json!({"drop": true}), K::InDoubt),
    ];
    for (n, (fault, expected)) in (1..).zip(&table) {
        room.faults(json!({ "deploy": fault })).await;
        let refused = client.deploy(&deployment(5, 50, "turno-1")).await.unwrap_err();
        assert_eq!(refused.kind, *expected, "{fault} brought {refused:?}");
        assert_eq!(room.requests("deploy").await, n, "{fault}: asked once");
    }
    assert_eq!(room.deployments().await, [Value::Null; 0]);
    room.faults(json!({})).await;
    assert!(client.deploy(&deployment(5, 50, "turno-1")).await.is_ok());
}

#[tokio::test]
async fn a_time_to_wait_is_handed_on() {
    let room = TestRoom::new().await;
    let client = room.client();
    let wait = async |fault: Value| {
        room.faults(json!({ "deploy": fault })).await;
        client.deploy(&deployment(5, 50, "turno-1")).await.unwrap_err().retry_after
    };
    let seconds = wait(json!({"status": 429, "retry_after": 7})).await;
    assert_eq!(seconds, Some(Duration::from_secs(7)));
    let seconds = wait(json!({"status": 503, "retry_after": "120"})).await;
    assert_eq!(seconds, Some(Duration::from_mins(2)));
    let date = (jiff::Timestamp::now() + jiff::SignedDuration::from_secs(90))
        .strftime("%a, %d %b %Y %H:%M:%S GMT")
        .to_string();
    let until = wait(json!({"status": 429, "retry_after": date})).await.unwrap();
    assert!((80..=90).contains(&until.as_secs()), "{until:?}");
    assert_eq!(wait(json!({"status": 429, "retry_after": "soon"})).await, None);
    assert_eq!(wait(json!({"status": 429})).await, None);
}

#[tokio::test]
async fn devices_and_users_that_cannot_are_told_apart() {
    let room = TestRoom::new().await;
    let client = room.client();
    let refused = async |user| client.deploy(&deployment(1001, user, "t")).await.unwrap_err();
    room.put("/sim/devices/101", json!({"connected": false})).await;
    let away = refused(201).await;
    assert!(away.kind == K::DeviceUnavailable && away.message.contains("PC-RPA-001"), "{away:?}");
    assert_eq!(refused(200).await.kind, K::NoDefaultDevice);
    let unlicensed = refused(205).await;
    assert_eq!((unlicensed.kind, unlicensed.status), (K::Rejected, Some(400)));
    room.put("/sim/settings", json!({"permissive": false})).await;
    assert_eq!(refused(4242).await.kind, K::Rejected);
    let unknown = client.deploy(&deployment(4242, 202, "t")).await.unwrap_err();
    assert_eq!(unknown.kind, K::NotFound);
    room.put("/sim/devices/101", json!({"connected": true})).await;
    assert!(client.deploy(&deployment(1001, 201, "t")).await.is_ok());
}

#[tokio::test]
async fn a_fault_may_concern_one_device_only() {
    let room = TestRoom::new().await;
    let client = room.client();
    room.faults(json!({"deploy": {"status": 412, "device_id": 50}})).await;
    let refused = client.deploy(&deployment(5, 50, "t")).await.unwrap_err();
    assert_eq!(refused.kind, K::DeviceUnavailable);
    assert!(client.deploy(&deployment(5, 51, "t")).await.is_ok());
}

#[tokio::test]
async fn nobody_there_is_certainly_not_accepted() {
    // A port that was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let config = Config::new(url, "u", Secret::ApiKey("k".to_owned()));
    let refused = Client::new(config).unwrap().deploy(&deployment(5, 50, "t")).await.unwrap_err();
    assert_eq!(refused.kind, K::Unreachable);
    assert!(!refused.may_have_been_accepted());
    let nowhere = Config::new("https://no.such.host.invalid", "u", Secret::ApiKey("k".to_owned()));
    let refused = Client::new(nowhere).unwrap().devices().await.unwrap_err();
    assert_eq!(refused.kind, K::Unreachable);
}

#[tokio::test]
async fn lists_fail_as_they_should() {
    let room = TestRoom::new().await;
    let client = room.client();
    room.faults(json!({
        "activity": {"status": 503}, "devices": {"body": "{\"list\": 5}"},
        "users": {"drop": true}, "files": {"status": 403}, "manage": {"status": 409},
    }))
    .await;
    let active = client.activity(&controlroom::ActivityQuery::active()).await.unwrap_err();
    assert_eq!(active.kind, K::Server);
    assert_eq!(client.devices().await.unwrap_err().kind, K::Malformed);
    assert_eq!(client.users().await.unwrap_err().kind, K::InDoubt);
    assert_eq!(client.files("RPA").await.unwrap_err().kind, K::Forbidden);
    assert_eq!(client.stop(&["x".to_owned()]).await.unwrap_err().kind, K::Conflict);
}
