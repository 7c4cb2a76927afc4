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

fn robot(id: RobotId) -> String {
    format!("sam/robot/{id}")
}

fn runner(id: RunnerId) -> String {
    format!("sam/equipo/{id}")
}

fn pair(robot: RobotId, runner: RunnerId) -> String {
    format!("sam/par/{robot}/{runner}")
}

pub async fn raise(context: &Context, alarm: Alarm, run: &Run, detail: &str) -> Result<(), Error> {
    let (critical, high) = (Severity::Critical, Severity::Warning);
    let (fingerprint, severity, title) = match alarm {
        Alarm::ControlRoom => (
            CONTROL_ROOM.to_owned(),
            critical,
            "SAM: el Control Room no atiende / the Control Room does not serve".to_owned(),
        ),
        Alarm::Robot => {
            (robot(run.robot), critical, format!("SAM: robot {} suspendido / suspended", run.robot))
        }
        Alarm::Runner => (
            runner(run.runner),
            critical,
            format!("SAM: equipo {} suspendido / runner suspended", run.runner),
        ),
        Alarm::RunnerOffline => (
            runner(run.runner),
            high,
            format!("SAM: equipo {} sin conexión / runner offline", run.runner),
        ),
        Alarm::Pair => (
            pair(run.robot, run.runner),
            critical,
            format!("SAM: robot {} en equipo {} rechazado / refused", run.robot, run.runner),
        ),
    };
    let detail = detail.to_owned();
    context.raise(Alert { app: crate::NAME, fingerprint, severity, title, detail }).await
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
    let alert = Alert {
        app: crate::NAME,
        fingerprint: RECONCILE.to_owned(),
        severity: Severity::Warning,
        title: "SAM: no se pudo conciliar / could not reconcile".to_owned(),
        detail: fault.to_owned(),
    };
    context.raise(alert).await
}

pub async fn reconciled(context: &Context) -> Result<(), Error> {
    context.resolve(RECONCILE).await
}

/// Statuses that the Control Room uses and we do not know.
pub async fn strange(context: &Context, strange: &[(RunId, String)]) -> Result<(), Error> {
    for (run, status) in strange {
        let alert = Alert {
            app: crate::NAME,
            fingerprint: format!("sam/estado/{status}"),
            severity: Severity::Warning,
            title: format!("SAM: estado desconocido «{status}» / unknown status"),
            detail: format!("ejecución {run} / run {run}"),
        };
        context.raise(alert).await?;
    }
    Ok(())
}

pub async fn provider_failed(context: &Context, provider: &str, why: &str) -> Result<(), Error> {
    let alert = Alert {
        app: crate::NAME,
        fingerprint: format!("sam/proveedor/{provider}"),
        severity: Severity::Warning,
        title: format!("SAM: falló el proveedor de tickets {provider} / ticket provider failed"),
        detail: why.to_owned(),
    };
    context.raise(alert).await
}

pub async fn provider_well(context: &Context, provider: &str) -> Result<(), Error> {
    context.resolve(&format!("sam/proveedor/{provider}")).await
}

pub async fn sync_failed(context: &Context, fault: &str) -> Result<(), Error> {
    let alert = Alert {
        app: crate::NAME,
        fingerprint: "sam/sync".to_owned(),
        severity: Severity::Warning,
        title: "SAM: no se pudo sincronizar / could not sync".to_owned(),
        detail: fault.to_owned(),
    };
    context.raise(alert).await
}

pub async fn synced(context: &Context) -> Result<(), Error> {
    context.resolve("sam/sync").await
}
