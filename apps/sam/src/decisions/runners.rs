//! Runners are created, changed and removed.

use db::{Decision, Error, Tx};
use host::{Failure, conflict, edit::Editable};
use serde_json::{Map, Value as Json};
use web::Problem;

use super::{pools::Pools, wake_all};
use crate::{
    Desk,
    model::{Runner, RunnerId},
    store::{assignments, pools, runners},
    wire::{RunnerRequest, RunnerView},
};

/// How runners are edited.
#[derive(Debug)]
pub struct Runners;

impl Editable for Runners {
    editable! {
        runners: Runner, RunnerId, RunnerRequest => RunnerView, "equipo",
        "EQUIPO_INEXISTENTE", "No existe ese equipo.", "There is no such runner."
    }

    async fn view(runner: &Runner, _: &Desk, tx: &mut Tx) -> Result<RunnerView, Error> {
        Ok(RunnerView::new(runner, assignments::is_scheduled(tx, runner.id).await?))
    }

    async fn standing(
        runner: &Runner,
        tx: &mut Tx,
        _: &Map<String, Json>,
    ) -> Result<RunnerRequest, Error> {
        Ok(RunnerRequest::new(runner, assignments::is_scheduled(tx, runner.id).await?))
    }

    async fn save(
        desk: &Desk,
        decision: &mut Decision,
        before: Option<&Runner>,
        request: &RunnerRequest,
    ) -> Result<Runner, Failure> {
        let mut runner = request.typed(desk.lang)?;
        let tx = &mut decision.tx;
        if let Some(before) = before {
            let scheduled = assignments::is_scheduled(tx, before.id).await?;
            if scheduled && runner.dynamic {
                let (es, en) = (
                    "Una programación usa el equipo: no puede entrar al balanceo hasta que se quite.",
                    "A schedule uses the runner: it cannot be balanced until that goes.",
                );
                return Err(conflict(desk.lang, "EQUIPO_PROGRAMADO", es, en).into());
            }
            runner.id = before.id;
            runner.version = before.version;
            runner.seen_name.clone_from(&before.seen_name);
            runner.connected = before.connected;
            // While a schedule suspends it, what the operator set before is kept for afterwards.
            runner.dynamic = if scheduled { before.dynamic } else { runner.dynamic };
        } else if runner.id.0 != 0 && runners::find(tx, runner.id).await?.is_some() {
            let (es, en) = ("Ya hay un equipo con ese id.", "There is a runner with that id.");
            return Err(conflict(desk.lang, "ID_REPETIDO", es, en).into());
        }
        if let Some(problem) = refused(desk, tx, &runner).await? {
            return Err(problem.into());
        }
        if before.is_some() {
            runners::update(tx, &runner).await?;
            runner.version += 1;
        } else {
            runner.id = runners::insert(tx, &runner).await?;
        }
        wake_all(decision);
        Ok(runner)
    }

    async fn remove(runner: &Runner, desk: &Desk, decision: &mut Decision) -> Result<(), Failure> {
        if runners::in_use(&mut decision.tx, runner.id).await? {
            let (es, en) = (
                "El equipo tiene historia o asignaciones: se puede poner en mantenimiento.",
                "The runner has history or assignments: put it in maintenance.",
            );
            return Err(conflict(desk.lang, "EN_USO", es, en).into());
        }
        Ok(runners::remove(&mut decision.tx, runner.id).await?)
    }
}

/// Why a runner cannot be so: names are unique, pools exist.
async fn refused(desk: &Desk, tx: &mut Tx, runner: &Runner) -> Result<Option<Problem>, Error> {
    let other = runners::by_name(tx, &runner.name).await?;
    if other.is_some_and(|other| other.id != runner.id) {
        let (es, en) = ("Ya hay un equipo con ese nombre.", "There is a runner with that name.");
        return Ok(Some(conflict(desk.lang, "NOMBRE_REPETIDO", es, en)));
    }
    if let Some(pool) = runner.pool
        && pools::find(tx, pool).await?.is_none()
    {
        return Ok(Some(Pools::missing(desk)));
    }
    Ok(None)
}
