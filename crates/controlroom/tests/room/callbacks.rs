//! Whoever asked to be told is told: once, never, or too often.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use controlroom::sim::Options;
use controlroom::{ActivityQuery, Callback, Deployment};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::room::{TestRoom, deployment};

/// Takes callbacks and keeps them with the token they came with.
struct Receiver {
    url: String,
    received: UnboundedReceiver<(String, Value)>,
}

impl Receiver {
    async fn new() -> Self {
        let (sender, received) = unbounded_channel();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/api/callback", listener.local_addr().unwrap());
        let routes = axum::Router::new().route("/api/callback", post(take)).with_state(sender);
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { url, received }
    }

    fn deployment(&self, user: i64) -> Deployment {
        let headers = BTreeMap::from([("X-Authorization".to_owned(), "ficha".to_owned())]);
        let callback = Some(Callback { url: self.url.clone(), headers });
        Deployment { callback, ..deployment(5, user, "turno-1") }
    }

    /// What has come so far: the status of each.
    fn statuses(&mut self) -> Vec<String> {
        let mut all = Vec::new();
        while let Ok((_, body)) = self.received.try_recv() {
            all.push(body["status"].as_str().unwrap().to_owned());
        }
        all
    }
}

async fn take(
    State(sender): State<UnboundedSender<(String, Value)>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) {
    let token = headers.get("X-Authorization").map(|token| token.to_str().unwrap().to_owned());
    sender.send((token.unwrap_or_default(), body)).unwrap();
}

#[tokio::test]
async fn an_end_is_told_with_the_headers_that_were_given() {
    let room = TestRoom::new().await;
    let mut receiver = Receiver::new().await;
    let id = room.client().deploy(&receiver.deployment(50)).await.unwrap();
    room.advance(60).await;
    assert_eq!(receiver.statuses(), [""; 0]);
    room.advance(1).await;
    let (token, body) = receiver.received.try_recv().unwrap();
    let expected = json!({
        "deploymentId": id, "status": "RUN_COMPLETED", "deviceId": "50", "userId": "50",
        "botOutput": {},
    });
    assert_eq!((token.as_str(), body), ("ficha", expected));
    let callbacks = &room.deployments().await[0]["callbacks"];
    assert_eq!(
        (callbacks[0]["answer"].as_str(), callbacks[0]["status"].as_str()),
        (Some("200"), Some("RUN_COMPLETED"))
    );
    room.advance(9999).await;
    assert_eq!(receiver.statuses(), [""; 0]);
}

#[tokio::test]
async fn a_status_given_by_hand_is_told_before_it_is_answered() {
    let room = TestRoom::new().await;
    let mut receiver = Receiver::new().await;
    let id = room.client().deploy(&receiver.deployment(50)).await.unwrap();
    let path = format!("/sim/deployments/{id}");
    for (status, told) in [
        ("RUNNING", None),
        ("RUN_PAUSED", None),
        ("RUN_FAILED", Some("RUN_FAILED")),
        ("RUN_COMPLETED", Some("RUN_COMPLETED")),
        ("UNKNOWN", None),
    ] {
        room.post(&path, json!({"status": status})).await;
        assert_eq!(receiver.statuses(), told.into_iter().collect::<Vec<_>>(), "{status}");
    }
    room.advance(9999).await;
    assert_eq!(receiver.statuses(), [""; 0], "what was ended by hand does not end again");
}

#[tokio::test]
async fn callbacks_are_lost_repeated_and_late() {
    let room = TestRoom::new().await;
    let mut receiver = Receiver::new().await;
    let client = room.client();
    room.faults(json!({"callback": [
        {"drop": true, "times": 1},
        {"repeat": 2, "times": 1},
        {"delay_ms": 30_000, "times": 1},
    ]}))
    .await;
    let run = async |receiver: &mut Receiver| {
        client.deploy(&receiver.deployment(50)).await.unwrap();
        room.advance(61).await;
        receiver.statuses().len()
    };
    assert_eq!(run(&mut receiver).await, 0);
    assert_eq!(room.deployments().await[0]["callbacks"][0]["answer"], "dropped");
    assert_eq!(run(&mut receiver).await, 3);
    assert_eq!(run(&mut receiver).await, 0);
    room.advance(30).await;
    assert_eq!(receiver.statuses(), ["RUN_COMPLETED"]);
    assert_eq!(run(&mut receiver).await, 1);
}

#[tokio::test]
async fn a_receiver_that_is_not_there_changes_nothing() {
    let room = TestRoom::new().await;
    let gone = Receiver { url: "http://127.0.0.1:9/".to_owned(), ..Receiver::new().await };
    room.client().deploy(&gone.deployment(50)).await.unwrap();
    room.advance(61).await;
    let ended = &room.deployments().await[0];
    let shown = (ended["status"].as_str(), ended["callbacks"][0]["answer"].as_str());
    assert_eq!(shown, (Some("COMPLETED"), Some("unreachable")));
}

#[tokio::test]
async fn what_was_stopped_is_told_of_and_the_next_goes_on() {
    let room = TestRoom::new().await;
    let mut receiver = Receiver::new().await;
    let client = room.client();
    let id = client.deploy(&receiver.deployment(50)).await.unwrap();
    client.deploy(&receiver.deployment(50)).await.unwrap();
    let by_deployment = client.stop(std::slice::from_ref(&id)).await.unwrap_err();
    assert!(by_deployment.to_string().contains("not found"), "{by_deployment}");
    let found = client.activity(&ActivityQuery::Deployments(vec![id])).await.unwrap();
    let id = found[0].id.clone();
    client.stop(std::slice::from_ref(&id)).await.unwrap();
    // Settles what is on its way.
    room.advance(0).await;
    assert_eq!(receiver.statuses(), ["RUN_ABORTED"]);
    let statuses: Vec<_> =
        room.deployments().await.iter().map(|run| run["status"].clone()).collect();
    assert_eq!(statuses, ["RUN_ABORTED", "DEPLOYED"]);
    let again = client.stop(&[id]).await.unwrap_err();
    assert!(again.to_string().contains("not active"), "{again}");
    assert!(client.stop(&[]).await.is_ok());
}

#[tokio::test]
async fn by_the_real_clock_things_happen_by_themselves() {
    let room =
        TestRoom::with(Options { duration: Duration::from_millis(20), ..Options::default() }).await;
    let mut receiver = Receiver::new().await;
    room.put("/sim/settings", json!({"start_seconds": 0.02})).await;
    let client = room.client();
    for _ in 0..3 {
        client.deploy(&receiver.deployment(50)).await.unwrap();
    }
    for _ in 0..3 {
        let next = tokio::time::timeout(Duration::from_secs(20), receiver.received.recv());
        assert_eq!(next.await.unwrap().unwrap().1["status"], "RUN_COMPLETED");
    }
}
