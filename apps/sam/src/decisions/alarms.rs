//! What people are told about (F-6): once, throttled, and again when it is right.

use db::Error;
use engine::Word as _;
use host::{Alert, Severity};

use super::circuit::OF_THE_CONNECTION;

use crate::{
    Context,
    model::{RobotId, Run, RunId, RunnerId},
    rules::{
        deploy::{Alarm, Cause},
        reconcile::Stranger,
    },
    store::suspensions,
};

const CONTROL_ROOM: &str = "sam/a360";
const RECONCILE: &str = "sam/conciliador";
const SYNC: &str = "sam/sync";
const GATEWAY: &str = "sam/gateway";
const CALLBACKS: &str = "sam/avisos";

fn robot(id: RobotId) -> String {
    format!("sam/robot/{id}")
}

fn runner(id: RunnerId) -> String {
    format!("sam/equipo/{id}")
}

fn refused(cause: Cause) -> String {
    format!("{CONTROL_ROOM}/{}", cause.word())
}

fn doubt(run: RunId) -> String {
    format!("sam/duda/{run}")
}

fn stranger(runner: RunnerId) -> String {
    format!("sam/ajeno/{runner}")
}

fn overdue(runner: RunnerId) -> String {
    format!("sam/inicio/{runner}")
}

/// The slots of a schedule on a runner; of one that is gone, those of its robot.
fn slot(run: &Run) -> String {
    match run.schedule {
        Some(schedule) => format!("sam/turno/{schedule}/{}", run.runner),
        None => format!("sam/turno/robot-{}/{}", run.robot, run.runner),
    }
}

fn pair(robot: RobotId, runner: RunnerId) -> String {
    format!("sam/par/{robot}/{runner}")
}

/// One trouble under one name, however often it is met.
async fn tell(
    context: &Context,
    severity: Severity,
    fingerprint: String,
    title: String,
    detail: &str,
) -> Result<(), Error> {
    let detail = detail.to_owned();
    context.raise(Alert { app: crate::NAME, fingerprint, severity, title, detail }).await
}

pub async fn raise(context: &Context, alarm: Alarm, run: &Run, detail: &str) -> Result<(), Error> {
    let (on, at) = (run.robot, run.runner);
    let (fingerprint, title) = match alarm {
        Alarm::ControlRoom => (
            CONTROL_ROOM.to_owned(),
            "SAM: el Control Room no atiende / the Control Room does not serve".to_owned(),
        ),
        Alarm::Robot => (robot(on), format!("SAM: robot {on} suspendido / suspended")),
        Alarm::Runner => (runner(at), format!("SAM: equipo {at} suspendido / runner suspended")),
        Alarm::RunnerOffline => {
            (runner(at), format!("SAM: equipo {at} sin conexión / runner offline"))
        }
        Alarm::Pair => {
            (pair(on, at), format!("SAM: robot {on} en equipo {at} rechazado / refused"))
        }
        Alarm::Refused(cause) => (
            refused(cause),
            format!("SAM: A360 rechaza despliegues ({}) / A360 refuses deploys", cause.word()),
        ),
    };
    let severity = match alarm {
        Alarm::RunnerOffline => Severity::Warning,
        _ => Severity::Critical,
    };
    tell(context, severity, fingerprint, title, detail).await
}

/// A deploy was accepted: everything about it is right again.
pub async fn well(context: &Context, robot_id: RobotId, runner_id: RunnerId) -> Result<(), Error> {
    for fingerprint in
        [CONTROL_ROOM.to_owned(), robot(robot_id), runner(runner_id), pair(robot_id, runner_id)]
    {
        context.resolve(&fingerprint).await?;
    }
    for cause in OF_THE_CONNECTION {
        let held = suspensions::any(&mut context.store.read().await?, cause.word()).await?;
        if !held {
            not_refused(context, cause).await?;
        }
    }
    Ok(())
}

/// Nobody is refused for this cause any more, or everybody is and the connection is at fault.
pub async fn not_refused(context: &Context, cause: Cause) -> Result<(), Error> {
    context.resolve(&refused(cause)).await
}

/// Nobody knows whether a deploy was accepted, and a person has to decide.
pub async fn in_doubt(context: &Context, run: &Run, suspect: Option<&str>) -> Result<(), Error> {
    let (id, on, at) = (run.id, run.robot, run.runner);
    let title = format!("SAM: decidir la ejecución {id} / decide on run {id}");
    let seen = match suspect {
        Some(one) => format!("puede ser el despliegue {one} / it may be deployment {one}"),
        None => {
            "la lista de actividad no prueba nada / the activity list proves nothing".to_owned()
        }
    };
    let detail = format!(
        "Robot {on} en equipo {at}: no se sabe si A360 lo tomó; {seen}. / Robot {on} on runner \
         {at}: nobody knows whether A360 took it."
    );
    tell(context, Severity::Critical, doubt(id), title, &detail).await
}

/// Nothing has to be decided on a run any more.
pub async fn settled(context: &Context, run: RunId) -> Result<(), Error> {
    context.resolve(&doubt(run)).await
}

