//! HTTP: parse, check who asks, call a decision, render. Nothing is decided here.

mod analysis;
mod assignments;
mod balance;
mod calendars;
mod callback;
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

use engine::Word as _;
use host::{Context, Listed, Span, as_json, check, conflict, merged, of_json, tagged};
use utoipa_axum::router::OpenApiRouter;
use web::Problem;

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

pub(crate) use settings::senseless;

pub(crate) use balance::{ChangeView, Simulation};

/// Someone with a role here, asking something now.
pub type Desk = host::Desk<Role>;

/// Who asks, for the audit.
fn by(desk: &Desk) -> By {
    By { name: desk.actor.name.clone(), role: desk.role.word().to_owned() }
}

/// 404 with the word for what is not there.
fn unknown(desk: &Desk, code: &'static str, es: &str, en: &str) -> Problem {
    host::unknown(desk.lang, code, es, en)
}
