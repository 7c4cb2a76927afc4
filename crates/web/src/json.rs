//! Extractors that refuse with a [`Problem`] naming the field at fault.

use axum::body::Bytes;
use axum::extract::path::ErrorKind;
use axum::extract::rejection::{BytesRejection, FailedToBufferBody, PathRejection};
use axum::extract::{FromRequest, FromRequestParts, OptionalFromRequest, RawPathParams, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use engine::Sentence;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, error::Category};

use crate::fields::fields_of;
use crate::problem::wants_html;
use crate::{Lang, Problem, bounds, wording};

/// Replaces `axum::Json`. `Option<Json<T>>` accepts a request without a body.
#[derive(Clone, Copy, Debug)]
pub struct Json<T>(pub T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let lang = Lang::from_headers(request.headers());
        if !is_json(request.headers()) {
            return Err(not_json(lang));
        }
        let bounds = bounds::of(request.extensions());
        let bytes =
            Bytes::from_request(request, state).await.map_err(|error| unread(&error, lang))?;
        let held = bounds.map_or(Ok(()), |bounds| bounds.hold(&bytes, lang));
        match (parse(&bytes, lang), held) {
            (Ok(value), Ok(())) => Ok(Self(value)),
            // What may be one thing or another cannot say where it is wrong.
            (Err(vague), Err(named)) if vague.errors().iter().all(|one| one.path == ".") => {
                Err(named)
            }
            (Err(problem), _) | (Ok(_), Err(problem)) => Err(problem),
        }
    }
}

impl<T: DeserializeOwned, S: Send + Sync> OptionalFromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Option<Self>, Problem> {
        let headers = request.headers();
        let length = headers.get(CONTENT_LENGTH);
        let empty = length.map_or(!headers.contains_key(TRANSFER_ENCODING), |n| n == "0");
        if empty {
            return Ok(None);
        }
        <Self as FromRequest<S>>::from_request(request, state).await.map(Some)
    }
}

/// A field that may be null but not left out: `{}` does not say “as soon as possible”.
pub fn nullable<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    source: D,
) -> Result<Option<T>, D::Error> {
    Option::<T>::deserialize(source)
}

/// A field of a change: left out it stays as it is, said it becomes that, also nothing. Needs
/// `#[serde(default)]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Field<T> {
    #[default]
    Unsaid,
    Said(Option<T>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        Option::<T>::deserialize(source).map(Self::Said)
    }
}

impl<T> Field<T> {
    /// What was said, read as something else.
    pub fn read<U>(&self, read: impl FnOnce(Option<&T>) -> Option<U>) -> Field<U> {
        match self {
            Self::Unsaid => Field::Unsaid,
            Self::Said(said) => Field::Said(read(said.as_ref())),
        }
    }

    /// What holds after the change.
    pub fn over(self, standing: Option<T>) -> Option<T> {
        match self {
            Self::Unsaid => standing,
            Self::Said(said) => said,
        }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
}

fn not_json(lang: Lang) -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "TIPO_NO_ADMITIDO")
        .lang(lang)
        .detail(lang.t("El cuerpo debe ser JSON.", "The body must be JSON."))
        .hint("Content-Type: application/json")
}

fn unread(error: &BytesRejection, lang: Lang) -> Problem {
    match error {
        BytesRejection::FailedToBufferBody(FailedToBufferBody::LengthLimitError(_)) => {
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "CUERPO_DEMASIADO_GRANDE")
                .lang(lang)
                .detail(lang.t(
                    "El cuerpo supera el tamaño permitido.",
                    "The body exceeds the permitted size.",
                ))
        }
        _ => Problem::bad_request("CUERPO_INCOMPLETO")
            .lang(lang)
            .detail(lang.t("El cuerpo no llegó completo.", "The body did not arrive complete.")),
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8], lang: Lang) -> Result<T, Problem> {
    if names_nul(bytes)
        && let Ok(value) = serde_json::from_slice(bytes)
        && let Some(path) = place_of_nul(&value)
    {
        let message = lang.t("lleva el carácter nulo", "holds a NUL");
        return Err(Problem::nul(lang).error(path, message));
    }
    let mut source = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut source).map_err(|error| {
        let path = error.path().to_string();
        match error.inner().classify() {
            Category::Data => wrong_shape(path, error.inner(), lang),
            Category::Syntax | Category::Eof | Category::Io => malformed(error.inner(), lang),
        }
    })?;
    source.end().map_err(|error| malformed(&error, lang))?;
    Ok(value)
}

