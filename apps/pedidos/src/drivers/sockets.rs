//! Socket.IO for the clients of the original system: the same events as SSE, under the seed's names.
//!
//! A client may say who it is with `auth: { token }` and where it left off with
//! `auth: { lastSeq }`; it then gets what it missed, or `sincronizar` when that is no longer kept.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{Request, State},
    response::Response,
};
use db::events::{self, Event};
use engine::Roles as _;
use host::{HangUp, Pass, Peer};
use serde_json::{Value as Json, json};
use socketioxide::{
    SocketIo,
    extract::{SocketRef, TryData},
};
use tokio_util::sync::CancellationToken;
use web::Lang;

use crate::{Context, policy::Action, wire};

/// Those who see customers, and those who cook.
const COUNTER: &str = "mostrador";
const KITCHEN: &str = "cocina";
const BUFFERED_PACKETS: usize = 1_024;
const PAYLOAD_BYTES: u64 = 10_000;
/// How long whoever is sent away has to hear why.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Whoever opened a connection says this soon what for.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The Socket.IO server of this process.
#[derive(Debug)]
pub struct Sockets {
    service: Router,
    io: SocketIo,
}

impl Default for Sockets {
    fn default() -> Self {
        let (service, io) = SocketIo::builder()
            .max_buffer_size(BUFFERED_PACKETS)
            .max_payload(PAYLOAD_BYTES)
            .connect_timeout(CONNECT_TIMEOUT)
            .build_svc();
        Self { service: Router::new().fallback_service(service), io }
    }
}

/// Hands a request to the Socket.IO server. A new session takes a live place and keeps it in its
/// request, which is dropped with it.
pub async fn serve(
    State(context): State<Context>,
    lang: Lang,
    pass: Pass,
    peer: Peer,
    mut request: Request,
) -> Response {
    if asks(&request, "sid").is_none() {
        let Some(place) = context.stream_permit(&pass.actor, peer.address) else {
            return host::too_many(lang);
        };
        request.extensions_mut().insert(Arc::new(place));
    }
    let mut service = context.runtime.sockets.service.clone();
    match tower::Service::call(&mut service, request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// A parameter of the request's address.
fn asks<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    let mut pairs = request.uri().query()?.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// Publishes committed events to connected clients until the server stops.
pub async fn publish(context: Context) {
    let sockets = &context.runtime.sockets;
    let welcoming = context.clone();
    sockets.io.ns("/", async move |socket: SocketRef, TryData(auth): TryData<Json>| {
        welcome(welcoming, socket, auth.unwrap_or(Json::Null)).await;
    });
    let mut subscription = loop {
        match context.subscribe(None).await {
            Ok(subscription) => break subscription,
            Err(_) => tokio::time::sleep(std::time::Duration::from_secs(1)).await,
        }
    };
    loop {
        tokio::select! {
            () = context.stopping.cancelled() => break,
            event = subscription.next() => broadcast(&sockets.io, &event).await,
        }
    }
    sockets.io.close().await;
}

async fn welcome(context: Context, socket: SocketRef, auth: Json) {
    let carried = socket.req_parts().extensions.get::<Pass>().cloned();
    let pass = match (auth["token"].as_str(), carried) {
        (Some(token), _) => context.pass_of_token(token).await.ok().flatten(),
        (None, Some(carried)) => carried.again(&context).await.ok().flatten(),
        (None, None) => None,
    };
    let role = pass.as_ref().and_then(|pass| wire::role_of(&pass.actor));
    let (Some(pass), Some(role)) = (pass, role) else { return send_away(socket) };
    watch(&context, &socket, pass);
    let room = if role.can(Action::SeeCustomers) { COUNTER } else { KITCHEN };
    // Rooms of the original system: joining them is acknowledged by doing nothing.
    for ignored in ["subscribe:pedidos", "subscribe:capacidad", "subscribe:worker-status"] {
        socket.on(ignored, async || {});
    }
    // What was missed comes before anything live. What commits in between comes after joining, and
    // may meet its live twin: numbers tell.
    let seen = match auth["lastSeq"].as_i64() {
        Some(since) => replay(&context, &socket, room, since).await,
        None => None,
    };
    socket.join(room);
    if let Some(seen) = seen {
        replay(&context, &socket, room, seen).await;
    }
}

/// Says why and ends it. A connection that began as a WebSocket is hung up a moment later; one that
/// began by polling has nothing left to hear, and its session ends with its client.
fn send_away(socket: SocketRef) {
    let _ = socket.emit("no-autorizado", &json!({ "code": "NO_AUTENTICADO" }));
    let request = socket.req_parts();
    let began_as_socket = request.uri.query().is_some_and(|query| query.contains("=websocket"));
    let line = request.extensions.get::<HangUp>().filter(|_| began_as_socket).cloned();
    let _ = socket.disconnect();
    if let Some(line) = line {
        tokio::spawn(async move {
            tokio::time::sleep(LAST_WORDS).await;
            line.now();
        });
    }
}

/// Ends the connection when what was shown for it is good no longer.
fn watch(context: &Context, socket: &SocketRef, pass: Pass) {
    let gone = CancellationToken::new();
    let (left, ended) = (gone.clone(), pass.ended((**context).clone()));
    socket.on_disconnect(async move || left.cancel());
    let (socket, stopping) = (socket.clone(), context.stopping.clone());
    tokio::spawn(async move {
        tokio::select! {
            () = gone.cancelled() => {}
            () = stopping.cancelled() => {}
            () = ended => send_away(socket),
        }
    });
}

/// Sends what a client missed and says up to which number; `None` when that is no longer kept.
async fn replay(context: &Context, socket: &SocketRef, room: &str, since: i64) -> Option<i64> {
    let missed = async {
        let mut tx = context.store.read().await?;
        let (oldest, newest) = events::bounds(&mut tx).await?;
        let batch = events::since(&mut tx, since).await?;
        let whole = since >= oldest - 1 && (batch.len() as i64) < events::BATCH;
        Ok::<_, db::Error>((whole && since <= newest, batch))
    };
    let Ok((true, batch)) = missed.await else {
        let _ = socket.emit("sincronizar", &json!({}));
        return None;
    };
    for event in batch.iter().filter(|event| event.app == crate::NAME) {
        let _ = socket.emit(event.name.clone(), &payload(event, room));
    }
    Some(batch.last().map_or(since, |event| event.seq))
}

async fn broadcast(io: &SocketIo, event: &Event) {
    if event.app != crate::NAME {
        return;
    }
    for room in [COUNTER, KITCHEN] {
        let data = payload(event, room);
        if let Err(error) = io.to(room).emit(event.name.clone(), &data).await {
            tracing::debug!(%error, "a socket client did not take an event");
        }
    }
}

fn payload(event: &Event, room: &str) -> Json {
    let mut data = event.data.clone();
    if room == KITCHEN {
        wire::hide_customer(&mut data);
    }
    data["seq"] = json!(event.seq);
    data
}
