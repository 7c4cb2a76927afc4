//! `/login` and `/logout`.

use std::time::Duration;

use askama::Template;
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Redirect, Response},
};
use axum_extra::extract::{CookieJar, cookie::Cookie};
use serde::Deserialize;
use web::{Page, Query};

use super::{
    Console,
    forms::{Fields, html, local},
    people::account_failure,
};
use crate::{
    Context, Failure, Identity, Peer,
    accounts::{Caller, Counted, NAME_MAX, PASSWORD, SESSION_DAYS, is_known, sign_in, sign_out},
    door::{SESSION_COOKIE, seconds},
    rates::Rate,
};

/// How long a name rests at most.
const REST: Duration = Duration::from_mins(15);

#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    back: Option<String>,
}

#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage {
    page: Page,
    name: String,
    back: String,
    error: &'static str,
}

pub(super) async fn show(
    console: Console,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    let back = local(wanted.back.as_deref().unwrap_or("/"));
    match console.actor.identity {
        Identity::User => Ok(Redirect::to(back).into_response()),
        Identity::Open | Identity::Anonymous | Identity::Token | Identity::System => {
            form(&console, StatusCode::OK, "", back, "")
        }
    }
}

pub(super) async fn enter(
    console: Console,
    peer: Peer,
    headers: HeaderMap,
    fields: Fields,
) -> Result<Response, Failure> {
    let context = &console.context;
    let (name, back) = (fields.get("name").trim(), local(fields.get("back")));
    let now = context.clock.now();
    // No account has such a name or such a password: nothing is looked up, hashed or counted.
    let password = fields.get("password");
    let long = password.chars().count() > *PASSWORD.end();
    if name.is_empty() || name.chars().count() > NAME_MAX || name.contains('\0') || long {
        return wrong(&console, name, back);
    }
    let rate = context.options.network.limits.login;
    let counted = match count(context, name, peer, rate).await? {
        Ok(counted) => counted,
        Err(wait) => return resting(&console, name, back, wait),
    };
    let agent = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
    let caller = Caller { address: peer.address, agent: agent.unwrap_or_default() };
    let secret = sign_in(&context.store, name, password, caller, now).await;
    let secret = secret.map_err(|error| account_failure(error, console.lang))?;
    let Some(secret) = secret else { return wrong(&console, name, back) };
    context.logins.succeeded(name, peer.address, rate, counted);
    let cookie = [(header::SET_COOKIE, cookie(&secret))];
    Ok((cookie, Redirect::to(back)).into_response())
}

/// Counts a try before its password is looked at, or says how long to wait.
async fn count(
    context: &Context,
    name: &str,
    peer: Peer,
    rate: Rate,
) -> Result<Result<Counted, Duration>, db::Error> {
    let now = context.clock.now();
    let wait = match context.logins.from(peer.address, rate) {
        Ok(()) if context.logins.with(name, false, now) => return Ok(Ok(Counted::Address)),
        Ok(()) => REST,
        Err(wait) => wait,
    };
    let Some(address) = peer.address else { return Ok(Err(wait)) };
    let known = context.logins.at_home(name, address, rate)
        && is_known(&context.store, name, peer.address, now).await?
        && context.logins.with(name, true, now);
    Ok(if known { Ok(Counted::Home) } else { Err(wait) })
}

fn wrong(console: &Console, name: &str, back: &str) -> Result<Response, Failure> {
    metrics::counter!("turno_login_failures_total").increment(1);
    let error = console
        .lang
        .t("El nombre o la contraseña no son correctos.", "The name or the password is not right.");
    let name: String = name.chars().take(NAME_MAX).collect();
    form(console, StatusCode::UNAUTHORIZED, &name, back, error)
}

fn resting(console: &Console, name: &str, back: &str, wait: Duration) -> Result<Response, Failure> {
    let error = console.lang.t(
        "Demasiados intentos. Esperar un cuarto de hora, o entrar desde donde se entra siempre.",
        "Too many tries. Wait a quarter of an hour, or sign in from where you usually do.",
    );
    let answer = form(console, StatusCode::TOO_MANY_REQUESTS, name, back, error)?;
    Ok(([(header::RETRY_AFTER, seconds(wait))], answer).into_response())
}

pub(super) async fn leave(
    State(context): State<Context>,
    jar: CookieJar,
) -> Result<Response, Failure> {
    if let Some(cookie) = jar.get(SESSION_COOKIE) {
        sign_out(&context.store, cookie.value(), context.clock.now()).await?;
    }
    let gone = Cookie::build((SESSION_COOKIE, "")).path("/");
    Ok((jar.remove(gone), Redirect::to("/login")).into_response())
}

/// The database decides when a session ends; the age only lets the browser forget it as well.
fn cookie(secret: &str) -> String {
    let age = SESSION_DAYS * 24 * 60 * 60;
    format!("{SESSION_COOKIE}={secret}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax")
}

fn form(
    console: &Console,
    status: StatusCode,
    name: &str,
    back: &str,
    error: &'static str,
) -> Result<Response, Failure> {
    let page = console.page(console.lang.t("Iniciar sesión", "Sign in"));
    let (name, back) = (name.to_owned(), back.to_owned());
    html(status, &LoginPage { page, name, back, error })
}
