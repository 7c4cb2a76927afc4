//! Gathers what the page of limits shows.

use axum::response::Response;
use engine::Roles as _;
use host::{Console, Failure};

use super::{Desk, render};
use crate::{
    decisions::catalogue::views as oids,
    pages::limits::{LimitsPage, Rehearsal},
    policy::{Action, TestMode},
    routes::{LimitsView, plan},
    rules::formula,
    store::{formulas, policy},
};

pub(super) async fn show(desk: Desk, console: Console) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Límites", "Limits"));
    let fit = plan::fit(&desk.context).await?;
    let mut tx = desk.context.store.read().await?;
    let policy = policy::load(&desk.context, &mut tx).await?;
    let values = desk.context.settings.load(&mut tx, crate::NAME).await?;
    let may_read = desk.role.can(Action::ReadConfiguration);
    let own = formulas::own(&mut tx).await?;
    let shipped = formula::shipped();
    let own = own.into_iter().map(|(id, formula)| (Some(id.0), formula));
    let view = LimitsPage {
        limits: LimitsView::new(&policy.limits),
        fit,
        rehearsal: rehearsal(policy.test_mode),
        settings: values.iter().filter(|_| may_read).cloned().collect(),
        oids: oids(&mut tx).await?,
        formulas: own.chain(shipped.into_iter().map(|formula| (None, formula))).collect(),
        may_edit: desk.role.can(Action::Edit),
        may_configure: desk.role.can(Action::Configure),
        page,
    };
    render(&desk, &view)
}

/// Switched off, the form offers what a rehearsal usually is.
fn rehearsal(mode: TestMode) -> Rehearsal {
    match mode {
        TestMode::Off => Rehearsal { on: false, seconds: 1.0, percent: 100 },
        TestMode::On { duration, success_percent } => {
            Rehearsal { on: true, seconds: duration.as_secs_f64(), percent: success_percent }
        }
    }
}
