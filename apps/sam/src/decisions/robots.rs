//! Robots are created, changed and removed.

use db::{Decision, Error, Tx};
use host::{Failure, conflict, edit::Editable};
use serde_json::{Map, Value as Json};
use web::Problem;

use super::{pools::Pools, wake_all};
use crate::{
    Desk,
    model::{Robot, RobotId},
    store::{pools, robots, schedules},
    wire::{RobotRequest, RobotView},
};

/// How robots are edited.
#[derive(Debug)]
pub struct Robots;

impl Editable for Robots {
    editable! {
        robots: Robot, RobotId, RobotRequest => RobotView, "robot",
        "ROBOT_INEXISTENTE", "No existe ese robot.", "There is no such robot."
    }

    async fn view(robot: &Robot, _: &Desk, _: &mut Tx) -> Result<RobotView, Error> {
        Ok(RobotView::new(robot))
    }

    async fn standing(
        robot: &Robot,
        _: &mut Tx,
        _: &Map<String, Json>,
    ) -> Result<RobotRequest, Error> {
        Ok(RobotRequest::new(robot))
    }

    async fn save(
        desk: &Desk,
        decision: &mut Decision,
        before: Option<&Robot>,
        request: &RobotRequest,
    ) -> Result<Robot, Failure> {
        let mut robot = request.typed(desk.lang)?;
        let tx = &mut decision.tx;
        if let Some(before) = before {
            robot.id = before.id;
            robot.version = before.version;
            robot.seen_name.clone_from(&before.seen_name);
        } else if robot.id.0 != 0 && robots::find(tx, robot.id).await?.is_some() {
            let (es, en) = ("Ya hay un robot con ese id.", "There is a robot with that id.");
            return Err(conflict(desk.lang, "ID_REPETIDO", es, en).into());
        }
        if let Some(problem) = refused(desk, tx, &robot, before).await? {
            return Err(problem.into());
        }
        if before.is_some() {
            robots::update(tx, &robot).await?;
            robot.version += 1;
        } else {
            robot.id = robots::insert(tx, &robot).await?;
        }
        wake_all(decision);
        Ok(robot)
    }

    async fn remove(robot: &Robot, desk: &Desk, decision: &mut Decision) -> Result<(), Failure> {
        if robots::in_use(&mut decision.tx, robot.id).await? {
            let (es, en) = (
                "El robot tiene historia, programaciones o asignaciones: se puede desactivar.",
                "The robot has history, schedules or assignments: deactivate it.",
            );
            return Err(conflict(desk.lang, "EN_USO", es, en).into());
        }
        Ok(robots::remove(&mut decision.tx, robot.id).await?)
    }
}

/// Why a robot cannot be so: names are unique, pools exist, schedules exclude demand.
async fn refused(
    desk: &Desk,
    tx: &mut Tx,
    robot: &Robot,
    before: Option<&Robot>,
) -> Result<Option<Problem>, Error> {
    let lang = desk.lang;
    let other = robots::by_name(tx, &robot.name).await?;
    if other.is_some_and(|other| Some(other.id) != before.map(|before| before.id)) {
        let (es, en) = ("Ya hay un robot con ese nombre.", "There is a robot with that name.");
        return Ok(Some(conflict(lang, "NOMBRE_REPETIDO", es, en)));
    }
    if let Some(pool) = robot.pool
        && pools::find(tx, pool).await?.is_none()
    {
        return Ok(Some(Pools::missing(desk)));
    }
    let becomes_online = robot.online && before.is_some_and(|before| !before.online);
    if becomes_online && schedules::active_of(tx, robot.id).await? > 0 {
        let (es, en) = (
            "El robot tiene programaciones activas: no puede ser online.",
            "The robot has active schedules: it cannot be online.",
        );
        return Ok(Some(conflict(lang, "ROBOT_PROGRAMADO", es, en)));
    }
    Ok(None)
}
