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

use utoipa_axum::router::OpenApiRouter;

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
