//! The demonstration (`--demo`): a house with a lived week behind it.
//!
//! Each application brings one tick that plays its people and its outside: customers and cooks, the
//! post and the operators, a Control Room and its tickets, a fleet of OLTs. The week before the start
//! is lived by the same ticks, rules and decisions, at virtual time: [`Context::travel`] moves the
//! clock through it, and then the clock runs on. No row is written in any other way.

use std::sync::{Mutex, PoisonError};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use db::{Scope, Store, events};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value as Json;
use tower::ServiceExt as _;
use web::{Lang, Problem};

use crate::{Actor, Clock, Context, Grant, Identity, router, store::demonstration};

/// How much was lived before the first page.
const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How often it is written down how far the past has been lived.
const STAGE: SignedDuration = SignedDuration::from_hours(6);
/// The past has caught up with the present when less than this is missing.
const NEARLY: SignedDuration = SignedDuration::from_secs(2);
/// Largest answer that is read.
const ANSWER_BYTES: usize = 16 << 20;
/// A page that waits for the week looks again this soon.
const LOOK_AGAIN: &str = "1";

/// The past that a demonstration still has to live, as instants of its clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    pub from: Timestamp,
    pub to: Timestamp,
}

impl Past {
    /// What an empty house has to live before `clock` says now; none where it was lived, or where
    /// somebody else's work is.
    pub async fn of(store: &Store, clock: &Clock) -> Result<Option<Self>, db::Error> {
        let (to, mut tx) = (clock.now(), store.read().await?);
        let Some((lived, ended)) = demonstration::lived(&mut tx).await? else {
            let used = events::bounds(&mut tx).await?.1 > 0;
            return Ok((!used).then(|| Self { from: to - WEEK, to }));
        };
        // Whoever was interrupted goes on from there.
        let from = lived.max(to - WEEK);
        Ok((!ended && from < to).then_some(Self { from, to }))
    }

    /// The clock by which it is lived.
    pub fn clock(self, wanted: &Clock) -> Clock {
        if wanted.is_manual() { Clock::manual(self.from) } else { Clock::lived(self.from) }
    }

    fn percent(self, now: Timestamp) -> i64 {
        let (done, all) = (now.duration_since(self.from), self.to.duration_since(self.from));
        (done.as_secs() * 100 / all.as_secs().max(1)).clamp(0, 100)
    }
}

/// What a process keeps of its demonstration.
#[derive(Debug, Default)]
pub(crate) struct Demonstration {
    doors: Mutex<Option<Router>>,
    /// What is being lived.
    past: Mutex<Option<Past>>,
}

impl Demonstration {
    pub(crate) fn of(past: Option<Past>) -> Self {
        Self { past: Mutex::new(past), ..Self::default() }
    }

