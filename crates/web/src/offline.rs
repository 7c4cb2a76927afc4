//! What is shown without a network: the worker that answers then, and the page that says so.

use askama::Template;
use axum::{
    http::{HeaderMap, StatusCode, header},
    response::{Html, IntoResponse as _, Response},
};

use crate::{Lang, Problem, Theme, assets::KIT};

/// `/sw.js`: at the root, so that it may answer for every page.
pub(crate) async fn worker(headers: HeaderMap) -> Response {
    let worker = KIT.find("sw.js").expect("the kit embeds its worker");
    crate::assets::answer(&worker, None, &headers)
}

#[derive(Template)]
#[template(path = "offline.html")]
struct OfflinePage {
    lang: Lang,
    theme: Theme,
}

impl OfflinePage {
    #[allow(clippy::unused_self, reason = "templates call methods on self")]
    fn kit(&self, file: &str) -> String {
        KIT.url(file)
    }
}

/// `/sin-conexion`: kept by the worker, shown when the server cannot be reached.
pub(crate) async fn page(headers: HeaderMap) -> Response {
    let (lang, theme) = (Lang::from_headers(&headers), Theme::from_headers(&headers));
    match (OfflinePage { lang, theme }).render() {
        Ok(html) => {
            (StatusCode::OK, [(header::CACHE_CONTROL, "no-cache")], Html(html)).into_response()
        }
        Err(_) => Problem::internal(lang).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use axum::{body::Body, http::Request};
    use tower::ServiceExt as _;

    use crate::Assets;

    async fn get(path: &str, lang: &str) -> (u16, String, String) {
        let request = Request::get(path).header("accept-language", lang);
        let request = request.body(Body::empty()).unwrap();
        let answer = Assets::default().router::<()>().oneshot(request).await.unwrap();
        let (status, kind) = (answer.status(), answer.headers()["content-type"].clone());
        let body = axum::body::to_bytes(answer.into_body(), 100_000).await.unwrap();
        let text = String::from_utf8(body.to_vec()).unwrap();
        (status.as_u16(), kind.to_str().unwrap().to_owned(), text)
    }

    #[tokio::test]
    async fn the_page_without_a_network_speaks_both_languages() {
        let (status, _, es) = get("/sin-conexion", "es").await;
        assert!(status == 200 && es.contains("Sin conexión") && es.contains("lang=\"es\""));
        let (_, _, en) = get("/sin-conexion", "en").await;
        assert!(en.contains("No connection") && en.contains("lang=\"en\""));
        let (status, kind, _) = get("/sw.js", "es").await;
        assert!(status == 200 && kind.starts_with("text/javascript"));
    }
}
