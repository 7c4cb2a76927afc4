//! HTTP: parse, check who asks, call a decision, render. Nothing is decided here.

mod catalogue;
mod formulas;
mod nodes;
mod olts;
mod onus;
mod plan;
mod runs;
mod screens;
mod settings;
mod sheets;
mod templates;

use engine::Word;
use host::Failure;
use utoipa_axum::router::OpenApiRouter;
use web::Problem;

use crate::{Context, Desk};

pub(crate) use nodes::WhyView;
pub(crate) use plan::{FitView, MinuteView, MoveView, PlanView};
pub(crate) use settings::LimitsView;

pub fn all() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .merge(olts::routes())
        .merge(templates::routes())
        .merge(nodes::routes())
        .merge(runs::routes())
        .merge(plan::routes())
        .merge(onus::routes())
        .merge(catalogue::routes())
        .merge(formulas::routes())
        .merge(settings::routes())
        .merge(sheets::routes())
        .merge(screens::routes())
}

/// A word that narrows a list: empty means all, and one that names nothing is told.
fn named<T: Word>(
    desk: &Desk,
    word: Option<&str>,
    code: &'static str,
) -> Result<Option<T>, Failure> {
    let Some(word) = word.filter(|word| !word.is_empty()) else { return Ok(None) };
    let found = T::from_word(word);
    let unknown = || {
        let (es, en) = (format!("No existe «{word}»."), format!("There is no “{word}”."));
        Problem::bad_request(code).lang(desk.lang).detail(desk.lang.t(&es, &en))
    };
    Ok(Some(found.ok_or_else(unknown)?))
}
