//! Headers that every answer carries, and the refusal of requests forged by other sites.

use axum::extract::Request;
use axum::http::header::{
    AUTHORIZATION, CONTENT_SECURITY_POLICY, COOKIE, HOST, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
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

/// Middleware: refuses an unsafe request that another site made a browser send.
///
/// No token travels in forms: browsers say where a request comes from. What says nothing and
/// carries no cookie is a program, which has nothing to forge.
pub async fn same_origin(request: Request, next: Next) -> Response {
    if is_safe(request.method()) || trusted(request.headers()) {
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

fn trusted(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    // A page of another site cannot add this header without asking us first (CORS), and we
    // answer no such question.
    if text(AUTHORIZATION).is_some_and(|value| value.starts_with("Bearer ")) {
        return true;
    }
    if let Some(site) = text(HeaderName::from_static("sec-fetch-site")) {
        return matches!(site, "same-origin" | "none");
    }
    if let Some(origin) = headers.get(ORIGIN) {
        let authority = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
        return authority.is_some_and(|(_, authority)| Some(authority) == text(HOST));
    }
    !headers.contains_key(COOKIE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(headers: &[(&'static str, &'static str)]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        trusted(&map)
    }

    #[test]
    fn browsers_are_judged_by_where_they_come_from() {
        assert!(passes(&[("sec-fetch-site", "same-origin"), ("cookie", "s=1")]));
        assert!(!passes(&[("sec-fetch-site", "cross-site")]));
        assert!(!passes(&[("sec-fetch-site", "same-site")]));
        assert!(passes(&[("origin", "http://shop:8080"), ("host", "shop:8080")]));
        assert!(!passes(&[("origin", "http://evil"), ("host", "shop:8080")]));
        assert!(!passes(&[("origin", "null"), ("host", "shop:8080")]));
    }

    #[test]
    fn programs_pass_and_stolen_cookies_do_not() {
        assert!(passes(&[]));
        assert!(passes(&[("authorization", "Bearer x"), ("cookie", "s=1")]));
        assert!(!passes(&[("authorization", "Basic x"), ("cookie", "s=1")]));
        assert!(!passes(&[("cookie", "s=1")]));
    }
}