    fn past(&self) -> Option<Past> {
        *self.past.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The doors hold the house and the house holds the doors: one lets go.
    pub(crate) fn end(&self) {
        *self.doors.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Context {
    /// Whether the demonstration still lives its past: what happens then is history, and need not
    /// happen as often as what people watch.
    pub fn is_past(&self) -> bool {
        self.demonstration.past().is_some()
    }

    /// Whether the demonstration's time is moved, in its past or by hand: nobody reads gauges then,
    /// and what is only watched over is looked at less often.
    pub fn is_moved_demo(&self) -> bool {
        self.options.demo && self.clock.is_manual()
    }

    /// How much of the past is lived, in percent, while it is.
    pub(crate) fn lived_percent(&self) -> Option<i64> {
        self.demonstration.past().map(|past| past.percent(self.clock.now()))
    }

    /// Lives the past; afterwards a clock that is not manual runs on. What was not lived because
    /// the server stops is lived by the next start.
    pub(crate) async fn live_past(&self) -> Result<(), db::Error> {
        let Some(past) = self.demonstration.past() else { return Ok(()) };
        let began = std::time::Instant::now();
        self.note(past, past.from, false).await?;
        loop {
            let to = if self.clock.runs_on() { self.clock.real() } else { past.to };
            let now = self.clock.now();
            if self.stopping.is_cancelled() {
                return Ok(());
            }
            let near = if self.clock.runs_on() { NEARLY } else { SignedDuration::ZERO };
            if to.duration_since(now) <= near {
                break;
            }
            let until = to.min(now + STAGE);
            self.travel(until).await;
            self.note(past, until, false).await?;
        }
        self.note(past, self.clock.now(), true).await?;
        *self.demonstration.past.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.clock.run_on();
        tracing::info!(took_s = began.elapsed().as_secs_f64(), "the demonstration's week is lived");
        // What was arranged for the past is arranged anew for whoever watches, and whatever watches
        // over the house looks again: it last looked by a clock that was moved.
        for tick in self.all_ticks().into_iter().filter(|tick| tick.net).chain(self.demo_ticks()) {
            self.wake(tick.name);
        }
        Ok(())
    }

    async fn note(&self, past: Past, until: Timestamp, ended: bool) -> Result<(), db::Error> {
        let mut decision = self.store.decide(&Scope::new("demonstration"), until).await?;
        demonstration::remember(&mut decision.tx, past.from, until, ended).await?;
        decision.commit().await.map(drop)
    }

    /// The house's own doors, for those who live in the demonstration: the same routes, roles and
    /// decisions that everybody meets, without a socket between.
    pub fn doors(&self) -> Doors {
        let mut doors = self.demonstration.doors.lock().unwrap_or_else(PoisonError::into_inner);
        Doors(doors.get_or_insert_with(|| router(self)).clone())
    }
}

/// See [`Context::doors`].
#[derive(Clone, Debug)]
pub struct Doors(Router);

/// Somebody who lives in the demonstration. Requests from outside cannot carry it.
#[derive(Clone, Debug)]
pub(crate) struct Inhabitant(pub(crate) Actor);

/// What the doors answered.
#[derive(Clone, Debug)]
pub struct Heard {
    pub status: StatusCode,
    pub body: Json,
}

impl Heard {
    /// What was answered, unless it was refused.
    pub fn granted(self) -> Option<Json> {
        self.status.is_success().then_some(self.body)
    }
}

/// Somebody with one role in one application.
pub fn person(app: &str, name: &str, role: &str) -> Actor {
    let grants = vec![Grant { app: app.to_owned(), role: role.to_owned() }];
    Actor { name: name.to_owned(), identity: Identity::User, grants }
}

impl Doors {
    /// Asks with a body of JSON; `Null` is none.
    pub async fn call(&self, who: &Actor, method: Method, path: &str, body: &Json) -> Heard {
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let kind = HeaderValue::from_static("application/json");
        self.send(who, method, path, (header::CONTENT_TYPE, kind), body).await
    }

    pub async fn get(&self, who: &Actor, path: &str) -> Heard {
        self.call(who, Method::GET, path, &Json::Null).await
    }

    /// Sends a body of another kind.
    pub async fn send(
        &self,
        who: &Actor,
        method: Method,
        path: &str,
        (name, kind): (HeaderName, HeaderValue),
        body: Vec<u8>,
    ) -> Heard {
        let mut request = Request::new(Body::from(body));
        *request.method_mut() = method;
        let Ok(uri) = path.parse() else {
            return Heard { status: StatusCode::BAD_REQUEST, body: Json::Null };
        };
        *request.uri_mut() = uri;
        request.headers_mut().insert(name, kind);
        request.extensions_mut().insert(Inhabitant(who.clone()));
        let answer = match self.0.clone().oneshot(request).await {
            Ok(answer) => answer,
            Err(never) => match never {},
        };
        let status = answer.status();
        let bytes = axum::body::to_bytes(answer.into_body(), ANSWER_BYTES).await;
        let body = bytes.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let heard = Heard { status, body: body.unwrap_or_default() };
        if status.is_server_error() || status == StatusCode::UNPROCESSABLE_ENTITY {
            tracing::warn!(path, %status, answer = %heard.body, "the demonstration was refused");
        }
        heard
    }
}

/// While the past is lived nobody else changes it: pages say how far it is, programs are asked to
/// come back. Those who watch over the process, and the Control Room with its callbacks, are heard.
pub(crate) async fn wait(
    State(context): State<Context>,
    lang: Lang,
    request: Request,
    next: Next,
) -> Response {
    let Some(percent) = context.lived_percent() else { return next.run(request).await };
    let path = request.uri().path();
    let heard = ["/health", "/ready", "/metrics", "/assets/", "/preferencias"];
    let own_proof = context.apps.iter().flat_map(|app| app.own_proof);
    if request.extensions().get::<Inhabitant>().is_some()
        || heard.iter().chain(own_proof).any(|open| path.starts_with(open))
    {
        return next.run(request).await;
    }
    let detail = match lang {
        Lang::Es => format!(
            "Se vive la semana anterior de la demostración: {percent} %. La página se abre sola."
        ),
        Lang::En => format!(
            "The demonstration's past week is being lived: {percent} %. The page opens by itself."
        ),
    };
    let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "DEMOSTRACION_EN_PREPARACION")
        .lang(lang)
        .title(lang.t("En un momento", "In a moment"))
        .detail(detail);
    let again = HeaderValue::from_static(LOOK_AGAIN);
    let mut response = problem.into_response();
    response.headers_mut().insert(header::RETRY_AFTER, again.clone());
    response.headers_mut().insert(header::REFRESH, again);
    response
}
