//! Runners (*equipos*).

use host::Failure;
use utoipa_axum::router::OpenApiRouter;
use web::Query;
use web::routes;

use super::{Listed, Span};
use crate::{
    Context, Desk,
    decisions::runners::Runners,
    model::Hold,
    policy::Action,
    store::{assignments, runners},
    wire::{RunnerRequest, RunnerView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(one, update, remove))
}

/// Every runner by id.
#[utoipa::path(get, path = "/api/sam/equipos", tag = "sam", params(Span),
    responses((status = 200, body = Listed<RunnerView>)))]
async fn list(
    desk: Desk,
    Query(span): Query<Span>,
) -> Result<axum::Json<Listed<RunnerView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let assigned = assignments::all(&mut tx).await?;
    let scheduled: std::collections::HashSet<_> =
        assigned.iter().filter(|one| one.hold == Hold::Scheduled).map(|one| one.runner).collect();
    let all = runners::all(&mut tx).await?;
    let views = all.iter().map(|one| RunnerView::new(one, scheduled.contains(&one.id))).collect();
    Ok(axum::Json(span.of(views, |view| view.id)))
}

shown!(Runners => RunnerView, "/api/sam/equipos/{id}");

edited! {
    Runners: RunnerRequest => RunnerView, "/api/sam/equipos", "/api/sam/equipos/{id}",
    /// Changes the fields that are named. What the Control Room says of it stays.
    update,
    /// Removes a runner that never ran and that nothing names; otherwise put it in maintenance.
    remove
}
