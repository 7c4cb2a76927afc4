//! Runners are reserved for robots by hand, and released.

use host::{Failure, as_json, conflict, edit::Editable as _, unknown};

use super::{emit, robots::Robots, runners::Runners, wake_all};
use crate::{
    Desk,
    model::{AssignmentId, Hold, RobotId, RunnerId},
    store::{self, assignments, robots, runners},
    wire::AssignmentView,
};

/// The balancer leaves the runner alone from here on; what it had assigned to it is taken back.
pub async fn reserve(
    desk: &Desk,
    robot: RobotId,
    runner: RunnerId,
) -> Result<AssignmentView, Failure> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    if robots::find(&mut decision.tx, robot).await?.is_none() {
        return Err(Robots::missing(desk).into());
    }
    if runners::find(&mut decision.tx, runner).await?.is_none() {
        return Err(Runners::missing(desk).into());
    }
    let standing = assignments::of_runner(&mut decision.tx, runner).await?;
    if standing.iter().any(|one| one.hold == Hold::Reserved) {
        let (es, en) = ("El equipo ya está reservado.", "The runner is reserved already.");
        return Err(conflict(desk.lang, "EQUIPO_RESERVADO", es, en).into());
    }
    for dynamic in standing.iter().filter(|one| one.hold == Hold::Dynamic) {
        assignments::remove(&mut decision.tx, dynamic.id).await?;
    }
    let by = desk.by();
    let new =
        assignments::New { robot, runner, hold: Hold::Reserved, schedule: None, by: &by.name };
    let id = assignments::insert(&mut decision.tx, &new, desk.now).await?;
    let made = assignments::find(&mut decision.tx, id).await?;
    let made = made.ok_or_else(|| db::Error::corrupt("an assignment vanished"))?;
    let view = AssignmentView::new(&made);
    let mut entry = by.did("asignacion.reservar", format!("asignacion/{id}"));
    entry.after = Some(as_json(&view)?);
    decision.audit(entry);
    emit(&mut decision, "asignacion:reservada", format!("equipo/{runner}"), as_json(&view)?);
    wake_all(&mut decision);
    decision.commit().await?;
    Ok(view)
}

/// What runs goes on; scheduled assignments change with their schedule.
pub async fn release(desk: &Desk, id: AssignmentId) -> Result<(), Failure> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let found = assignments::find(&mut decision.tx, id).await?;
    let Some(found) = found else {
        let (es, en) = ("No existe esa asignación.", "There is no such assignment.");
        return Err(unknown(desk.lang, "ASIGNACION_INEXISTENTE", es, en).into());
    };
    if found.hold == Hold::Scheduled {
        let (es, en) = (
            "Es de una programación: sus equipos se cambian en la programación.",
            "It belongs to a schedule: change the runners of the schedule.",
        );
        return Err(conflict(desk.lang, "ASIGNACION_PROGRAMADA", es, en).into());
    }
    assignments::remove(&mut decision.tx, found.id).await?;
    let view = AssignmentView::new(&found);
    let mut entry = desk.by().did("asignacion.liberar", format!("asignacion/{id}"));
    entry.before = Some(as_json(&view)?);
    decision.audit(entry);
    let subject = format!("equipo/{}", found.runner);
    emit(&mut decision, "asignacion:liberada", subject, as_json(&view)?);
    wake_all(&mut decision);
    decision.commit().await?;
    Ok(())
}
