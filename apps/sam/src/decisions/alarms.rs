//! What people are told about (F-6): once, throttled, and again when it is right.

use db::Error;
use host::{Alert, Severity};

use crate::{
    Context,
    model::{RobotId, Run, RunId, RunnerId},
    rules::deploy::Alarm,
};

const CONTROL_ROOM: &str = "sam/a360";
const RECONCILE: &str = "sam/conciliador";
const SYNC: &str = "sam/sync";
const CALLBACKS: &str = "sam/avisos";

fn robot(id: RobotId) -> String {
    format!("sam/robot/{id}")
}

fn runner(id: RunnerId) -> String {
    format!("sam/equipo/{id}")
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
    Ok(())
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
