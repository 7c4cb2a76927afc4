//! HTTP: parse, check who asks, call a decision, render. Nothing is decided here.

mod automation;
mod board;
mod input;
mod kitchen;
mod menu;
mod moves;
mod orders;
mod reports;
mod screens;
mod settings;
mod timetable;

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header::LINK},
    response::{IntoResponse as _, Response},
};
use db::Tx;
use host::{Failure, check::Check};
use serde::Serialize;
use utoipa_axum::router::OpenApiRouter;
use web::{Problem, bounds::Answer};

use crate::{
    Context,
    decisions::{Asked, Done, Key},
    model::Role,
    rules::commands::{Class, Refusal},
    store::KitchenView,
    wire::OrderView,
};

/// Someone with a role in this application, asking something now.
type Desk = host::Desk<Role, Context>;

pub fn all() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .merge(orders::routes())
        .merge(moves::routes())
        .merge(kitchen::routes())
        .merge(menu::routes())
        .merge(settings::routes())
        .merge(timetable::routes())
        .merge(automation::routes())
        .merge(board::routes())
        .merge(reports::routes())
        .merge(screens::routes())
}

/// The kitchen now, and the read it was seen in.
async fn look(desk: &Desk) -> Result<(Tx, KitchenView), Failure> {
    let mut tx = desk.context.store.read().await?;
    let kitchen = KitchenView::load(&desk.context, &mut tx, desk.now).await?;
    Ok((tx, kitchen))
}

/// Rule 2 of the specification fixes 400 for values out of range; the house answers 422 elsewhere.
pub(crate) const OUT_OF_RANGE: Answer = (StatusCode::BAD_REQUEST, "VALIDACION");

fn check(desk: &Desk) -> Check {
    Check::answering(desk.lang, OUT_OF_RANGE)
}

/// How long a page of a list is.
fn limit(check: &mut Check, wanted: Option<i64>, most: i64) -> i64 {
    wanted.map_or(most, |wanted| check.within("limit", wanted, 1, most))
}

/// Lists at the seed's addresses are plain arrays: where one goes on is told beside it, so that none
/// is ever cut without a word.
fn array<T: Serialize>(items: Vec<T>, next: Option<i64>, uri: &Uri) -> Response {
    let mut response = axum::Json(items).into_response();
    let Some(next) = next else { return response };
    let rest = uri.query().unwrap_or_default().split('&');
    let rest = rest.filter(|part| !part.is_empty() && !part.starts_with("cursor="));
    let query: Vec<_> = rest.map(str::to_owned).chain([format!("cursor={next}")]).collect();
    let link = format!("<{}?{}>; rel=\"next\"", uri.path(), query.join("&"));
    let headers = response.headers_mut();
    headers.insert("x-next-cursor", HeaderValue::from(next));
    if let Ok(link) = HeaderValue::from_str(&link) {
        headers.insert(LINK, link);
    }
    response
}

fn no_such_cursor(desk: &Desk) -> Problem {
    let (es, en) = ("no es el final de ninguna página", "is not the end of any page");
    Problem::bad_request("VALIDACION")
        .lang(desk.lang)
        .detail(desk.lang.t("El cursor no sirve.", "The cursor is of no use."))
        .error("cursor", desk.lang.t(es, en))
}

/// What was saved, or the problem that says why nothing was.
fn saved<T, R>(
    desk: &Desk,
    done: Done<T, R>,
    unknown: impl FnOnce(&Desk) -> Problem,
    refused: impl FnOnce(&Desk, &R) -> Problem,
) -> Result<T, Failure> {
    match done {
        Done::Saved(saved) => Ok(saved),
        Done::Refused(refusal) => Err(refused(desk, &refusal).into()),
        Done::Missing => Err(unknown(desk).into()),
        Done::Stale { current } => Err(desk.stale(current).into()),
        Done::KeyReused => Err(key_reused(desk).into()),
    }
}

/// What a caller says beside a command: the version they saw, and the key that makes it one.
fn asked(desk: &Desk, headers: &HeaderMap, command: &impl Serialize) -> Result<Asked, Failure> {
    let version = desk.expected_version(headers)?;
    Ok(Asked { version, key: idempotency_key(desk, headers, command)? })
}

fn idempotency_key(
    desk: &Desk,
    headers: &HeaderMap,
    body: &impl Serialize,
) -> Result<Option<Key>, Failure> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    let key = value.to_str().ok().filter(|key| (1..=200).contains(&key.len()));
    let Some(key) = key else {
        let detail = desk.lang.t(
            "Idempotency-Key debe tener de 1 a 200 caracteres visibles.",
            "Idempotency-Key must have 1 to 200 visible characters.",
        );
        let problem = Problem::bad_request("CLAVE_INVALIDA").lang(desk.lang).detail(detail);
        return Err(problem.into());
    };
    // The typed request, not its bytes: spacing and the order of keys do not make another order.
    let fingerprint = db::sha256_hex(host::as_json(body)?.to_string());
    Ok(Some(Key { key: key.to_owned(), fingerprint }))
}

fn key_reused(desk: &Desk) -> Problem {
    let es = "Esa Idempotency-Key ya se usó con otro contenido.";
    let en = "That Idempotency-Key was already used with another body.";
    host::conflict(desk.lang, "CLAVE_REUTILIZADA", es, en)
}

/// The answer to a command about one order.
fn answer(desk: &Desk, done: Done<Box<OrderView>, Refusal>) -> Result<Response, Failure> {
    Ok(tagged(saved(desk, done, no_order, refused)?.seen_by(desk.role)))
}

fn tagged(view: OrderView) -> Response {
    host::tagged(StatusCode::OK, view.version, view)
}

fn refused(desk: &Desk, refusal: &Refusal) -> Problem {
    let problem = match refusal.class() {
        Class::Forbidden => Problem::forbidden(refusal.code()),
        Class::Conflict => Problem::conflict(refusal.code()),
        Class::Unprocessable => Problem::unprocessable(refusal.code()),
    };
    let problem =
        problem.lang(desk.lang).detail(desk.lang.say(&refusal.sentence(&desk.context.zone)));
    match refusal.hint() {
        Some(hint) => problem.hint(desk.lang.say(&hint)),
        None => problem,
    }
}

fn no_order(desk: &Desk) -> Problem {
    let (es, en) = ("No existe un pedido con ese número.", "There is no such order.");
    host::unknown(desk.lang, "PEDIDO_INEXISTENTE", es, en)
}
