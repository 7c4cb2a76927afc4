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
    Access, Actor, Context, Failure, Identity, Pass, Peer,
    demo::Inhabitant,
    pass::Shown,
    rates::{Buckets, Recent},
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
    /// Whoever is nobody; an actor is counted by itself, not by where it is.
    addresses: Buckets<IpAddr>,
    actors: Buckets<String>,
    /// Credentials that were good a moment ago, by their hashes.
    good: Recent,
    /// Others that were shown where an address has used up its share.
    doubtful: Buckets<IpAddr>,
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
    let shown = shown(request.headers());
    let pace = Pace::of(&context, request.uri().path(), peer, &shown);
    if let Pace::Spent(wait) = pace {
        // Whoever signs in is counted there, and its page costs no more than a refusal.
        if request.uri().path() != "/login" {
            return too_fast(wait, lang);
        }
        request.extensions_mut().insert(Actor::anonymous());
        return next.run(request).await;
    }
    if proves_itself(&context, request.uri().path()) {
        let open = is_open(&context, request.headers(), peer) && peer.is_here();
        let actor = if open { Actor::open() } else { Actor::anonymous() };
        request.extensions_mut().insert(actor);
        return next.run(request).await;
    }
    let found = pass(&context, request.headers(), peer, &shown, lang).await;
    let good = matches!(&found, Ok(Some(pass)) if pass.is_proven());
    pace.settle(&context, peer, &shown, good);
    match (found, pace) {
        (Ok(Some(pass)), _) => {
            if let Err(wait) = pace_of_actor(&context, &pass.actor, peer) {
                return too_fast(wait, lang);
            }
            request.extensions_mut().insert(pass.actor.clone());
            request.extensions_mut().insert(pass);
            next.run(request).await
        }
        (Ok(None), Pace::Doubtful(wait)) => too_fast(wait, lang),
        (Ok(None), _) if is_public(&context, request.uri().path()) => {
            request.extensions_mut().insert(Actor::anonymous());
            next.run(request).await
        }
        (Ok(None), _) => turn_away(&request, lang),
        (Err(failure), _) => failure.into_response(),
    }
}

/// What somebody shows at the door. A token that is none is one that nobody has: the caller meant to
/// be someone.
fn shown(headers: &HeaderMap) -> Shown {
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let secret = value.to_str().ok().and_then(|text| text.strip_prefix("Bearer "));
        return Shown::Token(secret.map(|it| db::sha256_hex(it.trim())).unwrap_or_default());
    }
    let jar = CookieJar::from_headers(headers);
    let cookie = jar.get(SESSION_COOKIE);
    cookie.map_or(Shown::Nothing, |cookie| Shown::Session(db::sha256_hex(cookie.value())))
}

/// What a request was counted against before it is known who asks.
#[derive(Clone, Copy)]
enum Pace {
    /// Nothing: of this machine, a probe, or somebody who was good a moment ago.
    Free,
    Address,
    /// The address has no share left; what is shown may still be good.
    Doubtful(Duration),
    Spent(Duration),
}

impl Pace {
    fn of(context: &Context, path: &str, peer: Peer, shown: &Shown) -> Self {
        // Whoever watches over us has to get an answer whatever else its machine does.
        if peer.is_here() || matches!(path, "/health" | "/ready") {
            return Self::Free;
        }
        let Some(address) = peer.address.map(network_of) else { return Self::Free };
        let (paces, limits) = (&context.paces, context.options.network.limits);
        let now = Instant::now();
        if shown.hash().is_some_and(|hash| paces.good.holds(hash, now)) {
            return Self::Free;
        }
        let Err(wait) = paces.addresses.take(&address, limits.address, now) else {
            return Self::Address;
        };
        let doubtful =
            shown.hash().is_some() && paces.doubtful.take(&address, limits.login, now).is_ok();
        if doubtful { Self::Doubtful(wait) } else { Self::Spent(wait) }
    }

    /// An actor costs its address nothing, and what is good no longer is remembered no longer.
    fn settle(self, context: &Context, peer: Peer, shown: &Shown, good: bool) {
        let Some(hash) = shown.hash() else { return };
        let (paces, limits) = (&context.paces, context.options.network.limits);
        if !good {
            return paces.good.forget(hash);
        }
        paces.good.note(hash, Instant::now());
        match (self, peer.address.map(network_of)) {
            (Self::Address, Some(address)) => paces.addresses.give_back(&address, limits.address),
            (Self::Doubtful(_), Some(address)) => paces.doubtful.give_back(&address, limits.login),
            _ => {}
        }
    }
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
    shown: &Shown,
    lang: Lang,
) -> Result<Option<Pass>, Failure> {
    let found = match shown {
        Shown::Nothing => None,
        Shown::Token(_) | Shown::Session(_) => context.pass_of(shown.clone()).await?,
    };
    if found.is_some() {
        return Ok(found);
    }
    // A wrong credential is refused even where none is needed: the caller meant to be someone.
    if matches!(shown, Shown::Token(_)) {
        let detail = lang.t(
            "El token no existe, venció o fue revocado.",
            "The token does not exist, has expired or was revoked.",
        );
        return Err(Problem::unauthorized("TOKEN_INVALIDO").lang(lang).detail(detail).into());
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

/// Whether a path is asked by who proves in a way of their own who they are.
pub(crate) fn proves_itself(context: &Context, path: &str) -> bool {
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
