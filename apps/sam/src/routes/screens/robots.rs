//! Reads what the pages of robots show.

use axum::response::Response;
use db::{Error, Tx};
use host::{Console, Failure, edit::Editable as _};
use jiff::Timestamp;
use serde_json::json;
use web::{Page, Path, Query};

use super::{Desk, Scene, latest, render, scene, supply, suspended};
use crate::{
    decisions::robots::Robots,
    model::{Hold, Robot, RobotId, Run, RunnerId, Schedule},
    pages::{
        self, RobotPage, RobotsPage,
        robots::{Narrowed, RobotLine, ScheduleLine, TicketLine},
        runs::AssignmentLine,
        shown::Shown,
    },
    policy::{Action, can},
    routes::runs::Asked,
    rules::{calendar, why, world::Suspended},
    store::demand,
    wire::WhyView,
};

pub(super) async fn list(
    desk: Desk,
    console: Console,
    Query(wanted): Query<Narrowed>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page("Robots");
    let mut tx = desk.context.store.read().await?;
    let scene = scene(&desk, &mut tx).await?;
    let supply = supply(&desk, &scene, &mut tx).await?;
    drop(tx);
    let world = &scene.snapshot.world;
    let mut lines: Vec<RobotLine> = world
        .robots
        .values()
        .map(|robot| line(&scene, robot))
        .filter(|line| fits(&wanted, line))
        .collect();
    lines.sort_by_key(|line| line.robot.name.to_lowercase());
    let shown = Shown::cut(&mut lines, &wanted.page, |number| wanted.at(number));
    let view = RobotsPage {
        lines,
        shown,
        ever: !world.robots.is_empty(),
        supply,
        may_edit: can(desk.role, Action::Edit),
        names: scene.names,
        wanted,
        page,
    };
    render(&desk, &view)
}

fn line(scene: &Scene, robot: &Robot) -> RobotLine {
    let world = &scene.snapshot.world;
    let mine = world.assignments.iter().filter(|one| one.robot == robot.id);
    let schedules =
        world.schedules.values().filter(|one| one.robot == robot.id && one.active).count();
    RobotLine {
        pool: scene.names.pool(robot.pool),
        runners: mine.count() as i64,
        running: world.live.values().filter(|run| run.robot == robot.id).count() as i64,
        schedules: schedules as i64,
        robot: robot.clone(),
    }
}

fn fits(wanted: &Narrowed, line: &RobotLine) -> bool {
    let robot = &line.robot;
    let text =
        format!("{} {} {}", robot.id, robot.name, robot.description.as_deref().unwrap_or_default());
    let pool = robot.pool.map(|pool| pool.to_string()).unwrap_or_default();
    pages::found(&wanted.text, &text)
        && pages::passes(&wanted.active, robot.active)
        && pages::passes(&wanted.online, robot.online)
        && pages::passes(&wanted.scheduled, line.schedules > 0)
        && (wanted.pool.is_empty() || wanted.pool == pool)
}

pub(super) async fn one(
    desk: Desk,
    console: Console,
    Path(id): Path<i64>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut page = console.page("Robot");
    let mut tx = desk.context.store.read().await?;
    let scene = scene(&desk, &mut tx).await?;
    let world = &scene.snapshot.world;
    let id = RobotId(id);
    let robot = world.robots.get(&id).cloned();
    let answer = why::robot(&scene.snapshot, id, desk.now);
    let (Some(robot), Some(answer)) = (robot, answer) else {
        return Err(Robots::missing(&desk).into());
    };
    page.title = format!("Robot {}", robot.name);
    let subject = json!({ "tipo": "robot", "id": id.0, "robot": robot.name });
    let asked = Asked { robot_id: Some(id.0), ..Asked::default() };
    let mine = world.assignments.iter().filter(|one| one.robot == id);
    let touches = |what: &Suspended| match what {
        Suspended::Robot(robot) | Suspended::Pair(robot, _) => *robot == id,
        Suspended::Runner(_) => false,
    };
    let view = RobotPage {
        pool: scene.names.pool(robot.pool),
        answer: WhyView::new(subject, &answer, &desk.context.zone, desk.lang),
        schedules: schedules(&page, &scene, |one| one.robot == id, desk.now),
        assignments: mine.map(|one| AssignmentLine::new(&page, &scene.names, one)).collect(),
        runs: latest(&mut tx, &page, &scene.names, &asked).await?,
        tickets: tickets(&mut tx, &scene, Some(id)).await?,
        suspensions: suspended(world, touches, desk.now, desk.lang),
        may_edit: can(desk.role, Action::Edit),
        may_operate: can(desk.role, Action::Operate),
        names: scene.names,
        robot,
        page,
    };
    render(&desk, &view)
}

/// Schedules with their sentence, their next start and their runners.
pub(super) fn schedules(
    page: &Page,
    scene: &Scene,
    wanted: impl Fn(&Schedule) -> bool,
    now: Timestamp,
) -> Vec<ScheduleLine> {
    let world = &scene.snapshot.world;
    let zone = &world.policy.zone;
    let told = world.schedules.values().filter(|one| wanted(one)).map(|one| {
        let named = || world.assignments.iter().filter(|at| at.schedule == Some(one.id));
        let own = |run: &Run| run.robot == one.robot;
        let busy = |runner: RunnerId| world.live.get(&runner).is_some_and(own);
        let runners = named().map(|at| at.runner);
        let ended = |runner: RunnerId| world.ended.get(&(one.robot, runner)).copied();
        let rested = calendar::rested(one, runners, busy, ended, now);
        let next = calendar::next_run(one, world.holidays(one), zone, rested, now);
        ScheduleLine {
            id: one.id.0,
            robot: one.robot.0,
            robot_name: scene.names.robot(one.robot),
            sentence: page.lang.say(&calendar::sentence(one)).to_owned(),
            next,
            runners: named()
                .filter(|at| at.hold == Hold::Scheduled)
                .map(|at| scene.names.runner(at.runner))
                .collect(),
            active: one.active,
            version: one.version,
        }
    });
    told.collect()
}

/// What providers said last, of one robot or of all.
pub(super) async fn tickets(
    tx: &mut Tx,
    scene: &Scene,
    robot: Option<RobotId>,
) -> Result<Vec<TicketLine>, Error> {
    let lines = demand::lines(tx).await?.into_iter();
    let told = lines.filter(|line| robot.is_none_or(|robot| robot == line.robot)).map(|line| {
        let robot_name = scene.names.robot(line.robot);
        TicketLine {
            robot: line.robot.0,
            robot_name,
            provider: line.provider,
            pending: line.pending,
            at: line.at,
        }
    });
    Ok(told.collect())
}
