//! The counter from outside: taken, called, served, missed, and why it waits, on both databases.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use jiff::Timestamp;
use serde_json::json;
use testkit::local::{Setup, on_both};

#[tokio::test(flavor = "multi_thread")]
async fn whose_turn_it_is_at_two_windows() {
    on_both(async |database| {
        let now: Timestamp = "2026-03-02T09:00:00Z".parse().unwrap();
        let server = Setup::at(now, database).prepare(counter::app()).await.start().await;
        let client = &server.client;
        for _ in 0..4 {
            client.post("/api/counter/tickets", json!({})).await.expect(200);
        }
        let why = client.get("/api/counter/tickets/2/why").await.expect(200);
        assert_eq!(why["ahead"], 1, "no window is open: {why}");
        for window in 1..=2 {
            client.post(&format!("/api/counter/windows/{window}"), json!({})).await.expect(204);
        }
        let why = client.get("/api/counter/tickets/4/why").await.expect(200);
        assert_eq!(why["ahead"], 1, "3 waits before 4, and 1 and 2 are called: {why}");
        client.post("/api/counter/tickets/1/done", json!({})).await.expect(204);
        client.post("/api/counter/tickets/1/done", json!({})).await.expect(409);
        client.advance(121).await;
        client.post("/api/counter/tickets/2/done", json!({})).await.expect(409);
        client.post("/api/counter/tickets/4/done", json!({})).await.expect(204);
        assert_eq!(client.advance(86_400).await["ticks"], 1, "an idle day costs one look");
        server.stop().await;
    })
    .await;
}
