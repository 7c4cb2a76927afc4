//! Work for components outside: they take messages, bring results, ask for more time, and open what
//! the messages point at.

use std::time::Duration;

use axum::{
    body::Body,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures::StreamExt as _;
use host::Failure;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Lang, Path, Problem, Query};

use super::{AtDesk as _, Desk, pictures};
use crate::{
    Context,
    decisions::outside::{self, Asker, Brought, LeaseToken},
    drivers::envelopes::{self, Closed},
    model::Component,
    policy::Action,
    rules::retry::Trouble,
    store::{Visibility, requests},
    wire::message::PipelineMessage,
};

/// More than any result about one page or document.
const LARGEST: usize = 8 << 20;
/// Of a file, in memory at a time.
const CHUNK: usize = 64 * 1024;

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(take))
        .routes(routes!(done))
        .routes(routes!(failed))
        .routes(routes!(extend))
        .routes(routes!(page))
        .routes(routes!(file))
        .layer(DefaultBodyLimit::max(LARGEST))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Wanted {
    /// Messages at most; 1 when absent.
    #[param(minimum = 1, maximum = 64)]
    limit: Option<usize>,
    /// Seconds to wait for the first one.
    #[param(minimum = 0, maximum = 60)]
    wait: Option<f64>,
    /// What this worker calls itself, among those with the same token.
    worker: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct Lent {
    message_id: i64,
    /// To be given back with the result: it tells this loan from later ones.
    attempt: i64,
    lease_until: Timestamp,
    /// The nine fields of a `PipelineMessage`, and its number.
    #[schema(value_type = Object)]
    message: PipelineMessage,
}

#[derive(Debug, Serialize, ToSchema)]
struct Taken {
    items: Vec<Lent>,
}

/// Takes messages of a component that is not built in: lent for the time of their stage, the most
/// urgent first. Waits for one if there is none.
#[utoipa::path(post, path = "/api/docproc/work/{component}/take", tag = "docproc",
    params(("component" = String, Path), Wanted), responses((status = 200, body = Taken)))]
async fn take(
    desk: Desk,
    Path(component): Path<String>,
    Query(wanted): Query<Wanted>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    desk.require(Action::Work)?;
    let component = named(&desk, component)?;
    let limit = wanted.limit.unwrap_or(1);
    let wait = wanted.wait.unwrap_or(0.0);
    let worker = worker(&desk, wanted.worker.as_deref())?;
    let base = base(&desk.context, &headers);
    let asker = Asker { component, worker, base };
    let wait = Duration::from_secs_f64(wait);
    let items = outside::take(&desk.context, &asker, limit, wait).await?;
    let lent = |lent: outside::Lease| Lent {
        message_id: lent.message.metadata.message_id,
        attempt: lent.message.metadata.attempt,
        lease_until: lent.until,
        message: lent.message,
    };
    Ok(axum::Json(Taken { items: items.into_iter().map(lent).collect() }).into_response())
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Done {
    message_id: i64,
    attempt: i64,
    /// `[["__next__" | "__backoffice__" | a routing key, message]]`
    #[schema(value_type = Vec<Object>)]
    replies: Vec<Json>,
}

/// Brings the result of a message. 409: its time was over, or it is done.
#[utoipa::path(post, path = "/api/docproc/work/{component}/done", tag = "docproc",
    params(("component" = String, Path)), request_body = Done,
    responses((status = 204)))]
async fn done(
    desk: Desk,
    Path(component): Path<String>,
    web::Json(done): web::Json<Done>,
) -> Result<Response, Failure> {
    desk.require(Action::Work)?;
    let token = token(&desk, component, done.message_id, done.attempt)?;
    bring(&desk, &token, Ok(Json::Array(done.replies))).await
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Failed {
    message_id: i64,
    attempt: i64,
    /// Why, for people.
    error: String,
    /// For programs: letters, digits and underscores.
    code: Option<String>,
    /// Whether trying again is no use.
    #[serde(default)]
    lasting: bool,
}

/// Says that a message could not be done: it is tried again later, or given up after its last try.
#[utoipa::path(post, path = "/api/docproc/work/{component}/failed", tag = "docproc",
    params(("component" = String, Path)), request_body = Failed,
    responses((status = 204)))]
