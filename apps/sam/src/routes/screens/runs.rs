//! Reads what the pages of runs show.

use axum::response::Response;
use engine::Word as _;
use host::{Console, Failure};
use serde::Deserialize;
use web::{Path, Query};

use super::{Desk, names, render};
use crate::{
    decisions::runs::missing,
    model::{RunId, RunState},
    pages::{
        RunPage, RunsPage,
        runs::{Narrowed, RunLine},
    },
    policy::{Action, can},
    routes::runs::{Asked, output},
    store::runs,
};

const SHOWN: i64 = 50;
/// Of what a bot gave back.
const OUTPUT: usize = 8_000;

fn bounded(text: &str) -> String {
    let mut shown: String = text.chars().take(OUTPUT).collect();
    if text.chars().nth(OUTPUT).is_some() {
        shown.push('…');
    }
    shown
}

#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    robot_id: Option<String>,
    equipo_id: Option<String>,
    estado: Option<String>,
    activas: Option<String>,
    cursor: Option<String>,
}

pub(super) async fn list(
    desk: Desk,
    console: Console,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Ejecuciones", "Runs"));
    let narrowed = Narrowed {
        robot: wanted.robot_id.unwrap_or_default(),
        runner: wanted.equipo_id.unwrap_or_default(),
        state: wanted.estado.unwrap_or_default(),
        live: wanted.activas.unwrap_or_default(),
    };
    // What is not a number or a state narrows nothing: an empty choice of the form arrives as "".
    let asked = Asked {
        robot_id: narrowed.robot.parse().ok(),
        equipo_id: narrowed.runner.parse().ok(),
        activas: narrowed.live.parse().ok(),
        estado: RunState::from_word(&narrowed.state).map(|_| narrowed.state.clone()),
        limit: None,
        cursor: wanted.cursor.and_then(|cursor| cursor.parse().ok()),
    };
    let mut tx = desk.context.store.read().await?;
    let mut found = runs::page(&mut tx, &asked.narrowing(), SHOWN + 1).await?;
    let more = found.len() as i64 > SHOWN;
    found.truncate(SHOWN as usize);
    let last = found.last().map(|run| run.id.to_string()).filter(|_| more);
    let names = names(&mut tx).await?;
    let view = RunsPage {
        lines: found.iter().map(|run| RunLine::new(&page, &names, run)).collect(),
        next: last.map(|cursor| narrowed.address(&cursor)),
        may_operate: can(desk.role, Action::Operate),
        wanted: narrowed,
        names,
        page,
    };
    render(&desk, &view)
}

pub(super) async fn one(
    desk: Desk,
    console: Console,
    Path(id): Path<i64>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let run = runs::find(&mut tx, RunId(id)).await?.ok_or_else(|| missing(&desk))?;
    let steps = runs::steps(&mut tx, run.id).await?;
    let output = output(runs::callback(&mut tx, run.id).await?);
    let output = output.and_then(|given| serde_json::to_string_pretty(&given).ok());
    let names = names(&mut tx).await?;
    let robot = names.robot(run.robot);
    let page = console.page(&format!("{} {id} · {robot}", console.lang.t("Ejecución", "Run")));
    let view = RunPage {
        output: output.map(|text| bounded(&text)),
        line: RunLine::new(&page, &names, &run),
        run,
        steps,
        may_operate: can(desk.role, Action::Operate),
        page,
    };
    render(&desk, &view)
}
