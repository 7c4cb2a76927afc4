//! What people do with runs, each with a reason: start one now, stop one, unlock its runner, decide on a
//! deploy in doubt.

use db::{Decision, effects::NewEffect};
use engine::Word as _;
use host::{Failure, conflict, edit::Editable as _};
use serde_json::json;
use web::Problem;

use super::{
    deploy, launch,
    robots::Robots,
    runners::Runners,
    runs::{close, missing},
};
use crate::{
    Desk,
    model::{Closing, Hold, RobotId, Run, RunId, RunState, RunnerId},
    rules::launch as rules,
    store::{self, outcomes, runs, runs::End, world},
};

/// *Ejecutar ahora*: a person starts a robot on a runner. Whatever holds a launch holds this one too,
/// and is told; only calendar and demand are not asked.
pub async fn start(
    desk: &Desk,
    robot: RobotId,
    runner: RunnerId,
    reason: &str,
) -> Result<RunId, Failure> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let world = world::load(&desk.context, &mut decision.tx, desk.now).await?;
    if !world.robots.contains_key(&robot) {
        return Err(Robots::missing(desk).into());
    }
    if !world.runners.contains_key(&runner) {
        return Err(Runners::missing(desk).into());
    }
    if let Some(held) = rules::by_hand(&world, robot, runner, desk.now).into_iter().next() {
        let detail = desk.lang.say(&held.sentence(&desk.context.zone)).to_owned();
        return Err(Problem::conflict(held.code()).lang(desk.lang).detail(detail).into());
    }
    let order = rules::Launch { robot, runner, hold: Hold::Reserved, schedule: None, slot: None };
    let asked = runs::Asked { by: &desk.actor.name, why: reason };
    let id = launch::claim(&mut decision, &world, &order, Some(asked)).await?;
    let mut entry = desk.by().did("ejecucion.iniciar", format!("ejecucion/{id}"));
    entry.after = Some(json!({ "robot_id": robot.0, "equipo_id": runner.0 }));
    entry.reason = Some(reason.to_owned());
    decision.audit(entry);
    decision.commit().await?;
    Ok(id)
}

/// *Detener*: a person wants a run stopped. It ends when the Control Room says so; one that was not
/// sent yet ends at once.
pub async fn stop(desk: &Desk, id: RunId, reason: &str) -> Result<(), Failure> {
    let (mut decision, run) = open(desk, id).await?;
    if run.deployment.is_some() {
        ask_to_stop(&mut decision, &run, Some(&desk.actor.name), reason).await?;
    } else if run.posted_at.is_none() {
        let end = End::new(RunState::RunAborted, Closing::Operator, desk.now).because(reason);
        close(&mut decision, &run, &end).await?;
        decision.wake(launch::TICK);
    } else {
        let (es, en) = (
            "No se sabe si el Control Room la tomó: resolver la duda o desbloquear el equipo.",
            "Nobody knows whether the Control Room took it: settle that or unlock the runner.",
        );
        return Err(conflict(desk.lang, "EJECUCION_EN_DUDA", es, en).into());
    }
    let mut entry = desk.by().did("ejecucion.detener", format!("ejecucion/{id}"));
    entry.before = Some(json!({ "estado": run.state.word() }));
    entry.reason = Some(reason.to_owned());
    decision.audit(entry);
    decision.commit().await?;
    Ok(())
}

/// The Control Room is asked after the commit.
pub async fn ask_to_stop(
    decision: &mut Decision,
    run: &Run,
    by: Option<&str>,
    reason: &str,
) -> Result<(), db::Error> {
    let now = decision.now;
    outcomes::stopping(&mut decision.tx, run, by, reason, now).await?;
    decision.effect(NewEffect {
        app: crate::NAME,
        kind: crate::drivers::stop::KIND,
        key: format!("sam/detener/{}/{}", run.id, now.as_microsecond()),
        payload: json!({ "run": run.id.0 }),
    });
    Ok(())
}

/// *Desbloquear*: a person frees a runner. The robot may go on in the Control Room, unless it is to be
/// stopped there too.
pub async fn unlock(desk: &Desk, id: RunId, reason: &str, stops: bool) -> Result<(), Failure> {
    let (mut decision, run) = open(desk, id).await?;
    if stops && run.deployment.is_some() {
        ask_to_stop(&mut decision, &run, Some(&desk.actor.name), reason).await?;
    }
    let end = End::new(RunState::RunAborted, Closing::Operator, desk.now).because(reason);
    close(&mut decision, &run, &end).await?;
    let mut entry = desk.by().did("ejecucion.desbloquear", format!("ejecucion/{id}"));
    entry.before = Some(json!({ "estado": run.state.word() }));
    entry.after = Some(json!({ "estado": RunState::RunAborted.word(), "detener": stops }));
    entry.reason = Some(reason.to_owned());
    decision.audit(entry);
    decision.wake(launch::TICK);
    decision.commit().await?;
    super::alarms::settled(&desk.context, id).await?;
    Ok(())
}

/// *Resolver*: a person decides on a deploy in doubt. Either it is this deployment, or nothing ran and
/// it is due again.
pub async fn settle(
    desk: &Desk,
    id: RunId,
    deployment: Option<&str>,
    reason: &str,
) -> Result<(), Failure> {
    let (mut decision, run) = open(desk, id).await?;
    if run.state != RunState::Pending || run.posted_at.is_none() {
        let (es, en) = ("Esa ejecución no está en duda.", "That run is not in doubt.");
        return Err(conflict(desk.lang, "EJECUCION_SIN_DUDA", es, en).into());
    }
    match deployment {
        Some(deployment) => {
            if runs::by_deployment(&mut decision.tx, deployment).await?.is_some() {
                let (es, en) =
                    ("Ese despliegue es de otra ejecución.", "That deployment is another run's.");
                return Err(conflict(desk.lang, "DESPLIEGUE_AJENO", es, en).into());
            }
            deploy::take_in(&mut decision, &run, deployment, "OPERADOR").await?;
        }
        None => deploy::withdraw(&mut decision, &run, reason).await?,
    }
    let mut entry = desk.by().did("ejecucion.resolver", format!("ejecucion/{id}"));
    entry.after = Some(json!({ "deployment_id": deployment }));
    entry.reason = Some(reason.to_owned());
    decision.audit(entry);
    decision.wake(launch::TICK);
    decision.commit().await?;
    super::alarms::settled(&desk.context, id).await?;
    Ok(())
}

/// A decision on a run that goes on.
async fn open(desk: &Desk, id: RunId) -> Result<(Decision, Run), Failure> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let run = runs::find(&mut decision.tx, id).await?.ok_or_else(|| missing(desk))?;
    if !run.live {
        let (es, en) = ("La ejecución ya terminó.", "The run has ended already.");
        return Err(conflict(desk.lang, "EJECUCION_CERRADA", es, en).into());
    }
    Ok((decision, run))
}
