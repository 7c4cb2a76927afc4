//! Gathers what the pages of runs show.

use axum::response::Response;
use engine::Roles as _;
use engine::Word as _;
use host::{Console, Failure};
use serde::Deserialize;
use web::{Path, Query};

use super::{Desk, names, render};
use crate::{
    model::{JobType, NodeId, OltId, RunId, RunState},
    pages::{
        runs::{Narrowed, RunLine, RunPage, RunsPage},
        words,
    },
    policy::Action,
    routes::{missing, runs::RUN},
    rules::why,
    store::{runs, world},
};

const SHOWN: usize = 50;

#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    nodo_id: Option<String>,
    olt_id: Option<String>,
    status: Option<String>,
    job_type: Option<String>,
    cursor: Option<String>,
}

pub(super) async fn list(
    desk: Desk,
    console: Console,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Ejecuciones", "Runs"));
    let cursor = wanted.cursor.and_then(|cursor| cursor.parse().ok());
    let wanted = Narrowed {
        node: wanted.nodo_id.unwrap_or_default(),
        olt: wanted.olt_id.unwrap_or_default(),
        state: wanted.status.unwrap_or_default(),
        job: wanted.job_type.unwrap_or_default(),
    };
    // What names nothing narrows nothing: an empty choice of the form arrives as "".
    let filter = runs::Filter {
        node: wanted.node.parse().ok().map(NodeId),
        olt: wanted.olt.parse().ok().map(OltId),
        state: RunState::from_word(&wanted.state),
        job: JobType::from_word(&wanted.job),
        since: None,
        before: cursor.map(RunId),
    };
    let mut tx = desk.context.store.read().await?;
    let mut found = runs::list(&mut tx, &filter, SHOWN as i64 + 1).await?;
    let more = found.len() > SHOWN;
    found.truncate(SHOWN);
    let last = found.last().map(|told| told.run.id.to_string()).filter(|_| more);
    let names = names(&mut tx).await?;
    let view = RunsPage {
        lines: found.iter().map(|told| RunLine::new(&page, &names, told)).collect(),
        next: last.map(|cursor| wanted.address(&cursor)),
        may_operate: desk.role.can(Action::Operate),
        wanted,
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
    let page = console.page(&format!("{} {id}", console.lang.t("Ejecución", "Run")));
    let mut tx = desk.context.store.read().await?;
    let told = runs::one(&mut tx, RunId(id)).await?.ok_or_else(|| missing(desk.lang, RUN))?;
    let names = names(&mut tx).await?;
    let mut reasons = Vec::new();
    if told.run.state == RunState::Pending {
        let world = world::load(&desk.context, &mut tx, desk.now).await?;
        let answer = why::run(&world, told.run.id, desk.now);
        let held = answer.map(|answer| answer.reasons).unwrap_or_default();
        reasons.extend(held.iter().map(|reason| {
            let sentence = reason.sentence(&desk.context.zone);
            (reason.code(), desk.lang.say(&sentence).to_owned())
        }));
    }
    let followers = runs::followers(&mut tx, told.run.id).await?;
    let view = RunPage {
        line: RunLine::new(&page, &names, &told),
        olt_name: names.olt(told.run.olt),
        reasons,
        followers: followers.iter().map(|run| (run.id.0, words::state(&page, run.state))).collect(),
        may_operate: desk.role.can(Action::Operate),
        told,
        page,
    };
    render(&desk, &view)
}
