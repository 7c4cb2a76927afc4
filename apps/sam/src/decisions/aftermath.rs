//! What follows when a run ends: its slot is tried again, or recorded as over, and whoever has to know is
//! told by an effect: it outlives the process.

use db::{Decision, Error, effects::NewEffect};
use serde_json::json;

use super::emit;
use crate::{
    model::Run,
    rules::aftermath::{self, After, Ended},
    store::{outcomes, robots, runs::End, slots},
};

/// What the driver of [`KIND`] is to do.
pub const FAILED: &str = "fallida";
pub const NOTED: &str = "mensaje";
pub const WELL: &str = "bien";
pub const OVERDUE: &str = "sin_inicio";
pub const BEGUN: &str = "empezo";

pub const KIND: &str = "sam.alarma";

/// How a run that ends now leaves its slot. Looked at before it is closed.
pub async fn of(decision: &mut Decision, run: &Run, end: &End<'_>) -> Result<After, Error> {
    let retry = robots::retry_of(&mut decision.tx, run.robot).await?;
    let tries = outcomes::tries(&mut decision.tx, run).await?;
    let (state, closing) = (end.state, end.closing);
    Ok(aftermath::plan(&Ended { run, state, closing, retry: &retry, tries }, decision.now))
}

/// Writes down what follows from an end that is written already.
pub async fn follow(decision: &mut Decision, run: &Run, after: &After) -> Result<(), Error> {
    let now = decision.now;
    if run.overdue_at.is_some() {
        tell(decision, run, BEGUN);
    }
    match after {
        After::Nothing => {}
        After::Well => {
            slots::forget(&mut decision.tx, run).await?;
            tell(decision, run, WELL);
        }
        After::Noted => tell(decision, run, NOTED),
        After::Again { at } => {
            metrics::counter!("sam_slots_retried_total").increment(1);
            let data = json!({
                "ejecucion_id": run.id.0, "robot_id": run.robot.0, "equipo_id": run.runner.0,
                "programacion_id": run.schedule.map(|one| one.0), "desde": at.to_string(),
            });
            emit(decision, "turno:reintento", format!("ejecucion/{}", run.id), data);
            tell(decision, run, NOTED);
        }
        After::Over { reason, tell: aloud } => {
            slots::over(&mut decision.tx, run, reason, now).await?;
            metrics::counter!("sam_slots_failed_total").increment(1);
            let data = json!({
                "ejecucion_id": run.id.0, "programacion_id": run.schedule.map(|one| one.0),
                "equipo_id": run.runner.0, "turno": run.slot_at.map(|at| at.to_string()),
                "motivo": reason.code(),
            });
            emit(decision, "turno:fallido", format!("ejecucion/{}", run.id), data);
            tell(decision, run, if *aloud { FAILED } else { NOTED });
        }
    }
    Ok(())
}

/// Whoever has to know is told after the commit.
pub fn tell(decision: &mut Decision, run: &Run, what: &str) {
    decision.effect(NewEffect {
        app: crate::NAME,
        kind: KIND,
        key: format!("sam/alarma/{what}/{}/{}", run.id, decision.now.as_microsecond()),
        payload: json!({ "run": run.id.0, "what": what }),
    });
}
