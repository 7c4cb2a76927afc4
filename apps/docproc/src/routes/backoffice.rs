//! The screens of the back office (§8.2).

use std::collections::BTreeSet;

use axum::{
    http::StatusCode,
    response::{IntoResponse as _, Redirect, Response},
};
use host::{Console, Failure};
use serde::Deserialize;
use utoipa_axum::router::OpenApiRouter;
use web::routing::get;
use web::{Path, Query};

use super::{
    AtDesk as _, Desk, operators,
    screens::{midnight, render},
    tasks::{Named, name_in_address},
};
use crate::{
    Context,
    pages::{
        BackofficePage, OperatorsPage, StationPage,
        backoffice::{TaskLine, team_title},
        words,
    },
    policy::Action,
    rules::assign::{KINDS, team_key, team_skill},
    store::{
        self, desk, figures,
        reviews::{self, Waiting},
    },
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .route("/backoffice", get(home))
        .route("/backoffice/siguiente", get(next))
        .route("/backoffice/solicitudes/{id}", get(of_request))
        .route("/backoffice/tareas/{id}", get(station))
        .route("/docproc/operadores", get(people))
}

/// Lists on the screen are not longer than people read.
const SHOWN: usize = 100;

/// Who speaks, which team's queue they look at, and the task to go on with once they said who they are.
#[derive(Debug, Deserialize)]
struct Looked {
    operator: Option<String>,
    queue: Option<String>,
    tarea: Option<String>,
}

async fn home(
    desk: Desk,
    console: Console,
    Query(looked): Query<Looked>,
) -> Result<Response, Failure> {
    desk.require(Action::Review)?;
    let operator = desk.operator(looked.operator.as_deref()).ok();
    let team = looked.queue.filter(|queue| !queue.is_empty()).map(|queue| team_key(&queue));
    let wanted = looked.tarea.as_deref().and_then(|id| uuid::Uuid::try_parse(id).ok());
    let page = console.page(console.lang.t("Revisión", "Review"));
    let mut tx = desk.context.store.read().await?;
    let name = operator.clone().unwrap_or_default();
    let mut mine = store::offers::own(&mut tx, &name).await?;
    mine.retain(|task| team.as_ref().is_none_or(|team| team_key(&task.queue) == *team));
    let queue = reviews::waits(&mut tx, team.as_deref()).await?;
    let waiting = reviews::count_waiting(&mut tx, team.as_deref()).await?;
    let assigned = reviews::assigned(&mut tx, team.as_deref()).await?;
    let teams = teams(&desk);
    let all = mine.iter().chain(&queue).chain(&assigned);
    let ids: Vec<String> = all.map(|task| task.request_id.clone()).collect();
    let files = figures::first_files(&mut tx, &ids).await?;
    let line =
        |task: &reviews::TaskRow| TaskLine::new(&page, task, files.get(&task.request_id).cloned());
    let others = assigned.iter().filter(|task| !task.is_with(&name));
    let known = store::operators::all(&mut tx).await?;
    let view = BackofficePage {
        mine: mine.iter().map(line).collect(),
        queue: queue.iter().take(SHOWN).map(line).collect(),
        waiting,
        others: others.take(SHOWN).map(line).collect(),
        numbers: desk::numbers(&mut tx, &name, midnight(desk.now, &page.zone)).await?,
        known: known.into_iter().map(|one| (one.username, one.display_name)).collect(),
        open: desk.is_open(),
        wanted: wanted.map(|id| id.to_string()).unwrap_or_default(),
        operator,
        teams,
        team,
        page,
    };
    render(&desk, StatusCode::OK, &view)
}

/// Queues of the workflows in force that are a team's own.
fn teams(desk: &Desk) -> Vec<String> {
    let active = desk.context.runtime.workflows.active();
    let stages = active.values().flat_map(|workflow| &workflow.stages);
    let queues = stages.filter_map(|stage| team_skill(stage.backoffice_queue.as_deref()?));
    queues.collect::<BTreeSet<_>>().into_iter().collect()
}

/// *Revisar ahora*: what of a request waits for a person.
async fn of_request(
    desk: Desk,
    Path(id): Path<String>,
    Query(named): Query<Named>,
) -> Result<Response, Failure> {
    desk.require(Action::Review)?;
    let id = desk.id(&id)?;
    let mut tx = desk.context.store.read().await?;
    let waiting = reviews::waiting(&mut tx, std::slice::from_ref(&id)).await?;
    let to = match waiting.get(&id) {
        None => format!("/docproc/solicitudes/{id}"),
        Some(Waiting { task, .. }) => match desk.operator(named.operator.as_deref()) {
            Ok(operator) => {
                let shown = desk.is_open().then_some(operator.as_str());
                format!("/backoffice/tareas/{task}{}", name_in_address(shown))
            }
            Err(_) => format!("/backoffice?tarea={task}"),
        },
    };
    Ok(Redirect::to(&to).into_response())
}

/// The station with whatever is next.
async fn next(
    desk: Desk,
    console: Console,
    Query(named): Query<Named>,
) -> Result<Response, Failure> {
    show(desk, console, named, String::new()).await
}

async fn station(
    desk: Desk,
    console: Console,
    Path(id): Path<String>,
    Query(named): Query<Named>,
) -> Result<Response, Failure> {
    let id = desk.id(&id)?;
    show(desk, console, named, id).await
}

async fn show(
    desk: Desk,
    console: Console,
    named: Named,
    wanted: String,
) -> Result<Response, Failure> {
    desk.require(Action::Review)?;
    let Ok(operator) = desk.operator(named.operator.as_deref()) else {
        return Ok(Redirect::to("/backoffice").into_response());
    };
    let page = console.page(console.lang.t("Revisión", "Review"));
    let mut tx = desk.context.store.read().await?;
    let since = midnight(desk.now, &page.zone);
    let today = desk::numbers(&mut tx, &operator, since).await?.answered;
    let view = StationPage { page, operator, open: desk.is_open(), wanted, today };
    render(&desk, StatusCode::OK, &view)
}

async fn people(desk: Desk, console: Console) -> Result<Response, Failure> {
    desk.require(Action::Staff)?;
    let page = console.page(console.lang.t("Operadores", "Operators"));
    let mut skills: Vec<(String, String)> = vec![
        (KINDS[0].to_owned(), page.t("Clasificación", "Classification").to_owned()),
        (KINDS[1].to_owned(), page.t("Extracción", "Extraction").to_owned()),
    ];
    for workflow in desk.context.runtime.workflows.active().values() {
        for word in workflow.types() {
            if skills.iter().all(|(known, _)| known != word) {
                skills.push((word.to_owned(), words::doc_type(&page, word)));
            }
        }
    }
    skills.extend(teams(&desk).into_iter().map(|team| {
        let title = format!("{} {}", page.t("Cola", "Queue"), team_title(&team));
        (team, title)
    }));
    let view = OperatorsPage { operators: operators::views(&desk).await?, skills, page };
    render(&desk, StatusCode::OK, &view)
}
