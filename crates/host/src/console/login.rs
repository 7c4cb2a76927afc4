//! `/login` and `/logout`.

use askama::Template;
use axum::{
    extract::State,
    http::{StatusCode, header},
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
    Context, Failure, Identity,
    accounts::{SESSION_DAYS, sign_in, sign_out},
    door::SESSION_COOKIE,
};

/// Longer names belong to nobody.
const NAME_MAX: usize = 64;

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

pub(super) async fn enter(console: Console, fields: Fields) -> Result<Response, Failure> {
    let (context, lang) = (&console.context, console.lang);
    let (name, back) = (fields.get("name").trim(), local(fields.get("back")));
    let now = context.clock.now();
    if !context.logins.may_try(name, now) {
        let error = lang.t(
            "Demasiados intentos con este nombre. Esperar un cuarto de hora.",
            "Too many tries with this name. Wait a quarter of an hour.",
        );
        return form(&console, StatusCode::TOO_MANY_REQUESTS, name, back, error);
    }
    let secret = if name.chars().count() > NAME_MAX || name.contains('\0') {
        None
    } else {
        sign_in(&context.store, name, fields.get("password"), now)
            .await
            .map_err(|error| account_failure(error, lang))?
    };
    let Some(secret) = secret else {
        let known: String = name.chars().take(NAME_MAX).collect();
        context.logins.failed(&known, now);
        metrics::counter!("turno_login_failures_total").increment(1);
        let error = lang.t(
            "El nombre o la contraseña no son correctos.",
            "The name or the password is not right.",
        );
        return form(&console, StatusCode::UNAUTHORIZED, name, back, error);
    };
    context.logins.succeeded(name);
    let cookie = [(header::SET_COOKIE, cookie(context, &secret))];
    Ok((cookie, Redirect::to(back)).into_response())
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
fn cookie(context: &Context, secret: &str) -> String {
    let age = SESSION_DAYS * 24 * 60 * 60;
    let secure = if context.options.url.starts_with("https://") { "; Secure" } else { "" };
    format!("{SESSION_COOKIE}={secret}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax{secure}")
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
