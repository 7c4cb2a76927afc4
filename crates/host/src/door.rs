//! Who is it? Every request gets an [`Actor`] here, or is turned away.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Method, header},
    middleware::Next,
    response::{IntoResponse, Redirect, Response},
};
use axum_extra::extract::CookieJar;
use web::{Lang, Problem, problem::wants_html};

use crate::{Access, Actor, Context, Failure, accounts};

pub(crate) const SESSION_COOKIE: &str = "turno_session";
/// Answer anyone: they show nothing of anybody.
const PUBLIC: &[&str] =
    &["/health", "/ready", "/metrics", "/login", "/logout", "/assets/", "/preferencias"];

pub(crate) async fn identify(
    State(context): State<Context>,
    mut request: Request,
    next: Next,
) -> Response {
    let lang = Lang::from_headers(request.headers());
    if proves_itself(&context, request.uri().path()) {
        request.extensions_mut().insert(Actor::anonymous());
        return next.run(request).await;
    }
    match actor(&context, request.headers(), lang).await {
        Ok(Some(actor)) => {
            request.extensions_mut().insert(actor);
            next.run(request).await
        }
        Ok(None) if is_public(&context, request.uri().path()) => {
            request.extensions_mut().insert(Actor::anonymous());
            next.run(request).await
        }
        Ok(None) => turn_away(&request, lang),
        Err(failure) => failure.into_response(),
    }
}

async fn actor(
    context: &Context,
    headers: &HeaderMap,
    lang: Lang,
) -> Result<Option<Actor>, Failure> {
    let now = context.clock.now();
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let secret = value.to_str().ok().and_then(|text| text.strip_prefix("Bearer "));
        let actor = match secret {
            Some(secret) => accounts::actor_of_token(&context.store, secret.trim(), now).await?,
            None => None,
        };
        // A wrong credential is refused even where none is needed: the caller meant to be someone.
        return actor.map(Some).ok_or_else(|| {
            let detail = lang.t(
                "El token no existe, venció o fue revocado.",
                "The token does not exist, has expired or was revoked.",
            );
            Problem::unauthorized("TOKEN_INVALIDO").lang(lang).detail(detail).into()
        });
    }
    if let Some(cookie) = CookieJar::from_headers(headers).get(SESSION_COOKIE)
        && let Some(actor) = accounts::actor_of_session(&context.store, cookie.value(), now).await?
    {
        return Ok(Some(actor));
    }
    match context.options.access {
        Access::Open if names_this_machine(headers) => Ok(Some(Actor::open())),
        Access::Open => Err(foreign_name(lang).into()),
        Access::SignedIn => Ok(None),
    }
}

/// Open access is for people at this machine. A name that merely resolves to it (a rebound domain,
/// a proxy in front) brings strangers along.
fn names_this_machine(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST).and_then(|host| host.to_str().ok()) else {
        return true;
    };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn foreign_name(lang: Lang) -> Problem {
    Problem::forbidden("NOMBRE_AJENO")
        .lang(lang)
        .detail(lang.t(
            "El acceso abierto solo responde a localhost o 127.0.0.1.",
            "Open access answers only to localhost or 127.0.0.1.",
        ))
        .hint(lang.t(
            "Creá un usuario y usá auth = \"required\" para publicar Turno con otro nombre.",
            "Add a user and set auth = \"required\" to publish Turno under another name.",
        ))
}

fn proves_itself(context: &Context, path: &str) -> bool {
    context.apps.iter().flat_map(|app| app.own_proof).any(|known| covers(known, path))
}

fn is_public(context: &Context, path: &str) -> bool {
    let mut all = PUBLIC.iter().chain(context.apps.iter().flat_map(|app| app.public));
    all.any(|known| covers(known, path))
}

/// A path stands for itself; one that ends in `/` for everything under it.
fn covers(known: &str, path: &str) -> bool {
    path == known || (known.ends_with('/') && path.starts_with(known))
}

fn turn_away(request: &Request, lang: Lang) -> Response {
    if request.method() == Method::GET && wants_html(request.headers()) {
        let back = request.uri().path_and_query().map_or("/", |path| path.as_str());
        let back: String = form_encode(back);
        return Redirect::to(&format!("/login?back={back}")).into_response();
    }
    let detail =
        lang.t("Hay que iniciar sesión o presentar un token.", "Sign in or present a token.");
    let mut response =
        Problem::unauthorized("NO_AUTENTICADO").lang(lang).detail(detail).into_response();
    response
        .headers_mut()
        .insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
    response
}

fn form_encode(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_access_knows_the_names_of_this_machine() {
        let named = |host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().unwrap());
            names_this_machine(&headers)
        };
        for ours in ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000", "127.1.2.3"] {
            assert!(named(ours), "{ours}");
        }
        for foreign in ["evil.example", "evil.example:8000", "10.0.0.5", "localhost.evil.example"] {
            assert!(!named(foreign), "{foreign}");
        }
        assert!(names_this_machine(&HeaderMap::new()));
    }
}
