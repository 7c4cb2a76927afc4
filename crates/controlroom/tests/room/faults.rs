//! Every refusal arrives as what it is, asked once and not accepted.

use std::time::Duration;

use controlroom::{Client, Config, Fault, Secret};
use serde_json::{Value, json};

use crate::room::{Room, deployment};

fn kind(fault: &Fault) -> &'static str {
    match fault {
        Fault::NoCompatibleTargets { .. } => "no targets",
        Fault::DeviceUnavailable { .. } => "device",
        Fault::NoDefaultDevice { .. } => "no default device",
        Fault::Rejected { .. } => "rejected",
        Fault::Unauthorized { .. } => "unauthorized",
        Fault::Forbidden { .. } => "forbidden",
        Fault::NotFound { .. } => "not found",
        Fault::Conflict { .. } => "conflict",
        Fault::TooMany { .. } => "too many",
        Fault::Server { .. } => "server",
        Fault::Unreachable { .. } => "unreachable",
        Fault::InDoubt { .. } => "in doubt",
        Fault::Malformed { .. } => "malformed",
    }
}

#[tokio::test]
async fn deployments_are_refused_in_every_way() {
    let room = Room::new().await;
    let client = room.client();
    let text = |status: u16, message: &str| json!({"status": status, "message": message});
    let table = [
        (text(412, "No compatible targets found in automation 5"), "no targets"),
        (text(412, "Device busy"), "device"),
        (text(400, "Bot Runners are not active"), "device"),
        (text(400, "none of the user(s) provided have default device(s)"), "no default device"),
        (text(400, "License expired"), "rejected"),
        (text(403, "no permission"), "forbidden"),
        (text(404, "no bot"), "not found"),
        (text(409, "again?"), "conflict"),
        (text(429, "slow down"), "too many"),
        (text(500, "oops"), "server"),
        (text(502, "gateway"), "server"),
        (text(503, "later"), "server"),
        (json!({"body": "<html>welcome</html>"}), "malformed"),
        (json!({"body": "{}"}), "malformed"),
        (json!({"body": "[1,2]"}), "malformed"),
        (json!({"body": "{\"deploymentId\": null}"}), "malformed"),
        (json!({"status": 204, "body": ""}), "malformed"),
        (json!({"drop": true}), "in doubt"),
    ];
    for (n, (fault, expected)) in (1..).zip(&table) {
        room.faults(json!({ "deploy": fault })).await;
        let refused = client.deploy(&deployment(5, 50, "turno-1")).await.unwrap_err();
        assert_eq!(kind(&refused), *expected, "{fault} brought {refused:?}");
        assert_eq!(room.requests("deploy").await, n, "{fault}: asked once");
    }
    assert_eq!(room.deployments().await, [Value::Null; 0]);
    room.faults(json!({})).await;
    assert!(client.deploy(&deployment(5, 50, "turno-1")).await.is_ok());
}

#[tokio::test]
async fn a_time_to_wait_is_handed_on() {
    let room = Room::new().await;
    let client = room.client();
    let wait = async |fault: Value| {
        room.faults(json!({ "deploy": fault })).await;
        client.deploy(&deployment(5, 50, "turno-1")).await.unwrap_err().retry_after()
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
    let room = Room::new().await;
    let client = room.client();
    let refused = async |user| client.deploy(&deployment(1001, user, "t")).await.unwrap_err();
    room.put("/sim/devices/101", json!({"connected": false})).await;
    assert!(
        matches!(refused(201).await, Fault::DeviceUnavailable { message } if message.contains("PC-RPA-001"))
    );
    assert_eq!(kind(&refused(200).await), "no default device");
    let unlicensed = refused(205).await;
    assert!(matches!(unlicensed, Fault::Rejected { status: 400, .. }), "{unlicensed:?}");
    room.put("/sim/settings", json!({"permissive": false})).await;
    assert_eq!(kind(&refused(4242).await), "rejected");
    let unknown = client.deploy(&deployment(4242, 202, "t")).await.unwrap_err();
    assert_eq!(kind(&unknown), "not found");
    room.put("/sim/devices/101", json!({"connected": true})).await;
    assert!(client.deploy(&deployment(1001, 201, "t")).await.is_ok());
}

#[tokio::test]
async fn a_fault_may_concern_one_device_only() {
    let room = Room::new().await;
    let client = room.client();
    room.faults(json!({"deploy": {"status": 412, "device_id": 50}})).await;
    let refused = client.deploy(&deployment(5, 50, "t")).await.unwrap_err();
    assert_eq!(kind(&refused), "device");
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
    assert_eq!(kind(&refused), "unreachable");
    assert!(!refused.may_have_been_accepted());
    let nowhere = Config::new("https://no.such.host.invalid", "u", Secret::ApiKey("k".to_owned()));
    let refused = Client::new(nowhere).unwrap().devices().await.unwrap_err();
    assert_eq!(kind(&refused), "unreachable");
}

#[tokio::test]
async fn lists_fail_as_they_should() {
    let room = Room::new().await;
    let client = room.client();
    room.faults(json!({
        "activity": {"status": 503}, "devices": {"body": "{\"list\": 5}"},
        "users": {"drop": true}, "files": {"status": 403}, "manage": {"status": 409},
    }))
    .await;
    let active = client.activity(&controlroom::ActivityQuery::active()).await.unwrap_err();
    assert_eq!(kind(&active), "server");
    assert_eq!(kind(&client.devices().await.unwrap_err()), "malformed");
    assert_eq!(kind(&client.users().await.unwrap_err()), "in doubt");
    assert_eq!(kind(&client.files("RPA").await.unwrap_err()), "forbidden");
    assert_eq!(kind(&client.stop(&["x".to_owned()]).await.unwrap_err()), "conflict");
}