/// Whether a text in this JSON holds a NUL: as itself it is no JSON, written out it is.
pub fn names_nul(bytes: &[u8]) -> bool {
    const WRITTEN: &[u8] = b"\\u0000";
    let mut places = bytes.windows(WRITTEN.len()).enumerate().filter(|(_, one)| *one == WRITTEN);
    places.any(|(place, _)| {
        // Behind an odd number of others, the backslash is itself written out.
        let before = bytes[..place].iter().rev().take_while(|byte| **byte == b'\\').count();
        before % 2 == 0
    })
}

/// The first text with a NUL in it, as a path: `lines[1].name`.
fn place_of_nul(value: &Value) -> Option<String> {
    let joined = |before: String, inner: Option<String>| match inner? {
        after if after.is_empty() || after.starts_with('[') => Some(format!("{before}{after}")),
        after => Some(format!("{before}.{after}")),
    };
    match value {
        Value::String(text) => text.contains('\0').then(String::new),
        Value::Array(items) => {
            let mut all = items.iter().enumerate();
            all.find_map(|(n, item)| joined(format!("[{n}]"), place_of_nul(item)))
        }
        Value::Object(fields) => fields.iter().find_map(|(name, inner)| {
            let itself = name.contains('\0').then(String::new);
            joined(name.replace('\0', "\u{fffd}"), itself.or_else(|| place_of_nul(inner)))
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn malformed(error: &serde_json::Error, lang: Lang) -> Problem {
    let place = match lang {
        Lang::Es => format!("línea {}, columna {}", error.line(), error.column()),
        Lang::En => format!("line {}, column {}", error.line(), error.column()),
    };
    Problem::bad_request("JSON_INVALIDO").lang(lang).detail(format!(
        "{} ({place}).",
        lang.t("El cuerpo no es JSON válido", "The body is not valid JSON")
    ))
}

fn wrong_shape(path: String, error: &serde_json::Error, lang: Lang) -> Problem {
    let message = wording::refusal(&error.to_string());
    let message = lang.say(&message);
    let at = if path == "." { lang.t("el cuerpo", "the body").to_owned() } else { path.clone() };
    Problem::bad_request("CUERPO_INVALIDO")
        .lang(lang)
        .detail(match lang {
            Lang::Es => format!("El cuerpo no sirve: en {at}, {message}."),
            Lang::En => format!("The body is of no use: at {at}, {message}."),
        })
        .error(path, message)
}

/// Replaces `axum::extract::Path`.
#[derive(Clone, Copy, Debug)]
pub struct Path<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let lang = Lang::from_headers(&parts.headers);
        let refuse = |(key, told): (String, Sentence)| {
            let problem = Problem::bad_request("RUTA_INVALIDA").lang(lang).detail(lang.t(
                "Un valor de la dirección no tiene la forma esperada.",
                "A value in the address does not have the expected shape.",
            ));
            problem.error(key, lang.say(&told))
        };
        let path = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        let Ok(given) = RawPathParams::from_request_parts(parts, state).await else {
            return Err(refuse((String::new(), wording::refusal(""))));
        };
        let path = path.map_err(|error| refuse(wrong_path(&error, &given)))?;
        let bounds = bounds::of(&parts.extensions);
        match bounds.and_then(|bounds| bounds.astray(&given)) {
            Some((key, told)) => Err(refuse((key.to_owned(), told))),
            None => Ok(Self(path.0)),
        }
    }
}

fn wrong_path(error: &PathRejection, given: &RawPathParams) -> (String, Sentence) {
    let PathRejection::FailedToDeserializePathParams(error) = error else {
        return (String::new(), wording::refusal(""));
    };
    let named = |n| given.iter().nth(n).map_or_else(String::new, |(name, _)| name.to_owned());
    match error.kind() {
        ErrorKind::ParseErrorAtKey { key, expected_type, .. } => {
            (key.clone(), wording::expected(expected_type))
        }
        ErrorKind::ParseErrorAtIndex { index, expected_type, .. } => {
            (named(*index), wording::expected(expected_type))
        }
        ErrorKind::ParseError { expected_type, .. } => (named(0), wording::expected(expected_type)),
        ErrorKind::DeserializeError { key, message, .. } => {
            (key.clone(), wording::refusal(message))
        }
        _ => (String::new(), wording::refusal("")),
    }
}

/// Replaces `axum::extract::Query`. A parameter that nobody reads is refused: a filter that was
/// misspelt must not answer with everything.
#[derive(Clone, Copy, Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        bounds::Read::note(&parts.extensions);
        let lang = Lang::from_headers(&parts.headers);
        if let Some(known) = fields_of::<T>()
            && let Some(stranger) = stranger(parts, known)
        {
            let list: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
            let told = format!("unknown field `{stranger}`, expected one of {}", list.join(", "));
            return Err(wrong_query(MISREAD, stranger, &wording::refusal(&told), lang));
        }
        let query = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        let query = query.map_err(|error| {
            let told = error.body_text();
            let told = told.strip_prefix("Failed to deserialize query string: ").unwrap_or(&told);
            let named = told.split_once(": ").filter(|(name, _)| !name.contains(' '));
            let (name, told) = named.unwrap_or(("", told));
            wrong_query(MISREAD, name.to_owned(), &wording::refusal(told), lang)
        })?;
        let given = given(parts);
        let pairs = given.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let bounds = bounds::of(&parts.extensions);
        match bounds.and_then(|bounds| bounds.astray(pairs)) {
            Some((name, told)) => Err(wrong_query("FUERA_DE_RANGO", name.to_owned(), &told, lang)),
            None => Ok(Self(query.0)),
        }
    }
}

