//! Figures over what ran and what moved.

use axum::response::{IntoResponse as _, Response};
use engine::Word as _;
use host::Failure;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Path, Problem, Query};

use super::unknown;
use crate::{
    Context, Desk,
    model::RobotId,
    policy::Action,
    rules::analysis::{self, Gap, MoveFact, Period, RunFact},
    store::{assignments, facts, moves, robots},
};

/// Runs one report looks at: the newest of its period.
const MOST: i64 = 100_000;

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(report))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Asked {
    /// How far back; 30 unless told.
    #[param(minimum = 1, maximum = 366)]
    pub(super) dias: Option<i64>,
    pub(super) robot_id: Option<i64>,
    pub(super) pool_id: Option<i64>,
    /// For `dispersion`: `I` from start to start, `F` from end to start.
    pub(super) modo: Option<String>,
}

/// A report with the period it is about.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SamInforme)]
struct Report<T> {
    desde: jiff::Timestamp,
    hasta: jiff::Timestamp,
    #[schema(value_type = serde_json::Value)]
    datos: T,
}

/// `utilizacion`, `exito`, `tiempos`, `latencia`, `callbacks`, `dispersion`, `patrones` or
/// `balanceador`.
#[utoipa::path(get, path = "/api/sam/analisis/{cual}", tag = "sam",
    params(("cual" = String, Path), Asked),
    responses((status = 200, body = Report<serde_json::Value>)))]
async fn report(
    desk: Desk,
    Path(name): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let days = asked.dias.unwrap_or(30).clamp(1, 366);
    let period = Period { from: desk.now - SignedDuration::from_hours(24 * days), to: desk.now };
    let zone = &desk.context.zone;
    let answer = match name.as_str() {
        "utilizacion" => {
            let runs = runs(&desk, &asked, period).await?;
            let mut tx = desk.context.store.read().await?;
            let assigned = assignments::all(&mut tx).await?;
            let robot = asked.robot_id.map(RobotId);
            let assigned: Vec<_> = assigned
                .iter()
                .filter(|one| robot.is_none_or(|robot| one.robot == robot))
                .map(|one| (one.robot, one.runner))
                .collect();
            told(period, analysis::utilization(&runs, &assigned, period, desk.now))
        }
        "exito" => told(period, analysis::success(&runs(&desk, &asked, period).await?)),
        "tiempos" => told(period, analysis::times(&runs(&desk, &asked, period).await?)),
        "latencia" => told(period, analysis::latency(&runs(&desk, &asked, period).await?)),
        "callbacks" => told(period, analysis::callbacks(&runs(&desk, &asked, period).await?, zone)),
        "patrones" => told(period, analysis::patterns(&runs(&desk, &asked, period).await?, zone)),
        "dispersion" => {
            let gap = Gap::from_word(asked.modo.as_deref().unwrap_or("I"));
            let (Some(robot), Some(gap)) = (asked.robot_id, gap) else {
                let detail = desk.lang.t(
                    "La dispersión es de un robot: robot_id, y modo I o F.",
                    "Dispersion is about one robot: robot_id, and modo I or F.",
                );
                return Err(Problem::bad_request("FALTA_ROBOT")
                    .lang(desk.lang)
                    .detail(detail)
                    .into());
            };
            let runs = runs(&desk, &asked, period).await?;
            told(period, analysis::dispersion(&runs, RobotId(robot), gap))
        }
        "balanceador" => {
            told(period, analysis::balancer(&moved(&desk, &asked, period).await?, zone))
        }
        _ => {
            let (es, en) = ("No existe ese informe.", "There is no such report.");
            return Err(unknown(&desk, "INFORME_INEXISTENTE", es, en).into());
        }
    };
    Ok(answer)
}

fn told(period: Period, datos: impl Serialize) -> Response {
    axum::Json(Report { desde: period.from, hasta: period.to, datos }).into_response()
}

pub(super) async fn runs(
    desk: &Desk,
    asked: &Asked,
    period: Period,
) -> Result<Vec<RunFact>, Failure> {
    let mut tx = desk.context.store.read().await?;
    let mut runs = facts::between(&mut tx, period.from, period.to, MOST).await?;
    if let Some(robot) = asked.robot_id {
        runs.retain(|run| run.robot.0 == robot);
    }
    if let Some(pool) = asked.pool_id {
        let robots = robots::all(&mut tx).await?;
        let members: std::collections::HashSet<_> = robots
            .iter()
            .filter(|robot| robot.pool.is_some_and(|id| id.0 == pool))
            .map(|robot| robot.id)
            .collect();
        runs.retain(|run| members.contains(&run.robot));
    }
    Ok(runs)
}

pub(super) async fn moved(
    desk: &Desk,
    asked: &Asked,
    period: Period,
) -> Result<Vec<MoveFact>, Failure> {
    let mut tx = desk.context.store.read().await?;
    let kept = moves::since(&mut tx, period.from, MOST).await?;
    let of = |one: &&moves::Kept| {
        asked.robot_id.is_none_or(|id| one.robot.0 == id)
            && asked.pool_id.is_none_or(|id| one.pool.is_some_and(|pool| pool.0 == id))
    };
    let facts = kept.iter().filter(of).map(|one| MoveFact {
        at: one.at,
        robot: one.robot,
        runner: one.runner,
        assigned: one.action == "ASIGNAR",
        tickets: one.tickets,
        preempted: one.motive == "DESALOJO_POR_PRIORIDAD_ESTRICTA",
    });
    Ok(facts.collect())
}
