//! Refusals and failures as RFC 9457 problems, and as pages for people.

use std::borrow::Cow;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, REFRESH};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use engine::Sentence;
use serde::Serialize;
use utoipa::ToSchema;

use crate::assets::KIT;
use crate::{Lang, Theme};

/// The body of every error answer, `application/problem+json`.
///
/// `code` is the word that clients compare; `detail` and `hint` are for people, in the language
/// of the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Problem {
    // Boxed texts keep `Result<_, Problem>` small; there are many of those.
    #[serde(rename = "type")]
    #[schema(value_type = String, example = "urn:turno:problem:TRANSICION_INVALIDA")]
    kind: Box<str>,
    #[schema(value_type = String)]
    title: Box<str>,
    #[schema(example = 409)]
    status: u16,
    #[schema(value_type = String, example = "TRANSICION_INVALIDA")]
    code: Cow<'static, str>,
    #[schema(value_type = String)]
    detail: Box<str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    hint: Option<Box<str>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[schema(value_type = Vec<FieldError>)]
    errors: Box<[FieldError]>,
    /// The detail in both languages, where whoever found the problem did not know the request's.
    #[serde(skip)]
    #[schema(ignore)]
    spoken: Option<Box<Sentence>>,
}

/// One offending field of the request body: `articulos[0].cantidad`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldError {
    pub path: String,
    pub message: String,
}

impl Problem {
    pub fn new(status: StatusCode, code: impl Into<Cow<'static, str>>) -> Self {
        let code = code.into();
        Self {
            kind: format!("urn:turno:problem:{code}").into(),
            title: Lang::Es.status(status).into(),
            status: status.as_u16(),
            code,
            detail: Box::default(),
            hint: None,
            errors: Box::default(),
            spoken: None,
        }
    }

    pub fn bad_request(code: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code)
    }

    pub fn unauthorized(code: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, code)
    }

    /// Nothing that people write holds a NUL, and not every database keeps one.
    pub fn nul(lang: Lang) -> Self {
        Self::bad_request("CARACTER_NULO").lang(lang).detail(
            lang.t("Ningún texto puede llevar el carácter nulo.", "No text may hold a NUL."),
        )
    }

    pub fn forbidden(code: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code)
    }

    pub fn not_found(code: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code)
    }

    pub fn conflict(code: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::CONFLICT, code)
    }

    pub fn unprocessable(code: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code)
    }

    pub fn unavailable(code: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code)
    }

    /// Names every field at fault.
    pub fn invalid(
        lang: Lang,
        (status, code): (StatusCode, &'static str),
        wrong: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let detail = lang
            .t("Hay datos inválidos; no se cambió nada.", "Invalid input; nothing was changed.");
        let problem = Self::new(status, code).lang(lang).detail(detail);
        wrong.into_iter().fold(problem, |problem, (path, message)| problem.error(path, message))
    }

    /// Says nothing of the cause: that belongs in the log, once.
    pub fn internal(lang: Lang) -> Self {
        let both = Sentence::new(
            "Algo falló de nuestro lado. El cambio no se hizo.",
            "Something failed on our side. The change was not made.",
        );
        let problem = Self::new(StatusCode::INTERNAL_SERVER_ERROR, "ERROR_INTERNO").lang(lang);
        problem.say(both)
    }

    /// Titles the problem in the language of the request.
    #[must_use]
    pub fn lang(self, lang: Lang) -> Self {
        let status = self.status();
        self.title(lang.status(status))
    }

    #[must_use]
    pub fn title(mut self, title: impl Into<Box<str>>) -> Self {
        self.title = title.into();
        self
    }

    #[must_use]
    pub fn detail(mut self, detail: impl Into<Box<str>>) -> Self {
        self.detail = detail.into();
        self
    }

    /// Details it in both languages; the request's is chosen on the way out.
    #[must_use]
    pub fn say(mut self, sentence: Sentence) -> Self {
        self.detail = sentence.es.as_str().into();
        self.spoken = Some(Box::new(sentence));
        self
    }

    /// The same problem in a language, when it was said in both.
    fn spoken_in(&self, lang: Lang) -> Option<Self> {
        let sentence = self.spoken.as_ref()?;
        Some(self.clone().lang(lang).detail(lang.say(sentence)))
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<Box<str>>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn error(mut self, path: impl Into<String>, message: impl Into<String>) -> Self {
        let mut errors = std::mem::take(&mut self.errors).into_vec();
        errors.push(FieldError { path: path.into(), message: message.into() });
        self.errors = errors.into();
        self
    }

    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    pub fn code(&self) -> &str {
        &self.code
    }

    pub fn title_text(&self) -> &str {
        &self.title
    }

    pub fn detail_text(&self) -> &str {
        &self.detail
    }

    pub fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    pub fn errors(&self) -> &[FieldError] {
        &self.errors
    }

    /// The refusal for a route that does not exist; mount it as the router's fallback.
    #[allow(clippy::unused_async, reason = "axum handlers are async")]
    pub async fn no_such_route(lang: Lang) -> Self {
        Self::not_found("RUTA_INEXISTENTE")
            .lang(lang)
            .detail(lang.t("No hay nada en esta dirección.", "There is nothing at this address."))
    }

    /// Mount it as the router's method fallback.
    #[allow(clippy::unused_async, reason = "axum handlers are async")]
    pub async fn no_such_method(lang: Lang) -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "METODO_NO_PERMITIDO").lang(lang).detail(
            lang.t(
                "Esta dirección no acepta ese método.",
                "This address does not accept that method.",
            ),
        )
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.status();
        let body = serde_json::to_vec(&self).expect("strings and numbers always serialise");
        let headers = [(CONTENT_TYPE, "application/problem+json"), (CACHE_CONTROL, "no-store")];
        let mut response = (status, headers, body).into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// A page that people come back to from what lies under an address, and what it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    pub under: String,
    pub href: &'static str,
    pub title: (&'static str, &'static str),
}

