//! HTTP: parse, check who asks, call a decision, render. Nothing is decided here.

mod analysis;
mod assignments;
mod balance;
mod calendars;
mod callback;
mod check;
mod mappings;
mod pools;
mod robots;
mod runners;
mod runs;
mod schedules;
mod screens;
mod settings;
mod sheets;
mod tickets;
mod why;

use ::store::Error;
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use host::{Context, Failure};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::{Lang, Problem};

use crate::{decisions::By, policy::Role};

pub fn all() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .merge(robots::routes())
        .merge(runners::routes())
        .merge(pools::routes())
        .merge(assignments::routes())
        .merge(schedules::routes())
        .merge(calendars::routes())
        .merge(runs::routes())
        .merge(mappings::routes())
        .merge(settings::routes())
        .merge(balance::routes())
        .merge(tickets::routes())
        .merge(why::routes())
        .merge(analysis::routes())
        .merge(sheets::routes())
        .merge(callback::routes())
        .merge(screens::routes())
}

/// The callback alone, for its own port.
pub use callback::routes as callback_routes;

pub(crate) use balance::{ChangeView, Simulation};

/// Someone with a role here, asking something now.
pub type Desk = host::Desk<Role>;

/// Who asks, for the audit.
fn by(desk: &Desk) -> By {
    By { name: desk.actor.name.clone(), role: desk.role.word().to_owned() }
}

/// A list with the place where it goes on.
#[derive(Debug, Serialize, ToSchema)]
struct Listed<T> {
    items: Vec<T>,
    /// Give it as `cursor` for what follows; null = the end.
    next: Option<i64>,
}

impl<T> Listed<T> {
    fn whole(items: Vec<T>) -> Self {
        Self { items, next: None }
    }

    /// Of `limit + 1` items asked for, those that fit.
    fn page(mut items: Vec<T>, limit: usize, id: impl Fn(&T) -> i64) -> Self {
        let more = items.len() > limit;
        items.truncate(limit);
        let next = if more { items.last().map(id) } else { None };
        Self { items, next }
    }
}

/// Where a list begins and how long it is.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Span {
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    cursor: Option<i64>,
}

impl Span {
    fn limit(&self) -> usize {
        self.limit.unwrap_or(100).clamp(1, 1000) as usize
    }

    /// The items after the cursor of a list ordered by id.
    fn of<T>(&self, items: Vec<T>, id: impl Fn(&T) -> i64) -> Listed<T> {
        let after = self.cursor.unwrap_or(i64::MIN);
        let limit = self.limit();
        let rest = items.into_iter().filter(|one| id(one) > after).take(limit + 1).collect();
        Listed::page(rest, limit, id)
    }
}

/// An answer that carries its version as `ETag`.
fn tagged(status: StatusCode, version: i64, body: impl Serialize) -> Response {
    let mut response = (status, axum::Json(body)).into_response();
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{version}\"")) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// 404 with the word for what is not there.
fn unknown(desk: &Desk, code: &'static str, es: &str, en: &str) -> Problem {
    Problem::not_found(code).lang(desk.lang).detail(desk.lang.t(es, en))
}

fn conflict(lang: Lang, code: &'static str, es: &str, en: &str) -> Problem {
    Problem::conflict(code).lang(lang).detail(lang.t(es, en))
}

/// What a change asks for: the fields it names over those that stand.
fn merged<T: Serialize + serde::de::DeserializeOwned>(
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
fn of_json<T: serde::de::DeserializeOwned>(whole: Json, lang: Lang) -> Result<T, Failure> {
    serde_path_to_error::deserialize(whole).map_err(|error| {
        let path = error.path().to_string();
        Problem::bad_request("CUERPO_INVALIDO")
            .lang(lang)
            .detail(lang.t("El cuerpo no es el esperado.", "The body is not as expected."))
            .error(path, error.inner().to_string())
            .into()
    })
}

fn as_json(view: impl Serialize) -> Result<Json, Error> {
    serde_json::to_value(view).map_err(|error| Error::corrupt(error.to_string()))
}