async fn failed(
    desk: Desk,
    Path(component): Path<String>,
    web::Json(failed): web::Json<Failed>,
) -> Result<Response, Failure> {
    desk.require(Action::Work)?;
    let token = token(&desk, component, failed.message_id, failed.attempt)?;
    let code = failed.code.unwrap_or_else(|| "COMPONENT_FAILED".to_owned());
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if code.is_empty() || code.len() > 64 || !code.chars().all(fits) {
        let said = (
            "code son hasta 64 letras, cifras y guiones bajos.",
            "code is up to 64 letters, digits and underscores.",
        );
        return Err(invalid(&desk, "CODIGO_INVALIDO", "code", said));
    }
    let detail = failed.error.chars().take(500).collect();
    bring(&desk, &token, Err(Trouble { code, detail, lasting: failed.lasting })).await
}

async fn bring(desk: &Desk, token: &LeaseToken, brought: Brought) -> Result<Response, Failure> {
    match outside::conclude(&desk.context, token, brought).await? {
        Ok(()) => Ok(StatusCode::NO_CONTENT.into_response()),
        Err(refusal) => Err(desk.refused(&refusal).into()),
    }
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Extend {
    message_id: i64,
    attempt: i64,
}

#[derive(Debug, Serialize, ToSchema)]
struct Extended {
    lease_until: Timestamp,
}

/// Asks for a message once more for the time of its stage.
#[utoipa::path(post, path = "/api/docproc/work/{component}/extend", tag = "docproc",
    params(("component" = String, Path)), request_body = Extend,
    responses((status = 200, body = Extended)))]
async fn extend(
    desk: Desk,
    Path(component): Path<String>,
    web::Json(extend): web::Json<Extend>,
) -> Result<Response, Failure> {
    desk.require(Action::Work)?;
    let token = token(&desk, component, extend.message_id, extend.attempt)?;
    match outside::extend(&desk.context, &token).await? {
        Ok(lease_until) => Ok(axum::Json(Extended { lease_until }).into_response()),
        Err(refusal) => Err(desk.refused(&refusal).into()),
    }
}

/// A name that a component outside can have.
fn named(desk: &Desk, component: String) -> Result<String, Failure> {
    if Component::is_outside_name(&component) {
        return Ok(component);
    }
    let said = (
        "Ese componente es de la casa o no puede llamarse así.",
        "That component is one of the house, or cannot be called so.",
    );
    Err(invalid(desk, "COMPONENTE_INVALIDO", "component", said))
}

fn token(desk: &Desk, component: String, id: i64, attempt: i64) -> Result<LeaseToken, Failure> {
    Ok(LeaseToken { component: named(desk, component)?, id, attempt })
}

/// How the queue names whoever holds a message.
fn worker(desk: &Desk, named: Option<&str>) -> Result<String, Failure> {
    let own = desk.actor.name.as_str();
    let Some(named) = named.filter(|name| !name.is_empty()) else {
        return Ok(format!("outside/{own}"));
    };
    if named.chars().count() > 100 || named.chars().any(char::is_control) {
        let said = (
            "worker tiene 100 caracteres como mucho, ninguno de control.",
            "worker has 100 characters at most, none of them control characters.",
        );
        return Err(invalid(desk, "WORKER_INVALIDO", "worker", said));
    }
    Ok(format!("outside/{own}/{named}"))
}

/// Where the asker reached us: it reaches what messages point at the same way.
fn base(context: &Context, headers: &HeaderMap) -> String {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let scheme = match text("x-forwarded-proto") {
        Some("https") => "https",
        _ => "http",
    };
    let plain =
        |host: &&str| host.bytes().all(|c| c.is_ascii_alphanumeric() || b".-:[]".contains(&c));
    match text(header::HOST.as_str()).filter(plain) {
        Some(host) => format!("{scheme}://{host}"),
        None => context.options.address().to_owned(),
    }
}

