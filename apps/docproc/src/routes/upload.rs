//! An upload that is refused while it still flows.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Body, BodyDataStream},
    extract::Request,
    middleware::Next,
    response::Response,
};
use bytes::Bytes;
use futures::Stream;

/// Whoever sends more than this after a refusal, or for longer, does not listen.
const MOST: usize = 256 << 20;
const LONGEST: Duration = Duration::from_secs(10);

/// A body that is read by whoever answers, and to its end by us.
#[derive(Clone)]
struct Shared(Arc<Mutex<BodyDataStream>>);

impl Stream for Shared {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut body = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Pin::new(&mut *body).poll_next(cx)
    }
}

/// Reads what still comes of a request that was refused, within bounds, before the refusal is sent:
/// a client that is cut off while it sends never sees the answer.
pub(super) async fn heard_out(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let mut body = Shared(Arc::new(Mutex::new(body.into_data_stream())));
    let lent = Body::from_stream(body.clone());
    let response = next.run(Request::from_parts(parts, lent)).await;
    if !response.status().is_success() {
        let rest = async {
            let mut bytes = 0;
            while let Some(Ok(chunk)) = poll_fn(|cx| Pin::new(&mut body).poll_next(cx)).await {
                bytes += chunk.len();
                if bytes > MOST {
                    return;
                }
            }
        };
        // Either way the answer follows.
        let _ = tokio::time::timeout(LONGEST, rest).await;
    }
    response
}