impl Way {
    /// The closest page above an address.
    fn back<'a>(ways: &'a [Self], path: &str) -> Option<&'a Self> {
        let above =
            |way: &&Self| path.strip_prefix(&way.under).is_some_and(|rest| rest.starts_with('/'));
        ways.iter().filter(above).max_by_key(|way| way.under.len())
    }
}

#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage<'a> {
    lang: Lang,
    theme: Theme,
    problem: &'a Problem,
    /// Where to go from a thing that is not there.
    back: Option<&'a Way>,
}

impl ProblemPage<'_> {
    #[allow(clippy::unused_self, reason = "templates call methods on self")]
    fn kit(&self, file: &str) -> String {
        KIT.url(file)
    }

    /// What the house did wrong is red; what was asked wrongly is not.
    fn tone(&self) -> &'static str {
        if self.problem.status().is_server_error() { "bad" } else { "" }
    }
}

/// Middleware: a person who navigates to a problem gets a page, a program gets the JSON, both in the
/// language of the request.
pub async fn problem_pages(
    State(ways): State<Arc<[Way]>>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path().to_owned();
    let browser = request.method() == Method::GET && wants_html(request.headers());
    let (lang, theme) =
        (Lang::from_headers(request.headers()), Theme::from_headers(request.headers()));
    let response = next.run(request).await;
    let Some(problem) = response.extensions().get::<Problem>() else { return response };
    let spoken = problem.spoken_in(lang);
    if !browser {
        return spoken.map_or(response, IntoResponse::into_response);
    }
    let problem = spoken.as_ref().unwrap_or(problem);
    let missing = problem.status() == StatusCode::NOT_FOUND;
    let back = Way::back(&ways, &path).filter(|_| missing);
    match (ProblemPage { lang, theme, problem, back }).render() {
        Ok(page) => {
            let mut html = (problem.status(), Html(page)).into_response();
            html.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            // What is only late is looked at again.
            if let Some(again) = response.headers().get(REFRESH) {
                html.headers_mut().insert(REFRESH, again.clone());
            }
            html
        }
        Err(_) => response,
    }
}

/// Navigations name `text/html`; `fetch` and curl send `*/*` or JSON.
pub fn wants_html(headers: &HeaderMap) -> bool {
    headers
        .get(ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"))
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::{Body, to_bytes};
    use axum::middleware::from_fn_with_state;
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;

    #[test]
    fn serialises_what_the_contract_names() {
        let problem = Problem::conflict("TRANSICION_INVALIDA")
            .detail("x")
            .error("articulos[0].cantidad", "mayor que 0");
        let json = serde_json::to_value(&problem).unwrap();
        assert_eq!(json["status"], 409);
        assert_eq!(json["code"], "TRANSICION_INVALIDA");
        assert_eq!(json["errors"][0]["path"], "articulos[0].cantidad");
        assert!(json.get("hint").is_none());
    }

    async fn answer(accept: &str) -> Response {
        let app = Router::new()
            .route("/", get(|| async { Problem::not_found("NADA").detail("<script>") }))
            .layer(from_fn_with_state(Arc::from([]), problem_pages));
        let request = Request::get("/").header(ACCEPT, accept).body(Body::empty()).unwrap();
        app.oneshot(request).await.unwrap()
    }

    #[tokio::test]
    async fn what_was_said_in_both_languages_is_told_in_one() {
        for (lang, title, detail) in [("es", "No existe", "nada"), ("en", "Not found", "none")] {
            let app = Router::new()
                .route(
                    "/",
                    get(|| async { Problem::not_found("X").say(Sentence::new("nada", "none")) }),
                )
                .layer(from_fn_with_state(Arc::from([]), problem_pages));
            let request = Request::get("/").header("accept-language", lang);
            let answer = app.oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
            let body = to_bytes(answer.into_body(), 10_000).await.unwrap();
            let told: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!((&told["title"], &told["detail"]), (&title.into(), &detail.into()));
            assert!(told.get("spoken").is_none());
        }
    }

    #[test]
    fn the_way_back_is_the_closest_page_above() {
        let ways = ["/sam", "/sam/equipos", "/sam/eq"].map(|href| Way {
            under: href.to_owned(),
            href,
            title: ("Equipos", "Runners"),
        });
        for (path, back) in [
            ("/sam/equipos/9", Some("/sam/equipos")),
            ("/sam/otros/9", Some("/sam")),
            ("/sam", None),
            ("/samba/1", None),
        ] {
            assert_eq!(Way::back(&ways, path).map(|way| way.href), back, "{path}");
        }
    }

    #[tokio::test]
    async fn people_get_a_page_and_programs_get_json() {
        let json = answer("*/*").await;
        assert_eq!(json.headers()[CONTENT_TYPE], "application/problem+json");
        let html = answer("text/html,*/*;q=0.8").await;
        assert_eq!(html.status(), StatusCode::NOT_FOUND);
        let body = to_bytes(html.into_body(), 100_000).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        assert!(body.contains("NADA") && !body.contains("<script>"));
    }
}
