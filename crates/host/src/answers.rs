//! What the applications' answers have in common: lists, versions, changes of some fields.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use db::Error;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value as Json};
use utoipa::{IntoParams, ToSchema};
use web::{Lang, Problem};

use crate::Failure;

/// A list with the place where it goes on.
#[derive(Debug, Serialize, ToSchema)]
pub struct Listed<T> {
    pub items: Vec<T>,
    /// Give it as `cursor` for what follows; null = the end.
    pub next: Option<i64>,
}

impl<T> Listed<T> {
    pub fn whole(items: Vec<T>) -> Self {
        Self { items, next: None }
    }

    /// Of `limit + 1` items asked for, those that fit.
    pub fn page(mut items: Vec<T>, limit: usize, id: impl Fn(&T) -> i64) -> Self {
        let more = items.len() > limit;
        items.truncate(limit);
        let next = if more { items.last().map(id) } else { None };
        Self { items, next }
    }
}

/// Where a list begins and how long it is.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Span {
    #[param(minimum = 1, maximum = 1000)]
    pub limit: Option<i64>,
    pub cursor: Option<i64>,
}

impl Span {
    pub fn limit(&self) -> usize {
        self.limit.unwrap_or(100).clamp(1, 1000) as usize
    }

    /// The items after the cursor of a list ordered by id.
    pub fn of<T>(&self, items: Vec<T>, id: impl Fn(&T) -> i64) -> Listed<T> {
        let after = self.cursor.unwrap_or(i64::MIN);
        let limit = self.limit();
        let rest = items.into_iter().filter(|one| id(one) > after).take(limit + 1).collect();
        Listed::page(rest, limit, id)
    }
}

/// An answer that carries its version as `ETag`.
pub fn tagged(status: StatusCode, version: i64, body: impl Serialize) -> Response {
    let mut response = (status, axum::Json(body)).into_response();
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{version}\"")) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// 404 with the word for what is not there.
pub fn unknown(lang: Lang, code: &'static str, es: &str, en: &str) -> Problem {
    Problem::not_found(code).lang(lang).detail(lang.t(es, en))
}

pub fn conflict(lang: Lang, code: &'static str, es: &str, en: &str) -> Problem {
    Problem::conflict(code).lang(lang).detail(lang.t(es, en))
}

/// What a change asks for: the fields it names over those that stand.
pub fn merged<T: Serialize + DeserializeOwned>(
    standing: &T,
    change: Map<String, Json>,
    lang: Lang,
) -> Result<T, Failure> {
    let mut whole = as_json(standing)?;
    if let Some(fields) = whole.as_object_mut() {
        fields.extend(change);
    }
    of_json(whole, lang)
}

/// A body that was put together here or in a file.
pub fn of_json<T: DeserializeOwned>(whole: Json, lang: Lang) -> Result<T, Failure> {
    serde_path_to_error::deserialize(whole).map_err(|error| {
        let path = error.path().to_string();
        let told = web::wording::refusal(&error.inner().to_string());
        Problem::bad_request("CUERPO_INVALIDO")
            .lang(lang)
            .detail(lang.t("El cuerpo no es el esperado.", "The body is not as expected."))
            .error(path, lang.say(&told))
            .into()
    })
}

pub fn as_json(view: impl Serialize) -> Result<Json, Error> {
    serde_json::to_value(view).map_err(|error| Error::corrupt(error.to_string()))
}
