//! The pages people look at. They read; what people change goes through the contract's routes.

mod analysis;
mod balance;
mod overview;
mod pools;
mod robots;
mod runners;
mod runs;
mod schedules;
mod settings;
mod week;

use askama::Template;
use axum::{
    http::StatusCode,
    response::{Html, IntoResponse as _, Response},
};
use db::{Error, Tx};
use host::Failure;
use jiff::Timestamp;
use serde_json::json;
use utoipa_axum::router::OpenApiRouter;
use web::routing::{get, post};
use web::{Lang, Page, Problem};

use super::runs::Asked;
use crate::{
    Context, Desk,
    model::Pool,
    pages::{Names, Supply, runs::RunLine, supply::Stage},
    policy::{Action, can},
    rules::{
        balance::Snapshot,
        world::{Suspended, World},
    },
    store::{self, world},
    wire::{self, SuspensionView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .route("/sam", get(overview::show))
        .route("/sam/robots", get(robots::list))
        .route("/sam/robots/{id}", get(robots::one))
        .route("/sam/equipos", get(runners::list))
        .route("/sam/equipos/{id}", get(runners::one))
        .route("/sam/pools", get(pools::show))
        .route("/sam/programaciones", get(schedules::list))
        .route("/sam/programaciones/nueva", get(schedules::new))
        .route("/sam/programaciones/previa", post(schedules::preview))
        .route("/sam/programaciones/semana", get(week::show))
        .route("/sam/programaciones/perdidos", get(schedules::missed))
        .route("/sam/programaciones/solapamientos", get(schedules::overlaps))
        .route("/sam/programaciones/feriados", get(schedules::holidays))
        .route("/sam/programaciones/{id}", get(schedules::one))
        .route("/sam/balanceador", get(balance::log))
        .route("/sam/balanceador/simular", get(balance::simulate))
        .route("/sam/mapeos", get(settings::mappings))
        .route("/sam/configuracion", get(settings::configuration))
        .route("/sam/auditoria", get(settings::audit))
        .route("/sam/analisis", get(analysis::show))
        .route("/sam/analisis/{cual}", get(analysis::export))
        .route("/sam/ejecuciones", get(runs::list))
        .route("/sam/ejecuciones/{id}", get(runs::one))
}

/// Everything there is now, as one read sees it.
struct Scene {
    snapshot: Snapshot,
    pools: Vec<Pool>,
    names: Names,
}

async fn scene(desk: &Desk, tx: &mut Tx) -> Result<Scene, Error> {
    let snapshot = world::balance(&desk.context, tx, desk.now).await?;
    let pools = store::pools::all(tx).await?;
    let names = Names::of(&snapshot.world, &pools);
    Ok(Scene { snapshot, pools, names })
}

async fn supply(desk: &Desk, scene: &Scene, tx: &mut Tx) -> Result<Supply, Error> {
    let values = desk.context.settings.load(tx, crate::NAME).await?;
    let stage = match store::circuit::sync_state(tx).await? {
        _ if !scene.snapshot.world.circuit.configured => Stage::NotConnected,
        (_, Some(cause)) => Stage::Failed(cause),
        (Some(_), None) => Stage::Nothing,
        (None, None) if values.bool(store::policy::SYNC)? => Stage::Coming,
        (None, None) => Stage::Off,
    };
    let may = |action| can(desk.role, action);
    let (may_operate, may_configure) = (may(Action::Operate), may(Action::Configure));
    Ok(Supply { stage, may_operate, may_configure })
}

/// What everything is called, without the rest of the world.
async fn names(tx: &mut Tx) -> Result<Names, Error> {
    let robots = store::robots::all(tx).await?.into_iter().map(|one| (one.id.0, one.name));
    let robots = robots.collect();
    let runners = store::runners::all(tx).await?.into_iter().map(|one| (one.id.0, one.name));
    let runners = runners.collect();
    let pools = store::pools::all(tx).await?.into_iter().map(|one| (one.id.0, one.name)).collect();
    Ok(Names { robots, runners, pools })
}

/// The last runs of a robot or a runner.
async fn latest(
    tx: &mut Tx,
    page: &Page,
    names: &Names,
    asked: &Asked,
) -> Result<Vec<RunLine>, Error> {
    let found = store::runs::page(tx, &asked.narrowing(), 12).await?;
    Ok(found.iter().map(|run| RunLine::new(page, names, run)).collect())
}

/// What errors suspended, each with the body that lifts it.
fn suspended(
    world: &World,
    touches: impl Fn(&Suspended) -> bool,
    now: Timestamp,
    lang: Lang,
) -> Vec<(SuspensionView, String)> {
    let all = world.suspensions.iter().filter(|(what, one)| touches(what) && now < one.until);
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|(what, _)| **what);
    let told = all.into_iter().map(|(what, one)| {
        let body = match what {
            Suspended::Robot(robot) => json!({ "robot_id": robot.0 }),
            Suspended::Runner(runner) => json!({ "equipo_id": runner.0 }),
            Suspended::Pair(robot, runner) => {
                json!({ "robot_id": robot.0, "equipo_id": runner.0 })
            }
        };
        (SuspensionView::new(wire::suspended_word(*what), one, lang), body.to_string())
    });
    told.collect()
}

fn render(desk: &Desk, page: &impl Template) -> Result<Response, Failure> {
    render_as(desk, StatusCode::OK, page)
}

fn render_as(desk: &Desk, status: StatusCode, page: &impl Template) -> Result<Response, Failure> {
    match page.render() {
        Ok(html) => Ok((status, Html(html)).into_response()),
        Err(error) => {
            tracing::error!(%error, "a page could not be rendered");
            Err(Problem::internal(desk.lang).into())
        }
    }
}
