//! Gathers what the pages of runs show.

use axum::response::Response;
use engine::Roles as _;
use engine::Word as _;
use host::{Console, Failure, Listed};
use web::{Path, Query};

use super::{Desk, names, render};
use crate::{
    decisions::{catalogue::views as oids, runs::missing},
    model::{JobType, NodeId, OltId, RunId, RunState},
    pages::{
        Asked, Reads,
        runs::{RunLine, RunPage, RunsPage},
        words,
    },
    policy::Action,
    rules::why,
    store::{nodes, runs, world},
};

const SHOWN: usize = 50;

#[derive(Debug)]
pub(super) struct List;

impl Reads for List {
    const NAMES: &'static [&'static str] = &["olt_id", "nodo_id", "status", "job_type", "cursor"];
}

pub(super) async fn list(
    desk: Desk,
    console: Console,
    Query(Asked(wanted, _)): Query<Asked<List>>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Ejecuciones", "Runs"));
    let filter = runs::Filter {
        node: wanted.number("nodo_id").map(NodeId),
        olt: wanted.number("olt_id").map(OltId),
        state: RunState::from_word(wanted.of("status")),
        job: JobType::from_word(wanted.of("job_type")),
        since: None,
        before: wanted.number("cursor").map(RunId),
    };
    let mut tx = desk.context.store.read().await?;
    let found = runs::list(&mut tx, &filter, SHOWN as i64 + 1).await?;
    let Listed { items: found, next } = Listed::page(found, SHOWN, |told| told.run.id.0);
    let names = names(&mut tx).await?;
    let view = RunsPage {
        lines: found.iter().map(|told| RunLine::new(&page, &names, told)).collect(),
        next: next.map(|cursor| wanted.after("/coordinador/ejecuciones", &cursor.to_string())),
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
    let mut page = console.page(&format!("{} {id}", console.lang.t("Ejecución", "Run")));
    let mut tx = desk.context.store.read().await?;
    let told = runs::one(&mut tx, RunId(id)).await?.ok_or_else(|| missing(desk.lang))?;
    let names = names(&mut tx).await?;
    page.title = format!("{} · {}", page.title, names.node(told.run.node));
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
    let node = nodes::find(&mut tx, told.run.node).await?;
    let oid = node.and_then(|node| node.oid).map(|oid| oid.to_string());
    let units = oids(&mut tx).await?;
    let unit = units.iter().find(|one| Some(&one.oid) == oid.as_ref());
    let view = RunPage {
        unit: unit.and_then(|one| one.unidad),
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
