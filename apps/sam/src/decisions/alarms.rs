//! What people are told about (F-6): once, throttled, and again when it is right.

use db::Error;
use engine::{Sentence, Word as _};
use host::{Alert, Severity};

use super::circuit::OF_THE_CONNECTION;

use crate::{
    Context,
    model::{RobotId, Run, RunId, RunnerId},
    rules::{
        deploy::{Alarm, Cause},
        reconcile::Stranger,
    },
    store::{policy, robots, runners, suspensions},
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

/// Where a trouble is seen: the page of what it is about, and of why.
struct At(String, String);

impl At {
    fn robot(id: RobotId) -> Self {
        Self(format!("/sam/robots/{id}"), format!("/sam/robots/{id}#why"))
    }

    fn runner(id: RunnerId) -> Self {
        Self(format!("/sam/equipos/{id}"), format!("/sam/equipos/{id}#why"))
    }

    /// A run, and why its robot runs or does not.
    fn run(run: &Run) -> Self {
        Self(format!("/sam/ejecuciones/{}", run.id), format!("/sam/robots/{}#why", run.robot))
    }

    /// A setting that can mend it.
    fn setting(page: &str, key: &str) -> Self {
        Self(page.to_owned(), format!("/ajustes/sam#{key}"))
    }
}

/// What people call a robot and a runner; by its number one that is gone.
async fn named(
    context: &Context,
    robot: RobotId,
    runner: RunnerId,
) -> Result<(String, String), Error> {
    let mut tx = context.store.read().await?;
    let on = robots::find(&mut tx, robot).await?;
    let at = runners::find(&mut tx, runner).await?;
    Ok((
        on.map_or_else(|| robot.to_string(), |one| one.name),
        at.map_or_else(|| runner.to_string(), |one| one.name),
    ))
}

/// One trouble under one name, however often it is met.
async fn tell(
    context: &Context,
    severity: Severity,
    fingerprint: String,
    title: Sentence,
    detail: Sentence,
    At(cause, why): At,
) -> Result<(), Error> {
    let alert = Alert::new(crate::NAME, fingerprint, severity, title, detail);
    context.raise(alert.shown_at(cause, why)).await
}

pub async fn raise(context: &Context, alarm: Alarm, run: &Run, detail: &str) -> Result<(), Error> {
    let (robot_id, runner_id) = (run.robot, run.runner);
    let (on, at) = named(context, robot_id, runner_id).await?;
    let (fingerprint, title, page) = match alarm {
        Alarm::ControlRoom => (
            CONTROL_ROOM.to_owned(),
            Sentence::new("El Control Room no atiende", "The Control Room does not serve"),
            At::setting("/sam", policy::URL),
        ),
        Alarm::Robot => (
            robot(robot_id),
            Sentence::new(format!("Robot {on} suspendido"), format!("Robot {on} suspended")),
            At::robot(robot_id),
        ),
        Alarm::Runner => (
            runner(runner_id),
            Sentence::new(format!("Equipo {at} suspendido"), format!("Runner {at} suspended")),
            At::runner(runner_id),
        ),
        Alarm::RunnerOffline => (
            runner(runner_id),
            Sentence::new(format!("Equipo {at} sin conexión"), format!("Runner {at} offline")),
            At::runner(runner_id),
        ),
        Alarm::Pair => (
            pair(robot_id, runner_id),
            Sentence::new(
                format!("El robot {on} fue rechazado en el equipo {at}"),
                format!("Robot {on} was refused on runner {at}"),
            ),
            At::robot(robot_id),
        ),
        Alarm::Refused(cause) => (
            refused(cause),
            Sentence::new(
                format!("A360 rechaza despliegues ({})", cause.word()),
                format!("A360 refuses deploys ({})", cause.word()),
            ),
            At::setting("/sam", policy::URL),
        ),
    };
    let severity = match alarm {
        Alarm::RunnerOffline => Severity::Warning,
        _ => Severity::Critical,
    };
    tell(context, severity, fingerprint, title, Sentence::told(detail), page).await
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
    let id = run.id;
    let (on, at) = named(context, run.robot, run.runner).await?;
    let title = Sentence::new(format!("Decidir la ejecución {id}"), format!("Decide on run {id}"));
    let (es, en) = match suspect {
        Some(one) => {
            (format!("puede ser el despliegue {one}"), format!("it may be deployment {one}"))
        }
        None => (
            "la lista de actividad no prueba nada".to_owned(),
            "the activity list proves nothing".to_owned(),
        ),
    };
    let detail = Sentence::new(
        format!("Robot {on} en equipo {at}: no se sabe si A360 lo tomó; {es}."),
        format!("Robot {on} on runner {at}: nobody knows whether A360 took it; {en}."),
    );
    tell(context, Severity::Critical, doubt(id), title, detail, At::run(run)).await
}

/// Nothing has to be decided on a run any more.
pub async fn settled(context: &Context, run: RunId) -> Result<(), Error> {
    context.resolve(&doubt(run)).await
}

/// A slot is over without a run that ended well.
pub async fn slot_failed(context: &Context, run: &Run) -> Result<(), Error> {
    let (on, at) = named(context, run.robot, run.runner).await?;
    let title = Sentence::new(
        format!("Falló un turno del robot {on} en el equipo {at}"),
        format!("A slot of robot {on} on runner {at} failed"),
    );
    tell(context, Severity::Critical, slot(run), title, as_it_is(run), At::run(run)).await
}

/// A run and its state.
fn as_it_is(run: &Run) -> Sentence {
    let (es, en) = run.state.called();
    Sentence::new(format!("Ejecución {}: {es}", run.id), format!("Run {}: {en}", run.id))
}

pub async fn slot_well(context: &Context, run: &Run) -> Result<(), Error> {
    context.resolve(&slot(run)).await
}

/// A run was accepted and does not begin.
pub async fn not_begun(context: &Context, run: &Run) -> Result<(), Error> {
    let (on, at) = named(context, run.robot, run.runner).await?;
    let title = Sentence::new(
        format!("El robot {on} no empieza en el equipo {at}"),
        format!("Robot {on} does not begin on runner {at}"),
    );
    tell(context, Severity::Warning, overdue(run.runner), title, as_it_is(run), At::run(run)).await
}

pub async fn begun(context: &Context, run: &Run) -> Result<(), Error> {
    context.resolve(&overdue(run.runner)).await
}

/// A bot that somebody else started runs on a runner of ours.
pub async fn strange_bot(context: &Context, runner: RunnerId, one: &Stranger) -> Result<(), Error> {
    let known = runners::find(&mut context.store.read().await?, runner).await?;
    let at = known.map_or_else(|| runner.to_string(), |one| one.name);
    let title = Sentence::new(
        format!("Bot ajeno en el equipo {at}"),
        format!("A bot that is not ours on runner {at}"),
    );
    let detail = Sentence::same(format!("{} ({})", one.bot, one.deployment));
    tell(context, Severity::Warning, stranger(runner), title, detail, At::runner(runner)).await
}

pub async fn strange_bot_gone(context: &Context, runner: RunnerId) -> Result<(), Error> {
    context.resolve(&stranger(runner)).await
}

/// A bot that was to be stopped goes on.
pub async fn not_stopped(context: &Context, run: &Run, why: &str) -> Result<(), Error> {
    let id = run.id;
    let title = Sentence::new(
        format!("No se pudo detener la ejecución {id}"),
        format!("Could not stop run {id}"),
    );
    let (name, detail) = (format!("sam/detener/{id}"), Sentence::told(why));
    tell(context, Severity::Critical, name, title, detail, At::run(run)).await
}

pub async fn stopped(context: &Context, run: &Run) -> Result<(), Error> {
    context.resolve(&format!("sam/detener/{}", run.id)).await
}

pub async fn unreconciled(context: &Context, fault: &str) -> Result<(), Error> {
    let title = Sentence::new("No se pudo conciliar", "Could not reconcile");
    let page = At::setting("/sam", policy::RECONCILE_EVERY);
    let detail = Sentence::told(fault);
    tell(context, Severity::Warning, RECONCILE.to_owned(), title, detail, page).await
}

pub async fn reconciled(context: &Context) -> Result<(), Error> {
    context.resolve(RECONCILE).await
}

/// Statuses that the Control Room uses and we do not know.
pub async fn strange(context: &Context, strange: &[(RunId, String)]) -> Result<(), Error> {
    for (run, status) in strange {
        let title = Sentence::new(
            format!("Estado desconocido «{status}»"),
            format!("Unknown status “{status}”"),
        );
        let detail = Sentence::new(format!("Ejecución {run}"), format!("Run {run}"));
        let (name, page) = (format!("sam/estado/{status}"), format!("/sam/ejecuciones/{run}"));
        let page = At(page, String::new());
        tell(context, Severity::Warning, name, title, detail, page).await?;
    }
    Ok(())
}

/// The gateway gives no token: callbacks will come without its proof.
pub async fn gateway_failed(context: &Context, why: &str) -> Result<(), Error> {
    let title = Sentence::new("El gateway no da su token", "The gateway gives no token");
    let (page, detail) = (At::setting("/sam", policy::GATEWAY_URL), Sentence::told(why));
    tell(context, Severity::Critical, GATEWAY.to_owned(), title, detail, page).await
}

pub async fn gateway_well(context: &Context) -> Result<(), Error> {
    context.resolve(GATEWAY).await
}

pub async fn provider_failed(context: &Context, provider: &str, why: &str) -> Result<(), Error> {
    let title = Sentence::new(
        format!("Falló el proveedor de tickets {provider}"),
        format!("Ticket provider {provider} failed"),
    );
    let (name, detail) = (format!("sam/proveedor/{provider}"), Sentence::same(why));
    let page = At::setting("/sam/balanceador", policy::CLOUDERS_URL);
    tell(context, Severity::Warning, name, title, detail, page).await
}

pub async fn provider_well(context: &Context, provider: &str) -> Result<(), Error> {
    context.resolve(&format!("sam/proveedor/{provider}")).await
}

pub async fn sync_failed(context: &Context, detail: Sentence) -> Result<(), Error> {
    let title = Sentence::new("No se pudo sincronizar", "Could not sync");
    let page = At::setting("/sam", policy::SYNC);
    tell(context, Severity::Warning, SYNC.to_owned(), title, detail, page).await
}

pub async fn synced(context: &Context) -> Result<(), Error> {
    context.resolve(SYNC).await
}

/// Callbacks that prove nothing were chosen, or no longer are.
pub async fn callbacks(context: &Context, unproved: bool) -> Result<(), Error> {
    if !unproved {
        return context.resolve(CALLBACKS).await;
    }
    let title = Sentence::new(
        "Los avisos de fin no prueban quién los manda",
        "Callbacks do not prove who sends them",
    );
    let detail = Sentence::new(
        "CALLBACK_AUTH_MODE = none: cualquiera en esta máquina puede dar una ejecución por \
         terminada; de otras no se acepta ninguno sin prueba.",
        "CALLBACK_AUTH_MODE = none: anybody on this machine can declare a run over; from others \
         none is taken without a proof.",
    );
    let page = At::setting("/sam/configuracion", policy::CALLBACK_MODE);
    tell(context, Severity::Warning, CALLBACKS.to_owned(), title, detail, page).await
}
