//! `GET /api/events`: what commits, as it commits, resumable.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, PoisonError},
};

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use db::events::{self, Event};
use futures::StreamExt as _;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use utoipa::IntoParams;
use web::{Lang, Problem, Query, sse::Frame};

use crate::{Actor, Context, Failure, Identity, Pass};

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
    pass: Pass,
    headers: HeaderMap,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    let actor = pass.actor.clone();
    let Some(place) = context.stream_permit(&actor, None) else { return Ok(too_many(lang)) };
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
                    match frame(&context, &actor, &event).await {
                        Ok(Some(frame)) => {
                            return Some((frame, (subscription, context, place, None)));
                        }
                        Ok(None) => {}
                        // Whose it is cannot be told now: the client comes back for it.
                        Err(_) => return None,
                    }
                }
            }
        },
    );
    let frames = frames.fuse().take_until(pass.ended(context.clone()));
    Ok(web::sse::stream(frames, context.stopping.clone()))
}

/// What whoever finds no place is told.
pub fn too_many(lang: Lang) -> Response {
    let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "DEMASIADAS_CONEXIONES")
        .lang(lang)
        .detail(lang.t(
            "Hay demasiadas conexiones en vivo abiertas.",
            "Too many live connections are open.",
        ));
    ([(header::RETRY_AFTER, "5")], problem).into_response()
}

/// The newest number, when events after `seq` were already forgotten: the client must reload.
async fn missed(context: &Context, seq: i64) -> Result<Option<i64>, db::Error> {
    let (oldest, newest) = events::bounds(&mut context.store.read().await?).await?;
    Ok((seq < oldest - 1 || seq > newest).then_some(newest))
}

fn resync(newest: i64) -> Frame {
    Frame { id: newest, event: "resync".into(), data: json!({ "seq": newest }).to_string() }
}

async fn frame(
    context: &Context,
    actor: &Actor,
    event: &Event,
) -> Result<Option<Frame>, db::Error> {
    let data = visible(context, actor, event).await?;
    let frame =
        |data: Json| Frame { id: event.seq, event: event.name.clone(), data: data.to_string() };
    Ok(data.map(frame))
}

/// The event as this actor may see it, in the shape every client gets.
pub(crate) async fn visible(
    context: &Context,
    actor: &Actor,
    event: &Event,
) -> Result<Option<Json>, db::Error> {
    let data = match context.app(&event.app) {
        Some(app) if app.shows_all_to(actor) || (app.owns)(context, actor, event).await? => {
            (app.redact)(actor, &event.name, event.data.clone())
        }
        None if actor.is_admin() => Some(event.data.clone()),
        Some(_) | None => None,
    };
    Ok(data.map(|data| {
        json!({ "seq": event.seq, "at": event.at, "app": event.app, "name": event.name,
                "data": data })
    }))
}

/// How many streams are open, by whom.
#[derive(Debug, Default)]
pub(crate) struct Streams(Mutex<HashMap<String, usize>>);

/// One of a bounded number of live connections, of all and of one actor; given back when the client
/// goes.
#[derive(Debug)]
pub struct StreamPermit {
    context: Context,
    whose: String,
}

impl Context {
    /// A place for a stream or a socket, if there is one. Strangers, who may still say who they are,
    /// are told apart by where they come from.
    pub fn stream_permit(&self, actor: &Actor, from: Option<IpAddr>) -> Option<StreamPermit> {
        let whose = match (actor.identity, from) {
            (Identity::Anonymous, Some(address)) => format!("{address}"),
            _ => format!("{:?}/{}", actor.identity, actor.name),
        };
        let mut open = self.streams.0.lock().unwrap_or_else(PoisonError::into_inner);
        // On an open server everybody is one actor.
        let own = match actor.identity {
            Identity::Open => usize::MAX,
            _ => self.options.network.limits.streams,
        };
        let total: usize = open.values().sum();
        let held = open.get(&whose).copied().unwrap_or_default();
        if total >= self.options.sse_connections || held >= own {
            return None;
        }
        open.insert(whose.clone(), held + 1);
        drop(open);
        Some(StreamPermit { context: self.clone(), whose })
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut open = self.context.streams.0.lock().unwrap_or_else(PoisonError::into_inner);
        match open.get_mut(&self.whose) {
            Some(held) if *held > 1 => *held -= 1,
            _ => drop(open.remove(&self.whose)),
        }
    }
}
