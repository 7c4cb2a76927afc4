//! Who is it? Every request gets an [`Actor`] here, or is turned away.

use std::{
    net::{IpAddr, Ipv6Addr},
    time::{Duration, Instant},
};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Redirect, Response},
};
use axum_extra::extract::CookieJar;
use web::{Lang, Problem, problem::wants_html};

use crate::{
    Access, Actor, Context, Failure, Identity, Pass, Peer, demo::Inhabitant, pass::Shown,
    rates::Buckets,
};

pub(crate) const SESSION_COOKIE: &str = "turno_session";
/// Answer anyone: they show nothing of anybody.
const PUBLIC: &[&str] = &[
    "/health",
    "/ready",
    "/metrics",
    "/login",
    "/logout",
    "/assets/",
    "/sw.js",
    "/sin-conexion",
    "/preferencias",
];

/// How fast strangers ask. Programs of this machine are not counted.
#[derive(Debug, Default)]
pub(crate) struct Paces {
    addresses: Buckets<IpAddr>,
    actors: Buckets<String>,
}

pub(crate) async fn identify(
    State(context): State<Context>,
    mut request: Request,
    next: Next,
) -> Response {
    if let Some(Inhabitant(actor)) = request.extensions().get::<Inhabitant>().cloned() {
        request.extensions_mut().insert(actor);
        return next.run(request).await;
    }
    let lang = Lang::from_headers(request.headers());
    let peer = Peer::of(&request, &context.options.network.trusted_proxies);
    request.extensions_mut().insert(peer);
    if let Err(wait) = pace_of_address(&context, request.uri().path(), peer) {
        return too_fast(wait, lang);
    }
    if proves_itself(&context, request.uri().path()) {
        let open = is_open(&context, request.headers(), peer) && peer.is_here();
        let actor = if open { Actor::open() } else { Actor::anonymous() };
        request.extensions_mut().insert(actor);
        return next.run(request).await;
    }
    match pass(&context, request.headers(), peer, lang).await {
        Ok(Some(pass)) => {
            if let Err(wait) = pace_of_actor(&context, &pass.actor, peer) {
                return too_fast(wait, lang);
            }
            request.extensions_mut().insert(pass.actor.clone());
            request.extensions_mut().insert(pass);
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

fn pace_of_address(context: &Context, path: &str, peer: Peer) -> Result<(), Duration> {
    // Whoever watches over us has to get an answer whatever else its machine does.
    if peer.is_here() || matches!(path, "/health" | "/ready") {
        return Ok(());
    }
    let Some(address) = peer.address else { return Ok(()) };
    let rate = context.options.network.limits.address;
    context.paces.addresses.take(&network_of(address), rate, Instant::now())
}

/// Whoever has one IPv6 address has 2⁶⁴ of them.
pub(crate) fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        IpAddr::V4(_) => address,
    }
}

fn pace_of_actor(context: &Context, actor: &Actor, peer: Peer) -> Result<(), Duration> {
    if peer.is_here() || peer.address.is_none() || actor.identity == Identity::Open {
        return Ok(());
    }
    let rate = context.options.network.limits.actor;
    let key = format!("{:?}/{}", actor.identity, actor.name);
    context.paces.actors.take(&key, rate, Instant::now())
}

/// 429, and when to come back.
pub(crate) fn too_fast(wait: Duration, lang: Lang) -> Response {
    metrics::counter!("turno_http_too_fast_total").increment(1);
    let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "DEMASIADAS_PETICIONES")
        .lang(lang)
        .detail(lang.t("Demasiadas peticiones seguidas.", "Too many requests in a row."));
    ([(header::RETRY_AFTER, seconds(wait))], problem).into_response()
}

/// Whole seconds, at least one: what `Retry-After` can say.
pub(crate) fn seconds(wait: Duration) -> String {
    wait.as_secs_f64().ceil().max(1.0).to_string()
}

async fn pass(
    context: &Context,
    headers: &HeaderMap,
    peer: Peer,
    lang: Lang,
) -> Result<Option<Pass>, Failure> {
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let secret = value.to_str().ok().and_then(|text| text.strip_prefix("Bearer "));
        let pass = match secret {
            Some(secret) => context.pass_of_token(secret.trim()).await?,
            None => None,
        };
        // A wrong credential is refused even where none is needed: the caller meant to be someone.
        return pass.map(Some).ok_or_else(|| {
            let detail = lang.t(
                "El token no existe, venció o fue revocado.",
                "The token does not exist, has expired or was revoked.",
            );
            Problem::unauthorized("TOKEN_INVALIDO").lang(lang).detail(detail).into()
        });
    }
    if let Some(cookie) = CookieJar::from_headers(headers).get(SESSION_COOKIE)
        && let Some(pass) = context.pass_of_session(cookie.value()).await?
    {
        return Ok(Some(pass));
    }
    match context.options.access {
        Access::Open if is_open(context, headers, peer) => {
            Ok(Some(Pass::new(Actor::open(), Shown::Nothing)))
        }
        Access::Open if peer.proxied => Err(behind_a_proxy(lang).into()),
        Access::Open => Err(foreign_name(lang).into()),
        Access::SignedIn => Ok(None),
    }
}

/// Whether nobody has to say who they are.
fn is_open(context: &Context, headers: &HeaderMap, peer: Peer) -> bool {
    context.options.access == Access::Open && names_this_machine(headers) && !peer.proxied
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
            "Hay que crear un usuario y usar auth = \"required\" para publicar Turno con otro nombre.",
            "Add a user and set auth = \"required\" to publish Turno under another name.",
        ))
}

/// Behind a proxy everyone seems to be at this machine.
fn behind_a_proxy(lang: Lang) -> Problem {
    Problem::forbidden("ACCESO_POR_PROXY")
        .lang(lang)
        .detail(lang.t(
            "El acceso abierto es para esta máquina; esta petición pasó por un proxy.",
            "Open access is for this machine; this request came through a proxy.",
        ))
        .hint(lang.t(
            "Hay que crear un usuario y usar auth = \"required\", server.public_url y \
             server.trusted_proxies.",
            "Add a user and set auth = \"required\", server.public_url and \
             server.trusted_proxies.",
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
