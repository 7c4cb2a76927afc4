//! Gathers what the page of the plan shows.

use axum::response::Response;
use engine::Roles as _;
use host::{Console, Failure};
use web::Query;

use super::{Desk, names, render};
use crate::{
    pages::{
        Asked, Narrowed, Reads,
        plan::{Hour, MoveLine, PlanPage},
    },
    policy::Action,
    routes::{
        plan::{Supposed, suppose},
        settings::{LimitsRequest, LimitsView},
    },
    store::policy,
};

/// Moves in the list; the others are counted.
const MOVES: usize = 200;

/// What the form supposes: what is no number supposes nothing.
fn supposed(wanted: &Narrowed) -> Supposed {
    Supposed {
        limites: LimitsRequest {
            max_executions_per_minute: wanted.number("max_executions_per_minute"),
            max_short_per_minute: wanted.number("max_short_per_minute"),
            max_descubrimiento: wanted.number("max_descubrimiento"),
            max_get: wanted.number("max_get"),
            max_total: wanted.number("max_total"),
            max_running_per_olt: wanted.number("max_running_per_olt"),
        },
        ventana_segundos: wanted.number("ventana_segundos"),
        minutos: None,
    }
}

#[derive(Debug)]
pub(super) struct Plan;

impl Reads for Plan {
    const NAMES: &'static [&'static str] = &[
        "max_executions_per_minute",
        "max_short_per_minute",
        "max_descubrimiento",
        "max_get",
        "max_total",
        "max_running_per_olt",
        "ventana_segundos",
    ];
}

pub(super) async fn show(
    desk: Desk,
    console: Console,
    Query(Asked(wanted, _)): Query<Asked<Plan>>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Plan de la hora", "Plan of the hour"));
    let found = suppose(&desk.context, &supposed(&wanted), desk.now).await?;
    let mut tx = desk.context.store.read().await?;
    let names = names(&mut tx).await?;
    let policy = policy::load(&desk.context, &mut tx).await?;
    drop(tx);
    let moves = found.cambios.iter().take(MOVES);
    let view = PlanPage {
        before: Hour::new(&page, &names, &found.antes),
        after: Hour::new(&page, &names, &found.despues),
        moves: moves.map(|one| MoveLine::new(&page, &names, one)).collect(),
        moved: found.cambios.len(),
        fit: found.factibilidad,
        wanted,
        limits: LimitsView::new(&policy.limits),
        window: policy.spread.window.as_secs(),
        may_operate: desk.role.can(Action::Operate),
        may_configure: desk.role.can(Action::Configure),
        page,
    };
    render(&desk, &view)
}
