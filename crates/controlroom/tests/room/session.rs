//! One token for everyone, renewed in time, and secrets kept.

use std::time::Duration;

use controlroom::{ActivityQuery, Client, Config, Fault, Kind, Secret};
use futures::future::join_all;
use serde_json::json;

use crate::room::{KEY, TestRoom, deployment};

#[tokio::test]
async fn fifty_callers_sign_in_once() {
    let room = TestRoom::new().await;
    let client = room.client();
    room.faults(json!({"authentication": {"delay_ms": 100}})).await;
    let answers = join_all((0..50).map(|_| client.devices())).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(room.requests("authentication").await, 1);
}

#[tokio::test]
async fn fifty_callers_share_a_failure() {
    let room = TestRoom::new().await;
    let client = room.client();
    room.faults(json!({"authentication": {"status": 500, "delay_ms": 100}})).await;
    let answers = join_all((0..50).map(|n| {
        let client = client.clone();
        async move { client.deploy(&deployment(5, n, "t")).await }
    }))
    .await;
    for answer in answers {
        let fault = answer.unwrap_err();
        assert!(fault.kind == Kind::Unreachable, "{fault:?}");
    }
    assert_eq!(room.requests("authentication").await, 1);
    // Whoever comes later tries again.
    room.faults(json!({})).await;
    assert!(client.sign_in().await.is_ok());
}

#[tokio::test]
async fn a_token_that_expired_is_replaced_once_for_all() {
    let room = TestRoom::new().await;
    let client = room.client();
    client.sign_in().await.unwrap();
    room.advance(20 * 60).await;
    let query = ActivityQuery::active();
    let answers = join_all((0..50).map(|_| client.activity(&query))).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(room.requests("authentication").await, 2);
}

#[tokio::test]
async fn a_deployment_with_an_expired_token_is_posted_again() {
    let room = TestRoom::new().await;
    let client = room.client();
    client.sign_in().await.unwrap();
    room.put("/sim/settings", json!({"token_seconds": 60})).await;
    room.advance(20 * 60).await;
    client.deploy(&deployment(5, 50, "turno-1")).await.unwrap();
    assert_eq!(room.requests("deploy").await, 2);
    assert_eq!(room.deployments().await.len(), 1);
}

#[tokio::test]
async fn a_401_that_stays_is_asked_twice_and_no_more() {
    let room = TestRoom::new().await;
    let client = room.client();
    room.faults(json!({"deploy": {"status": 401, "message": "no"}})).await;
    let refused = client.deploy(&deployment(5, 50, "turno-1")).await.unwrap_err();
    assert_eq!(refused, Fault::new(Kind::Unauthorized, "no"));
    assert_eq!(room.requests("deploy").await, 2);
    assert_eq!(room.requests("authentication").await, 2);
}

#[tokio::test]
async fn an_old_token_is_renewed_before_it_is_refused() {
    let room = TestRoom::new().await;
    let config = Config { renew_after: Duration::ZERO, ..room.config() };
    let client = Client::new(config).unwrap();
    for _ in 0..3 {
        client.devices().await.unwrap();
    }
    assert_eq!(room.requests("authentication").await, 3);
    assert_eq!(room.requests("devices").await, 3, "nothing was refused");
    assert_eq!(room.config().renew_after, Duration::from_mins(18));
}

#[tokio::test]
async fn a_simulator_made_anew_is_signed_in_to_again() {
    let room = TestRoom::new().await;
    let client = room.client();
    client.devices().await.unwrap();
    room.post("/sim/reset", json!({})).await;
    client.devices().await.unwrap();
}

#[tokio::test]
async fn wrong_secrets_are_refused_and_no_secret_is_shown() {
    let room = TestRoom::new().await;
    room.put("/sim/settings", json!({"secret": "another"})).await;
    let client = room.client();
    let refused = client.devices().await.unwrap_err();
    assert!(refused.kind == Kind::Unauthorized, "{refused:?}");
    // Even a server that repeats it does not bring it into a log.
    let echo = format!("bad key {KEY}");
    room.faults(json!({"authentication": {"status": 400, "message": echo}})).await;
    let refused = client.devices().await.unwrap_err();
    assert_eq!(refused, Fault::new(Kind::Unauthorized, "bad key …"));
    assert!(!format!("{client:?}").contains(KEY));
    room.faults(json!({})).await;
    let secret = Secret::Password("another".to_owned());
    let right = Client::new(Config { secret, ..room.config() }).unwrap();
    right.devices().await.unwrap();
    assert!(!room.get("/sim/state").await.to_string().contains("another"));
}

#[tokio::test]
async fn an_address_that_is_no_control_room_is_named() {
    let room = TestRoom::new().await;
    let config = Config { url: format!("{}/elsewhere", room.sim.url()), ..room.config() };
    let refused = Client::new(config).unwrap().devices().await.unwrap_err();
    assert!(refused.kind == Kind::Unreachable, "{refused:?}");
}
