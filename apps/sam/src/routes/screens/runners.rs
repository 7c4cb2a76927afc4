//! Reads what the pages of runners show.

use axum::response::Response;
use host::{Console, Failure, edit::Editable as _};
use serde_json::json;
use web::{Page, Path, Query};

use super::{Desk, Scene, latest, render, scene, supply, suspended};
use crate::{
    decisions::runners::Runners,
    model::{Hold, Runner, RunnerId},
    pages::{
        self, RunnerPage, RunnersPage,
        runners::{Narrowed, RunnerLine},
        runs::{AssignmentLine, RunLine},
        shown::Shown,
    },
    policy::{Action, can},
    routes::runs::Asked,
    rules::{why, world::Suspended},
    wire::WhyView,
};

pub(super) async fn list(
    desk: Desk,
    console: Console,
    Query(wanted): Query<Narrowed>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Equipos", "Runners"));
    let mut tx = desk.context.store.read().await?;
    let scene = scene(&desk, &mut tx).await?;
    let supply = supply(&desk, &scene, &mut tx).await?;
    drop(tx);
    let world = &scene.snapshot.world;
    let mut lines: Vec<RunnerLine> = world
        .runners
        .values()
        .map(|runner| line(&page, &scene, runner))
        .filter(|line| fits(&wanted, line))
        .collect();
    lines.sort_by(|a, b| a.runner.name.cmp(&b.runner.name));
    let shown = Shown::cut(&mut lines, &wanted.page, |number| wanted.at(number));
    let view = RunnersPage {
        lines,
        shown,
        ever: !world.runners.is_empty(),
        supply,
        may_edit: can(desk.role, Action::Edit),
        names: scene.names,
        wanted,
        page,
    };
    render(&desk, &view)
}

fn line(page: &Page, scene: &Scene, runner: &Runner) -> RunnerLine {
    let world = &scene.snapshot.world;
    let mine: Vec<_> = world.assignments.iter().filter(|one| one.runner == runner.id).collect();
    RunnerLine {
        pool: scene.names.pool(runner.pool),
        scheduled: mine.iter().any(|one| one.hold == Hold::Scheduled),
        assignments: mine
            .into_iter()
            .map(|one| AssignmentLine::new(page, &scene.names, one))
            .collect(),
        run: world.live.get(&runner.id).map(|run| RunLine::new(page, &scene.names, run)),
        runner: runner.clone(),
    }
}

fn fits(wanted: &Narrowed, line: &RunnerLine) -> bool {
    let runner = &line.runner;
    let user = runner.user_name.as_deref().unwrap_or_default();
    let text = format!("{} {} {user}", runner.id, runner.name);
    let pool = runner.pool.map(|pool| pool.to_string()).unwrap_or_default();
    pages::found(&wanted.text, &text)
        && pages::passes(&wanted.active, runner.active)
        && pages::passes(&wanted.busy, line.run.is_some())
        && pages::passes(&wanted.balanced, runner.dynamic && !line.scheduled)
        && (wanted.pool.is_empty() || wanted.pool == pool)
}

pub(super) async fn one(
    desk: Desk,
    console: Console,
    Path(id): Path<i64>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut page = console.page(console.lang.t("Equipo", "Runner"));
    let mut tx = desk.context.store.read().await?;
    let scene = scene(&desk, &mut tx).await?;
    let world = &scene.snapshot.world;
    let id = RunnerId(id);
    let answer = why::runner(world, id, desk.now);
    let (Some(runner), Some(answer)) = (world.runners.get(&id), answer) else {
        return Err(Runners::missing(&desk).into());
    };
    page.title = format!("{} {}", page.title, runner.name);
    let line = line(&page, &scene, runner);
    let subject = json!({ "tipo": "equipo", "id": id.0, "equipo": runner.name });
    let asked = Asked { equipo_id: Some(id.0), ..Asked::default() };
    let touches = |what: &Suspended| match what {
        Suspended::Runner(runner) | Suspended::Pair(_, runner) => *runner == id,
        Suspended::Robot(_) => false,
    };
    let view = RunnerPage {
        answer: WhyView::new(subject, &answer, &desk.context.zone, desk.lang),
        assignments: line.assignments.clone(),
        runs: latest(&mut tx, &page, &scene.names, &asked).await?,
        suspensions: suspended(world, touches, desk.now, desk.lang),
        may_edit: can(desk.role, Action::Edit),
        may_operate: can(desk.role, Action::Operate),
        names: scene.names,
        line,
        page,
    };
    render(&desk, &view)
}
