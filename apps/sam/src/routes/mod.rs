//! HTTP: parse, check who asks, call a decision, render. Nothing is decided here.

#[macro_use]
mod editing;

mod analysis;
mod assignments;
mod balance;
mod calendars;
mod callback;
mod mappings;
mod pools;
mod robots;
mod runners;
mod running;
mod runs;
mod schedules;
mod screens;
mod settings;
mod sheets;
mod tickets;
mod why;

use host::{Listed, Span, as_json, check, conflict, edit, tagged};
use utoipa_axum::router::OpenApiRouter;
use web::Problem;

use crate::{Context, Desk};

pub fn all() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .merge(robots::routes())
        .merge(runners::routes())
        .merge(pools::routes())
        .merge(assignments::routes())
        .merge(schedules::routes())
        .merge(calendars::routes())
        .merge(runs::routes())
        .merge(running::routes())
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

pub(crate) use settings::senseless;

pub(crate) use balance::{ChangeView, Simulation};

/// Where nothing can be asked for: what is asked all the same is refused, not passed over.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Unasked {}

/// 404 with the word for what is not there.
fn unknown(desk: &Desk, code: &'static str, es: &str, en: &str) -> Problem {
    host::unknown(desk.lang, code, es, en)
}
