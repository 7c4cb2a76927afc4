//! How runs end. Each ending frees the runner in the commit that records it.

use db::{Decision, Error};
use engine::Word as _;
use host::By;
use jiff::Timestamp;
use serde_json::json;

use super::emit;
use crate::{
    Context,
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
    let end = End {
        state: run.state,
        closing: Closing::Lost,
        raw: None,
        started_at: None,
        finished_at: decision.now,
        cause: Some(cause),
        callback: None,
        keeps_slot: true,
    };
    close(decision, run, &end).await
}

/// How an operator's unlocking ended.
#[derive(Debug)]
pub enum Unlocked {
    Done(Box<Run>),
    NotFound,
    AlreadyClosed(Box<Run>),
}

/// *Desbloquear*: a person frees a runner. The robot may go on in the Control Room.
pub async fn unlock(
    context: &Context,
    by: &By,
    id: RunId,
    reason: &str,
    now: Timestamp,
) -> Result<Unlocked, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let Some(run) = runs::find(&mut decision.tx, id).await? else {
        return Ok(Unlocked::NotFound);
    };
    if !run.live {
        return Ok(Unlocked::AlreadyClosed(Box::new(run)));
    }
    let end = End {
        state: RunState::RunAborted,
        closing: Closing::Operator,
        raw: None,
        started_at: None,
        finished_at: now,
        cause: Some(reason),
        callback: None,
        keeps_slot: true,
    };
    close(&mut decision, &run, &end).await?;
    let mut entry = by.did("ejecucion.desbloquear", format!("ejecucion/{id}"));
    entry.before = Some(json!({ "estado": run.state.word() }));
    entry.after = Some(json!({ "estado": RunState::RunAborted.word() }));
    entry.reason = Some(reason.to_owned());
    decision.audit(entry);
    decision.wake(super::launch::TICK);
    decision.commit().await?;
    Ok(Unlocked::Done(Box::new(run)))
}