fn invalid(desk: &Desk, code: &'static str, path: &str, said: (&str, &str)) -> Failure {
    let detail = desk.lang.t(said.0, said.1).to_owned();
    let problem = Problem::unprocessable(code).lang(desk.lang);
    problem.detail(detail.clone()).error(path, detail).into()
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Proof {
    /// The second until which the address is good.
    expires: i64,
    signature: String,
}

/// A page as a picture fine enough to be read, by a signed address from a message.
#[utoipa::path(get, path = "/api/docproc/work/files/{request}/pages/{n}", tag = "docproc",
    params(("request" = String, Path), ("n" = u32, Path), Proof),
    responses((status = 200, content_type = "image/jpeg", body = Vec<u8>),
              (status = 403, body = Problem), (status = 410, body = Problem)))]
async fn page(
    State(context): State<Context>,
    lang: Lang,
    Path((request, n)): Path<(String, u32)>,
    Query(proof): Query<Proof>,
) -> Result<Response, Failure> {
    open(&context, lang, &format!("{}{request}/pages/{n}", envelopes::OPENED), &proof)?;
    let picture = pictures::picture(&context, lang, &request, n, pictures::READ).await?;
    Ok(([(header::CONTENT_TYPE, "image/jpeg")], picture).into_response())
}

/// A file as it came, by a signed address from a message.
#[utoipa::path(get, path = "/api/docproc/work/files/{request}/files/{n}", tag = "docproc",
    params(("request" = String, Path), ("n" = u32, Path), Proof),
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>),
              (status = 403, body = Problem), (status = 410, body = Problem)))]
async fn file(
    State(context): State<Context>,
    lang: Lang,
    Path((request, n)): Path<(String, u32)>,
    Query(proof): Query<Proof>,
) -> Result<Response, Failure> {
    open(&context, lang, &format!("{}{request}/files/{n}", envelopes::OPENED), &proof)?;
    let mut tx = context.store.read().await?;
    let row = requests::find(&mut tx, Visibility::All, &request).await?;
    let files = requests::files(&mut tx, &request).await?;
    drop(tx);
    let kept = row.is_some_and(|row| row.cleared_at.is_none());
    let file = files.into_iter().find(|file| file.n == n).filter(|_| kept);
    let file = file.ok_or_else(|| pictures::gone(lang))?;
    let (size, runtime) = (file.bytes, context.runtime.clone());
    let (sender, receiver) = tokio::sync::mpsc::channel::<std::io::Result<Bytes>>(4);
    tokio::task::spawn_blocking(move || {
        let mut reader = match runtime.storage.reader(&file) {
            Ok(reader) => reader,
            Err(error) => return drop(sender.blocking_send(Err(error))),
        };
        loop {
            let mut chunk = vec![0; CHUNK];
            let read = std::io::Read::read(&mut reader, &mut chunk);
            let read = read.map(|n| {
                chunk.truncate(n);
                Bytes::from(chunk)
            });
            let over = read.as_ref().map_or(true, Bytes::is_empty);
            let gone = !matches!(&read, Ok(empty) if empty.is_empty())
                && sender.blocking_send(read).is_err();
            if over || gone {
                return;
            }
        }
    });
    let stream = futures::stream::unfold(receiver, async |mut receiver| {
        receiver.recv().await.map(|chunk| (chunk, receiver))
    });
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_LENGTH, size.to_string()),
    ];
    Ok((headers, Body::from_stream(stream.fuse())).into_response())
}

/// Turns away whoever has no good signature, or one whose time is over.
fn open(context: &Context, lang: Lang, path: &str, proof: &Proof) -> Result<(), Failure> {
    let now = context.clock.now();
    let vault = &context.options.vault;
    let problem = match envelopes::opens(vault, path, proof.expires, &proof.signature, now) {
        Ok(()) => return Ok(()),
        Err(Closed::Forged) => Problem::forbidden("FIRMA_INVALIDA").detail(lang.t(
            "La firma de esta dirección no es de esta casa.",
            "The signature of this address is not of this house.",
        )),
        Err(Closed::Over) => Problem::new(StatusCode::GONE, "DIRECCION_VENCIDA").detail(lang.t(
            "El plazo de esta dirección terminó; la da de nuevo un mensaje nuevo.",
            "The time of this address is over; a new message gives a new one.",
        )),
    };
    Err(problem.lang(lang).into())
}