/// Every parameter of a query, as it was written.
fn given(parts: &Parts) -> Vec<(String, String)> {
    axum::extract::Query::try_from_uri(&parts.uri).map(|query| query.0).unwrap_or_default()
}

/// The code of a query that cannot be read.
const MISREAD: &str = "CONSULTA_INVALIDA";

/// What a page says of a form that was sent before; any page may carry it.
const SAID: &str = "hecho";

/// A parameter that nobody reads. A person who follows a link is not held up by what somebody hung on
/// to it; a program is told.
fn stranger(parts: &Parts, known: &[&str]) -> Option<String> {
    if wants_html(&parts.headers) {
        return None;
    }
    let reads = |name: &str| name == SAID || known.contains(&name);
    given(parts).into_iter().map(|(name, _)| name).find(|name| !reads(name))
}

/// Refuses a query where nobody reads one.
pub(crate) fn unasked(parts: &Parts) -> Result<(), Problem> {
    let Some(stranger) = stranger(parts, &[]) else { return Ok(()) };
    let told = wording::refusal(&format!("unknown field `{stranger}`, there are no fields"));
    Err(wrong_query(MISREAD, stranger, &told, Lang::from_headers(&parts.headers)))
}

fn wrong_query(code: &'static str, name: String, told: &Sentence, lang: Lang) -> Problem {
    Problem::bad_request(code)
        .lang(lang)
        .detail(match lang {
            Lang::Es => format!("La consulta no sirve: {}.", told.es),
            Lang::En => format!("The query is of no use: {}.", told.en),
        })
        .error(name, lang.say(told))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::extract::DefaultBodyLimit;
    use axum::routing::{get, post};
    use axum::{Router, body};
    use serde::Deserialize;
    use tower::ServiceExt;

    use super::*;

    #[derive(Deserialize)]
    struct Order {
        #[serde(rename = "articulos")]
        lines: Vec<Line>,
    }

    #[derive(Deserialize)]
    struct Line {
        #[serde(rename = "cantidad")]
        quantity: u32,
    }

    #[derive(Deserialize)]
    struct Span {
        limit: Option<i64>,
        #[serde(rename = "estado", alias = "state")]
        _state: Option<String>,
    }

    fn app() -> Router {
        Router::new()
            .route(
                "/",
                post(|Json(order): Json<Order>| async move {
                    order.lines.iter().map(|line| line.quantity).sum::<u32>().to_string()
                }),
            )
            .route(
                "/list",
                get(|Query(span): Query<Span>| async move { span.limit.unwrap_or(0).to_string() }),
            )
            .route(
                "/any",
                get(|Query(all): Query<std::collections::BTreeMap<String, String>>| async move {
                    all.len().to_string()
                }),
            )
            .route("/{id}", get(|Path(id): Path<i64>| async move { id.to_string() }))
            .route(
                "/optional",
                post(|order: Option<Json<Order>>| async move { order.is_some().to_string() }),
            )
            .layer(DefaultBodyLimit::max(1_000))
    }

    async fn send(request: Request) -> (StatusCode, serde_json::Value) {
        let response = app().oneshot(request).await.unwrap();
        let status = response.status();
        let bytes = body::to_bytes(response.into_body(), 10_000).await.unwrap();
        (status, serde_json::from_slice(&bytes).unwrap_or_default())
    }

    async fn posted(text: impl Into<Body>) -> (StatusCode, serde_json::Value) {
        let request = Request::post("/").header(CONTENT_TYPE, "application/json; charset=utf-8");
        send(request.body(text.into()).unwrap()).await
    }

    #[tokio::test]
    async fn refusals_are_precise() {
        assert_eq!(posted(r#"{"articulos":[{"cantidad":2}]}"#).await.0, StatusCode::OK);
        let (status, problem) = posted(r#"{"articulos":[{"cantidad":1},{"cantidad":"x"}]}"#).await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        assert_eq!(problem["code"], "CUERPO_INVALIDO");
        assert_eq!(problem["errors"][0]["path"], "articulos[1].cantidad");
        assert_eq!(posted("{").await.1["code"], "JSON_INVALIDO");
        assert_eq!(posted("").await.1["code"], "JSON_INVALIDO");
        assert_eq!(posted(r#"{"articulos":[]} x"#).await.1["code"], "JSON_INVALIDO");
        assert_eq!(posted("[".repeat(2_000)).await.0, StatusCode::PAYLOAD_TOO_LARGE);
    }

    #[test]
    fn a_nul_is_found_however_it_is_escaped() {
        for nul in [r#"{"a":"\u0000"}"#, r#"["x\\\u0000"]"#, r#"{"\u0000":1}"#] {
            assert!(names_nul(nul.as_bytes()), "{nul}");
        }
        for none in [r#"{"a":"\\u0000"}"#, r#"{"a":"u0000"}"#, r#"{"a":"\u00001"}"#, ""] {
            assert_eq!(names_nul(none.as_bytes()), none.contains(r"\u00001"), "{none}");
        }
    }

    #[test]
    fn a_nul_is_told_by_its_place() {
        let place = |value: serde_json::Value| place_of_nul(&value);
        let at = |path: &str| Some(path.to_owned());
        assert_eq!(place(serde_json::json!({ "a": "x", "b": "\0" })), at("b"));
        assert_eq!(place(serde_json::json!({ "a": [{}, { "b": ["\0"] }] })), at("a[1].b[0]"));
        assert_eq!(place(serde_json::json!("\0")), at(""));
        assert_eq!(place(serde_json::json!(["a", 1, null])), None);
    }

    #[tokio::test]
    async fn content_type_and_path_are_checked() {
        let (status, _) = send(Request::post("/").body(Body::from("{}")).unwrap()).await;
        assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
        let (status, problem) = send(Request::get("/abc").body(Body::empty()).unwrap()).await;
        assert_eq!((status, &problem["code"]), (StatusCode::BAD_REQUEST, &"RUTA_INVALIDA".into()));
    }

    #[tokio::test]
    async fn a_parameter_that_nobody_reads_is_refused() {
        let ask = |query: &str| send(Request::get(query).body(Body::empty()).unwrap());
        for known in ["/list", "/list?limit=3&estado=x", "/list?state=x", "/any?what=ever"] {
            assert_eq!(ask(known).await.0, StatusCode::OK, "{known}");
        }
        let (status, problem) = ask("/list?limt=3").await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        assert_eq!(problem["errors"][0]["path"], "limt");
        let told = problem["detail"].as_str().unwrap();
        assert!(told.contains("«limt» no se conoce") && told.contains("limit, estado"), "{told}");
        let (_, problem) = ask("/list?limit=x").await;
        assert_eq!(problem["errors"][0]["path"], "limit");
        assert_eq!(problem["errors"][0]["message"], "debe ser un número entero");
        let (_, problem) = ask("/abc").await;
        assert_eq!(problem["errors"][0]["message"], "debe ser un número entero");
    }

    #[tokio::test]
    async fn a_body_may_be_optional() {
        let (status, _) = send(Request::post("/optional").body(Body::empty()).unwrap()).await;
        assert_eq!(status, StatusCode::OK);
    }
}
