//! `/api/sam/robots`: list, create, change and remove robots.

use host::Failure;
use utoipa_axum::router::OpenApiRouter;
use web::Query;
use web::routes;

use super::{Listed, Span};
use crate::{
    Context, Desk,
    decisions::robots::Robots,
    policy::Action,
    store::robots,
    wire::{RobotRequest, RobotView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(one, update, remove))
}

/// Every robot by id.
#[utoipa::path(get, path = "/api/sam/robots", tag = "sam", params(Span),
    responses((status = 200, body = Listed<RobotView>)))]
async fn list(
    desk: Desk,
    Query(span): Query<Span>,
) -> Result<axum::Json<Listed<RobotView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let views = robots::all(&mut tx).await?.iter().map(RobotView::new).collect();
    Ok(axum::Json(span.of(views, |view| view.id)))
}

shown!(Robots => RobotView, "/api/sam/robots/{id}");

edited! {
    Robots: RobotRequest => RobotView, "/api/sam/robots", "/api/sam/robots/{id}",
    /// Changes the fields that are named. Its schedules and assignments stay.
    update,
    /// Removes a robot that never ran and that nothing names; otherwise deactivate it.
    remove
}