/// A slot is over without a run that ended well.
pub async fn slot_failed(context: &Context, run: &Run) -> Result<(), Error> {
    let (id, state) = (run.id, run.state.word());
    let (on, at) = (run.robot, run.runner);
    let title = format!("SAM: falló un turno del robot {on} en el equipo {at} / a slot failed");
    let detail = format!("ejecución {id}: {state} / run {id}: {state}");
    tell(context, Severity::Critical, slot(run), title, &detail).await
}

pub async fn slot_well(context: &Context, run: &Run) -> Result<(), Error> {
    context.resolve(&slot(run)).await
}

/// A run was accepted and does not begin.
pub async fn not_begun(context: &Context, run: &Run) -> Result<(), Error> {
    let (id, on, at) = (run.id, run.robot, run.runner);
    let title = format!("SAM: el robot {on} no empieza en el equipo {at} / does not begin");
    let detail = format!("ejecución {id}, {0} / run {id}, {0}", run.state.word());
    tell(context, Severity::Warning, overdue(at), title, &detail).await
}

pub async fn begun(context: &Context, run: &Run) -> Result<(), Error> {
    context.resolve(&overdue(run.runner)).await
}

/// A bot that somebody else started runs on a runner of ours.
pub async fn strange_bot(context: &Context, runner: RunnerId, one: &Stranger) -> Result<(), Error> {
    let title = format!("SAM: bot ajeno en el equipo {runner} / a bot that is not ours");
    let detail = format!("{} ({})", one.bot, one.deployment);
    tell(context, Severity::Warning, stranger(runner), title, &detail).await
}

pub async fn strange_bot_gone(context: &Context, runner: RunnerId) -> Result<(), Error> {
    context.resolve(&stranger(runner)).await
}

/// A bot that was to be stopped goes on.
pub async fn not_stopped(context: &Context, run: &Run, why: &str) -> Result<(), Error> {
    let id = run.id;
    let title = format!("SAM: no se pudo detener la ejecución {id} / could not stop run {id}");
    tell(context, Severity::Critical, format!("sam/detener/{id}"), title, why).await
}

pub async fn stopped(context: &Context, run: &Run) -> Result<(), Error> {
    context.resolve(&format!("sam/detener/{}", run.id)).await
}

pub async fn unreconciled(context: &Context, fault: &str) -> Result<(), Error> {
    let title = "SAM: no se pudo conciliar / could not reconcile".to_owned();
    tell(context, Severity::Warning, RECONCILE.to_owned(), title, fault).await
}

pub async fn reconciled(context: &Context) -> Result<(), Error> {
    context.resolve(RECONCILE).await
}

/// Statuses that the Control Room uses and we do not know.
pub async fn strange(context: &Context, strange: &[(RunId, String)]) -> Result<(), Error> {
    for (run, status) in strange {
        let title = format!("SAM: estado desconocido «{status}» / unknown status");
        let detail = format!("ejecución {run} / run {run}");
        tell(context, Severity::Warning, format!("sam/estado/{status}"), title, &detail).await?;
    }
    Ok(())
}

/// The gateway gives no token: callbacks will come without its proof.
pub async fn gateway_failed(context: &Context, why: &str) -> Result<(), Error> {
    let title = "SAM: el gateway no da su token / the gateway gives no token".to_owned();
    tell(context, Severity::Critical, GATEWAY.to_owned(), title, why).await
}

pub async fn gateway_well(context: &Context) -> Result<(), Error> {
    context.resolve(GATEWAY).await
}

pub async fn provider_failed(context: &Context, provider: &str, why: &str) -> Result<(), Error> {
    let title = format!("SAM: falló el proveedor de tickets {provider} / ticket provider failed");
    tell(context, Severity::Warning, format!("sam/proveedor/{provider}"), title, why).await
}

pub async fn provider_well(context: &Context, provider: &str) -> Result<(), Error> {
    context.resolve(&format!("sam/proveedor/{provider}")).await
}

pub async fn sync_failed(context: &Context, fault: &str) -> Result<(), Error> {
    let title = "SAM: no se pudo sincronizar / could not sync".to_owned();
    tell(context, Severity::Warning, SYNC.to_owned(), title, fault).await
}

pub async fn synced(context: &Context) -> Result<(), Error> {
    context.resolve(SYNC).await
}

/// Callbacks that prove nothing were chosen, or no longer are.
pub async fn callbacks(context: &Context, unproved: bool) -> Result<(), Error> {
    if !unproved {
        return context.resolve(CALLBACKS).await;
    }
    let title = "SAM: los avisos de fin no prueban quién los manda / callbacks prove nothing";
    let detail = "CALLBACK_AUTH_MODE = none: cualquiera en esta máquina puede dar una ejecución \
                  por terminada; de otras no se acepta ninguno sin prueba / anybody on this \
                  machine can declare a run over; from others none is taken without a proof";
    tell(context, Severity::Warning, CALLBACKS.to_owned(), title.to_owned(), detail).await
}
