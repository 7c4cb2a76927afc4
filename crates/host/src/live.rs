//! `GET /api/events`: what commits, as it commits, resumable.

use std::sync::atomic::{AtomicUsize, Ordering};

use axum::{extract::State, http::HeaderMap, response::Response};
use db::events::{self, Event};
use serde::Deserialize;
use serde_json::json;
use utoipa::IntoParams;
use web::{Lang, Problem, Query, sse::Frame};

use crate::{Actor, Context, Failure};

static OPEN: AtomicUsize = AtomicUsize::new(0);

#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct Wanted {
    /// Applications, separated by commas; all that the caller may see when absent.
    topics: Option<String>,
    /// Replay from after this number; the header `Last-Event-ID` does the same.
    since: Option<i64>,
}

/// Streams events. After a gap that is no longer kept, the first event is `resync`.
#[utoipa::path(get, path = "/api/events", params(Wanted), tag = "events",
    responses((status = 200, description = "an SSE stream", content_type = "text/event-stream"),
              (status = 429, body = Problem)))]
pub(crate) async fn stream(
    State(context): State<Context>,
    lang: Lang,
    actor: Actor,
    headers: HeaderMap,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    let place = StreamSlot::take(context.options.sse_connections).ok_or_else(|| {
        Problem::new(axum::http::StatusCode::TOO_MANY_REQUESTS, "DEMASIADAS_CONEXIONES")
            .lang(lang)
            .detail(lang.t(
                "Hay demasiadas conexiones en vivo abiertas.",
                "Too many live connections are open.",
            ))
    })?;
    let last_id = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let since = wanted.since.or(last_id);
    let topics: Option<Vec<String>> =
        wanted.topics.map(|list| list.split(',').map(|topic| topic.trim().to_owned()).collect());
    let gap = match since {
        Some(seq) => missed(&context, seq).await?,
        None => None,
    };
    let subscription = context.subscribe(gap.or(since)).await?;
    let frames = futures::stream::unfold(
        (subscription, context.clone(), place, gap),
        move |(mut subscription, context, place, mut gap)| {
            let (topics, actor) = (topics.clone(), actor.clone());
            async move {
                if let Some(newest) = gap.take() {
                    return Some((resync(newest), (subscription, context, place, None)));
                }
                loop {
                    let event = subscription.next().await;
                    if topics.as_ref().is_some_and(|list| !list.contains(&event.app)) {
                        continue;
                    }
                    if let Some(frame) = frame(&context, &actor, &event) {
                        return Some((frame, (subscription, context, place, None)));
                    }
                }
            }
        },
    );
    Ok(web::sse::stream(frames, context.stopping.clone()))
}

/// The newest number, when events after `seq` were already forgotten: the client must reload.
async fn missed(context: &Context, seq: i64) -> Result<Option<i64>, db::Error> {
    let (oldest, newest) = events::bounds(&mut context.store.read().await?).await?;
    Ok((seq < oldest - 1 || seq > newest).then_some(newest))
}

fn resync(newest: i64) -> Frame {
    Frame { id: newest, event: "resync".into(), data: json!({ "seq": newest }).to_string() }
}

fn frame(context: &Context, actor: &Actor, event: &Event) -> Option<Frame> {
    let data = visible(context, actor, event)?;
    Some(Frame { id: event.seq, event: event.name.clone(), data: data.to_string() })
}

/// The event as this actor may see it, in the shape every client gets.
pub(crate) fn visible(
    context: &Context,
    actor: &Actor,
    event: &Event,
) -> Option<serde_json::Value> {
    let data = match context.app(&event.app) {
        Some(app) => {
            actor.role_in(app.name)?;
            (app.redact)(actor, &event.name, event.data.clone())?
        }
        None if actor.is_admin() => event.data.clone(),
        None => return None,
    };
    Some(json!({ "seq": event.seq, "at": event.at, "app": event.app, "name": event.name,
                 "data": data }))
}

/// One of a bounded number of streams; given back when the client goes.
struct StreamSlot;

impl StreamSlot {
    fn take(limit: usize) -> Option<Self> {
        OPEN.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |open| {
            (open < limit).then_some(open + 1)
        })
        .ok()
        .map(|_| Self)
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        OPEN.fetch_sub(1, Ordering::SeqCst);
    }
}
