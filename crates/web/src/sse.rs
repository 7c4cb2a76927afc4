//! The live stream: frames in, server-sent events out.

use std::convert::Infallible;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::{Stream, StreamExt};
use tokio_util::sync::CancellationToken;

/// One event as the outbox has it: its sequence number, name and JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub id: i64,
    pub event: String,
    pub data: String,
}

/// Silence longer than this would let proxies and the page believe the stream is dead.
pub const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Streams `frames` until they end or the process shuts down.
///
/// The token matters: a graceful shutdown of axum waits for every open response, and this one
/// would never end by itself.
pub fn stream<S>(frames: S, shutdown: CancellationToken) -> Response
where
    S: Stream<Item = Frame> + Send + 'static,
{
    let events = frames
        .map(|frame| {
            Event::default().id(frame.id.to_string()).event(one_line(frame.event)).data(frame.data)
        })
        .take_until(shutdown.cancelled_owned())
        .map(Ok::<_, Infallible>);
    let hello = futures::stream::iter([Ok(Event::default().comment("turno"))]);
    let mut response = Sse::new(hello.chain(events))
        .keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
        .into_response();
    // Proxies of the nginx family hold back small writes unless told otherwise.
    let buffering = HeaderName::from_static("x-accel-buffering");
    response.headers_mut().insert(buffering, HeaderValue::from_static("no"));
    response
}

/// Event names with a line break would make axum panic; ours have none, a webhook's might.
fn one_line(name: String) -> String {
    if name.contains(['\n', '\r']) { name.replace(['\n', '\r'], " ") } else { name }
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;

    use super::*;

    #[tokio::test]
    async fn frames_become_events_and_shutdown_ends_the_stream() {
        let frame = Frame { id: 7, event: "pedido:creado".into(), data: "{\"a\":1}".into() };
        let shutdown = CancellationToken::new();
        let frames = futures::stream::iter([frame]).chain(futures::stream::pending());
        let response = stream(frames, shutdown.clone());
        let body = to_bytes(response.into_body(), 10_000);
        let ((), body) = futures::join!(async { shutdown.cancel() }, body);
        let text = String::from_utf8(body.unwrap().to_vec()).unwrap();
        assert!(text.starts_with(": turno\n"), "{text}");
    }

    #[tokio::test]
    async fn an_event_carries_id_name_and_data() {
        let frame = Frame { id: 7, event: "pedido:creado".into(), data: "{\"a\":1}".into() };
        let response = stream(futures::stream::iter([frame]), CancellationToken::new());
        let body = to_bytes(response.into_body(), 10_000).await.unwrap();
        let text = String::from_utf8(body.to_vec()).unwrap();
        assert!(text.contains("id: 7\n"), "{text}");
        assert!(text.contains("event: pedido:creado\n"), "{text}");
        assert!(text.contains("data: {\"a\":1}\n"), "{text}");
    }
}
