//! Headers that every answer carries, and the refusal of requests forged by other sites.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_SECURITY_POLICY, COOKIE, HOST, ORIGIN, REFERRER_POLICY,
    SET_COOKIE, STRICT_TRANSPORT_SECURITY, UPGRADE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::{Lang, Problem};

/// No inline script, no inline style, nothing from elsewhere, nobody frames us.
pub const POLICY: &str = "default-src 'self'; object-src 'none'; base-uri 'none'; \
     form-action 'self'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 6] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "same-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    ),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Middleware. A handler that sets one of these headers itself keeps its own value.
pub async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Middleware: where clients speak TLS, cookies travel nowhere else, and browsers remember it.
pub async fn transport(State(secure): State<bool>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if !secure {
        return response;
    }
    let headers = response.headers_mut();
    headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    let cookies: Vec<HeaderValue> = headers.get_all(SET_COOKIE).iter().cloned().collect();
    headers.remove(SET_COOKIE);
    for cookie in cookies {
        let text = String::from_utf8_lossy(cookie.as_bytes()).into_owned();
        let has = text.split(';').any(|part| part.trim().eq_ignore_ascii_case("secure"));
        let secured = HeaderValue::try_from(format!("{text}; Secure"));
        headers.append(SET_COOKIE, if has { cookie } else { secured.unwrap_or(cookie) });
    }
    response
}

/// The host and port by which the world knows this server, when a proxy may call it otherwise.
#[derive(Clone, Debug, Default)]
pub struct PublicName(Option<Arc<str>>);

impl From<Option<&str>> for PublicName {
    fn from(url: Option<&str>) -> Self {
        Self(url.and_then(authority).map(Arc::from))
    }
}

/// `shop:8080` of `http://shop:8080/path`, without the port that the scheme implies.
fn authority(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    bare(scheme, rest.split(['/', '?', '#']).next().unwrap_or_default())
}

/// A host without the port that the scheme implies.
fn bare<'a>(scheme: &str, host: &'a str) -> Option<&'a str> {
    let implied = if scheme == "https" { ":443" } else { ":80" };
    Some(host.strip_suffix(implied).unwrap_or(host)).filter(|host| !host.is_empty())
}

/// Middleware: refuses an unsafe request that another site made a browser send, and a live
/// connection that another site made a browser open.
///
/// No token travels in forms: browsers say where a request comes from. What says nothing and
/// carries no cookie is a program, which has nothing to forge.
pub async fn same_origin(State(name): State<PublicName>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let passes = if is_stream(headers) {
        is_no_strangers(headers, &name)
    } else {
        is_safe(request.method()) || trusted(headers, &name)
    };
    if passes {
        return next.run(request).await;
    }
    let lang = Lang::from_headers(request.headers());
    Problem::forbidden("ORIGEN_AJENO")
        .lang(lang)
        .detail(lang.t(
            "La petición viene de otro sitio y no se hizo.",
            "The request comes from another site and was not carried out.",
        ))
        .into_response()
}

fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// A connection that stays open: what comes over it another site could read.
fn is_stream(headers: &HeaderMap) -> bool {
    let names = |name: HeaderName, word: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.is_some_and(|value| value.to_ascii_lowercase().contains(word))
    };
    names(UPGRADE, "websocket") || names(ACCEPT, "text/event-stream")
}

fn trusted(headers: &HeaderMap, name: &PublicName) -> bool {
    // A page of another site cannot add this header without asking us first (CORS), and we
    // answer no such question.
    let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    if bearer.is_some_and(|value| value.starts_with("Bearer ")) {
        return true;
    }
    from_here(headers, name).unwrap_or(!headers.contains_key(COOKIE))
}

/// Whether no page of another site opens this. A page cannot add a header to a `WebSocket`, nor to
/// an `EventSource`: what has none of the browser's is a program.
fn is_no_strangers(headers: &HeaderMap, name: &PublicName) -> bool {
    from_here(headers, name).unwrap_or(true)
}

/// Whether a browser says that a page of ours asks; nothing when no browser says anything.
fn from_here(headers: &HeaderMap, name: &PublicName) -> Option<bool> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text(HeaderName::from_static("sec-fetch-site")) {
        return Some(matches!(site, "same-origin" | "none"));
    }
    let origin = headers.get(ORIGIN)?.to_str().unwrap_or_default();
    let Some((asking, (scheme, _))) = authority(origin).zip(origin.split_once("://")) else {
        return Some(false);
    };
    let asked = text(HOST).and_then(|host| bare(scheme, host));
    Some(Some(asking) == asked || Some(asking) == name.0.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(headers: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        map
    }

    fn passes(headers: &[(&'static str, &'static str)]) -> bool {
        trusted(&map(headers), &PublicName::from(Some("https://turno.example/")))
    }

    #[test]
    fn live_connections_are_for_our_own_pages_and_for_programs() {
        let opens = |headers: &[(&'static str, &'static str)]| {
            let name = PublicName::from(Some("https://turno.example"));
            is_no_strangers(&map(headers), &name)
        };
        assert!(is_stream(&map(&[("upgrade", "WebSocket")])));
        assert!(is_stream(&map(&[("accept", "text/event-stream")])));
        assert!(!is_stream(&map(&[("accept", "text/html")])));
        assert!(opens(&[]), "a program says nothing");
        assert!(opens(&[("cookie", "s=1")]), "an event source of ours sends no origin");
        assert!(opens(&[("origin", "http://localhost:8000"), ("host", "localhost:8000")]));
        assert!(opens(&[("origin", "http://localhost"), ("host", "localhost:80")]));
        assert!(opens(&[("origin", "https://turno.example"), ("host", "10.0.0.9:8000")]));
        assert!(!opens(&[("origin", "https://evil.example"), ("host", "localhost:8000")]));
        assert!(!opens(&[("origin", "null"), ("host", "localhost:8000")]));
        assert!(!opens(&[("sec-fetch-site", "cross-site"), ("host", "localhost:8000")]));
    }

    #[test]
    fn browsers_are_judged_by_where_they_come_from() {
        assert!(passes(&[("sec-fetch-site", "same-origin"), ("cookie", "s=1")]));
        assert!(!passes(&[("sec-fetch-site", "cross-site")]));
        assert!(!passes(&[("sec-fetch-site", "same-site")]));
        assert!(passes(&[("origin", "http://shop:8080"), ("host", "shop:8080")]));
        assert!(!passes(&[("origin", "http://evil"), ("host", "shop:8080")]));
        assert!(!passes(&[("origin", "null"), ("host", "shop:8080")]));
        assert!(passes(&[("origin", "https://turno.example"), ("host", "127.0.0.1:8000")]));
    }

    #[test]
    fn programs_pass_and_stolen_cookies_do_not() {
        assert!(passes(&[]));
        assert!(passes(&[("authorization", "Bearer x"), ("cookie", "s=1")]));
        assert!(!passes(&[("authorization", "Basic x"), ("cookie", "s=1")]));
        assert!(!passes(&[("cookie", "s=1")]));
    }
}
