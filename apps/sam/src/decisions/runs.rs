//! How runs end. Each ending frees the runner in the commit that records it.

use db::{Decision, Error};
use engine::Word as _;
use host::{Failure, conflict, unknown};
use serde_json::json;
use web::Problem;

use super::emit;
use crate::{
    Desk,
    model::{Closing, Run, RunId, RunState},
    store::{self, runs, runs::End},
};

/// Closes a run and says so.
pub async fn close(decision: &mut Decision, run: &Run, end: &End<'_>) -> Result<(), Error> {
    let now = decision.now;
    runs::close(&mut decision.tx, run, end, now).await?;
    let (state, closing) = (end.state.word(), end.closing.word());
    metrics::counter!("sam_runs_closed_total", "state" => state, "by" => closing).increment(1);
    let data = json!({
        "ejecucion_id": run.id.0, "robot_id": run.robot.0, "equipo_id": run.runner.0,
        "estado": state, "cierre": closing,
    });
    emit(decision, "ejecucion:cerrada", format!("ejecucion/{}", run.id), data);
    Ok(())
}

/// Tells that a run goes on in another state.
pub fn went_on(decision: &mut Decision, run: &Run, state: RunState) {
    let data = json!({
        "ejecucion_id": run.id.0, "robot_id": run.robot.0, "equipo_id": run.runner.0,
        "estado": state.word(),
    });
    emit(decision, "ejecucion:estado", format!("ejecucion/{}", run.id), data);
}

/// Lost for two hours (§4.2.1).
pub async fn lost(decision: &mut Decision, run: &Run) -> Result<(), Error> {
    let cause = "sin noticias desde hace 2 h (UNKNOWN): equipo liberado";
    let end = End::new(run.state, Closing::Lost, decision.now).because(cause);
    close(decision, run, &end).await
}

/// 404 for a run that is not there.
pub fn missing(desk: &Desk) -> Problem {
    let (es, en) = ("No existe esa ejecución.", "There is no such run.");
    unknown(desk.lang, "EJECUCION_INEXISTENTE", es, en)
}

/// *Desbloquear*: a person frees a runner. The robot may go on in the Control Room.
pub async fn unlock(desk: &Desk, id: RunId, reason: &str) -> Result<(), Failure> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let run = runs::find(&mut decision.tx, id).await?.ok_or_else(|| missing(desk))?;
    if !run.live {
        let (es, en) = ("La ejecución ya terminó.", "The run has ended already.");
        return Err(conflict(desk.lang, "EJECUCION_CERRADA", es, en).into());
    }
    let end = End::new(RunState::RunAborted, Closing::Operator, desk.now).because(reason);
    close(&mut decision, &run, &end).await?;
    let mut entry = desk.by().did("ejecucion.desbloquear", format!("ejecucion/{id}"));
    entry.before = Some(json!({ "estado": run.state.word() }));
    entry.after = Some(json!({ "estado": RunState::RunAborted.word() }));
    entry.reason = Some(reason.to_owned());
    decision.audit(entry);
    decision.wake(super::launch::TICK);
    decision.commit().await?;
    Ok(())
}
