//! How runs end. Each ending frees the runner in the commit that records it.

use db::{Decision, Error};
use engine::Word as _;
use host::unknown;
use serde_json::json;
use web::Problem;

use super::{aftermath, emit};
use crate::{
    Desk,
    model::{Closing, Run, RunState},
    rules::aftermath::After,
    store::{runs, runs::End},
};

/// Closes a run and says so.
pub async fn close(decision: &mut Decision, run: &Run, end: &End<'_>) -> Result<(), Error> {
    let now = decision.now;
    let after = aftermath::of(decision, run, end).await?;
    let again = match after {
        After::Again { at } => Some(at),
        _ => None,
    };
    let stopped = run.stop.as_ref().filter(|_| end.state == RunState::RunAborted);
    let cause = end.cause.or(stopped.map(|stop| stop.reason.as_str()));
    let keeps_slot = end.keeps_slot && again.is_none();
    let end = &End { cause, keeps_slot, retry_at: again, ..end.clone() };
    runs::close(&mut decision.tx, run, end, now).await?;
    aftermath::follow(decision, run, &after).await?;
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
    let begun = !matches!(state, RunState::Deployed | RunState::Queued);
    if begun && run.overdue_at.is_some() {
        aftermath::tell(decision, run, aftermath::BEGUN);
    }
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
