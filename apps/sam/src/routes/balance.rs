//! The balancer: what it did and why, and what it would do.

use std::collections::BTreeMap;

use engine::Word as _;
use host::Failure;
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Lang, Query};

use super::{Listed, check::Check};
use crate::{
    Context, Desk,
    model::RobotId,
    policy::{Action, Isolation, Preemption},
    rules::balance::{self, Demand, Snapshot},
    store::{moves, world},
    wire::MoveView,
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(simulate))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Asked {
    robot_id: Option<i64>,
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    cursor: Option<i64>,
}

/// What the balancer did, the newest first, each move with its arithmetic.
#[utoipa::path(get, path = "/api/sam/balanceos", tag = "sam", params(Asked),
    responses((status = 200, body = Listed<MoveView>)))]
async fn list(
    desk: Desk,
    Query(asked): Query<Asked>,
) -> Result<axum::Json<Listed<MoveView>>, Failure> {
    desk.require(Action::Read)?;
    let limit = asked.limit.unwrap_or(100).clamp(1, 1000);
    let mut tx = desk.context.store.read().await?;
    let robot = asked.robot_id.map(RobotId);
    let found = moves::page(&mut tx, robot, asked.cursor, limit + 1).await?;
    let views = found.iter().map(|kept| MoveView::new(kept, desk.lang)).collect();
    Ok(axum::Json(Listed::page(views, limit as usize, |view| view.id)))
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamSupuesto)]
pub(crate) struct Supposed {
    /// Pending tickets by robot id; null = unknown. Robots left out keep theirs.
    #[serde(default)]
    #[schema(schema_with = tickets)]
    pub(crate) tickets: BTreeMap<String, Option<i64>>,
    pub(crate) aislamiento_estricto: Option<bool>,
    pub(crate) preemption: Option<bool>,
    /// Leaves cooling out of account; true unless told.
    pub(crate) ignorar_enfriamiento: Option<bool>,
}

fn tickets() -> Object {
    let kind = SchemaType::Array(vec![Type::Integer, Type::Null]);
    let pending = ObjectBuilder::new().schema_type(kind).minimum(Some(0)).maximum(Some(10_000_000));
    ObjectBuilder::new().additional_properties(Some(pending)).build()
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SamSimulacion)]
pub(crate) struct Simulation {
    pub(crate) objetivos: Vec<TargetView>,
    pub(crate) cambios: Vec<ChangeView>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SamObjetivo)]
pub(crate) struct TargetView {
    pub(crate) robot_id: i64,
    pub(crate) robot: String,
    pub(crate) tickets: Option<i64>,
    pub(crate) objetivo: i64,
    /// Now, by hand and by balance.
    pub(crate) actuales: i64,
    pub(crate) despues: i64,
    pub(crate) justificacion: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SamCambio)]
pub(crate) struct ChangeView {
    /// `ASIGNAR` or `DESASIGNAR`.
    pub(crate) accion: &'static str,
    pub(crate) robot_id: i64,
    pub(crate) equipo_id: i64,
    pub(crate) motivo: &'static str,
}

/// What the balancer would do under other tickets or rules. Nothing changes.
#[utoipa::path(post, path = "/api/sam/balanceador/simular", request_body = Supposed, tag = "sam",
    responses((status = 200, body = Simulation)))]
async fn simulate(
    desk: Desk,
    web::Json(supposed): web::Json<Supposed>,
) -> Result<axum::Json<Simulation>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let mut snapshot = world::balance(&desk.context, &mut tx, desk.now).await?;
    let mut check = Check::new(desk.lang);
    for (id, tickets) in &supposed.tickets {
        let path = format!("tickets.{id}");
        let robot = id.trim().parse().map(RobotId).ok();
        let Some(robot) = robot.filter(|id| snapshot.world.robots.contains_key(id)) else {
            check.wrong(&path, "no existe ese robot", "there is no such robot");
            continue;
        };
        snapshot.demand.insert(robot, tickets.map_or(Demand::Unknown, Demand::Known));
    }
    check.finish()?;
    Ok(axum::Json(suppose(snapshot, &supposed, desk.now, desk.lang)))
}

pub(crate) fn suppose(
    mut snapshot: Snapshot,
    supposed: &Supposed,
    now: jiff::Timestamp,
    lang: Lang,
) -> Simulation {
    if supposed.ignorar_enfriamiento.unwrap_or(true) {
        snapshot.changed.clear();
    }
    let policy = &mut snapshot.world.policy;
    if let Some(strict) = supposed.aislamiento_estricto {
        policy.isolation = if strict { Isolation::Strict } else { Isolation::Flexible };
    }
    match (supposed.preemption, policy.preemption) {
        (Some(false), _) => policy.preemption = Preemption::Off,
        (Some(true), Preemption::Off) => policy.preemption = Preemption::DownToMin,
        (Some(true) | None, _) => {}
    }
    let plan = balance::plan(&snapshot, now);
    let name = |id: RobotId| {
        snapshot.world.robots.get(&id).map(|robot| robot.name.clone()).unwrap_or_default()
    };
    let targets = plan.robots.iter().map(|sum| TargetView {
        robot_id: sum.robot.0,
        robot: name(sum.robot),
        tickets: sum.tickets,
        objetivo: sum.target,
        actuales: sum.before + sum.reserved,
        despues: sum.after + sum.reserved,
        justificacion: lang.say(&sum.sentence()).to_owned(),
    });
    let changes = plan.moves.iter().map(|one| ChangeView {
        accion: if one.motive.assigns() { "ASIGNAR" } else { "DESASIGNAR" },
        robot_id: one.robot.0,
        equipo_id: one.runner.0,
        motivo: one.motive.word(),
    });
    Simulation { objetivos: targets.collect(), cambios: changes.collect() }
}
