//! Gathers what the page of the plan shows.

use axum::response::Response;
use engine::Roles as _;
use host::{Console, Failure};
use serde::Deserialize;
use web::Query;

use super::{Desk, names, render};
use crate::{
    pages::plan::{Hour, MoveLine, PlanPage, Wanted},
    policy::Action,
    routes::{
        plan::{Supposed, suppose},
        settings::{LimitsRequest, LimitsView},
    },
    store::policy,
};

/// Moves in the list; the others are counted.
const MOVES: usize = 200;

#[derive(Debug, Deserialize)]
pub(super) struct Asked {
    max_executions_per_minute: Option<String>,
    max_short_per_minute: Option<String>,
    max_descubrimiento: Option<String>,
    max_get: Option<String>,
    max_total: Option<String>,
    max_running_per_olt: Option<String>,
    ventana_segundos: Option<String>,
}

impl Asked {
    /// What is no number supposes nothing: an empty field of the form arrives as "".
    fn supposed(&self) -> Supposed {
        let number = |text: &Option<String>| text.as_deref()?.trim().parse::<i64>().ok();
        Supposed {
            limites: LimitsRequest {
                max_executions_per_minute: number(&self.max_executions_per_minute),
                max_short_per_minute: number(&self.max_short_per_minute),
                max_descubrimiento: number(&self.max_descubrimiento),
                max_get: number(&self.max_get),
                max_total: number(&self.max_total),
                max_running_per_olt: number(&self.max_running_per_olt),
            },
            ventana_segundos: number(&self.ventana_segundos),
            minutos: None,
        }
    }

    fn wanted(self) -> Wanted {
        let text = Option::unwrap_or_default;
        Wanted {
            limits: vec![
                ("max_executions_per_minute", text(self.max_executions_per_minute)),
                ("max_short_per_minute", text(self.max_short_per_minute)),
                ("max_descubrimiento", text(self.max_descubrimiento)),
                ("max_get", text(self.max_get)),
                ("max_total", text(self.max_total)),
                ("max_running_per_olt", text(self.max_running_per_olt)),
            ],
            window: text(self.ventana_segundos),
        }
    }
}

pub(super) async fn show(
    desk: Desk,
    console: Console,
    Query(asked): Query<Asked>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Plan de la hora", "Plan of the hour"));
    let found = suppose(&desk.context, &asked.supposed(), desk.now).await?;
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
        wanted: asked.wanted(),
        limits: LimitsView::new(&policy.limits),
        window: policy.spread.window.as_secs(),
        may_operate: desk.role.can(Action::Operate),
        may_configure: desk.role.can(Action::Configure),
        page,
    };
    render(&desk, &view)
}
