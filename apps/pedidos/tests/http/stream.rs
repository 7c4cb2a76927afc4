//! A live connection to `/api/events`, read frame by frame.

use std::time::Duration;

use reqwest::{Method, Response};
use serde_json::Value as Json;
use testkit::Client;

/// Longer than any answer takes; a stream that says nothing fails the test instead of hanging it.
const STREAM_TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) id: i64,
    pub(crate) event: String,
    pub(crate) data: Json,
}

pub(crate) struct Stream {
    response: Response,
    unread: Vec<u8>,
    /// The last number seen.
    pub(crate) seen: i64,
}

impl Stream {
    /// Listens to everything after `since`.
    pub(crate) async fn open(client: &Client, since: i64) -> Self {
        Self::from(client, since, "/api/events?topics=pedidos").await
    }

    pub(crate) async fn from(client: &Client, since: i64, path: &str) -> Self {
        let request = client.request(Method::GET, path).header("last-event-id", since.to_string());
        let response = request.send().await.unwrap();
        assert_eq!(response.status().as_u16(), 200, "the stream opens");
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, unread: Vec::new(), seen: since }
    }

    /// The next event; comments that keep the line alive are skipped.
    pub(crate) async fn next(&mut self) -> Frame {
        loop {
            if let Some(end) = self.unread.windows(2).position(|pair| pair == b"\n\n") {
                let block: Vec<u8> = self.unread.drain(..end + 2).collect();
                if let Some(frame) = frame(std::str::from_utf8(&block).unwrap()) {
                    self.seen = frame.id;
                    return frame;
                }
                continue;
            }
            let chunk = tokio::time::timeout(STREAM_TIMEOUT, self.response.chunk()).await;
            let chunk = chunk.expect("the stream says something").unwrap();
            let chunk = chunk.expect("the stream goes on");
            self.unread.extend_from_slice(&chunk);
        }
    }

    /// Everything up to number `last`.
    pub(crate) async fn until(&mut self, last: i64) -> Vec<Frame> {
        let mut frames = Vec::new();
        while self.seen < last {
            frames.push(self.next().await);
        }
        frames
    }
}

fn frame(block: &str) -> Option<Frame> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
    Some(Frame {
        id: field("id: ")?.parse().unwrap(),
        event: field("event: ")?.to_owned(),
        data: serde_json::from_str(field("data: ")?).unwrap(),
    })
}
