//! Reads what the page of pools shows.

use axum::response::Response;
use host::{Console, Failure};
use web::{Page, Tone};

use super::{Desk, Scene, render, scene};
use crate::{
    model::{Pool, PoolId, Robot, Runner},
    pages::{
        PoolsPage,
        pools::{Member, PoolCard},
        words::Sign,
    },
    policy::{Action, can},
    rules::balance,
};

pub(super) async fn show(desk: Desk, console: Console) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page("Pools");
    let mut tx = desk.context.store.read().await?;
    let scene = scene(&desk, &mut tx).await?;
    drop(tx);
    let mut pools: Vec<PoolCard> =
        scene.pools.iter().map(|pool| card(&page, &scene, Some(pool))).collect();
    let apart = card(&page, &scene, None);
    if !apart.robots.is_empty() || !apart.runners.is_empty() {
        pools.push(apart);
    }
    let policy = &scene.snapshot.world.policy;
    let view = PoolsPage {
        isolation: policy.isolation,
        preemption: policy.preemption,
        may_edit: can(desk.role, Action::Edit),
        may_configure: can(desk.role, Action::Configure),
        names: scene.names,
        pools,
        page,
    };
    render(&desk, &view)
}

fn card(page: &Page, scene: &Scene, pool: Option<&Pool>) -> PoolCard {
    let world = &scene.snapshot.world;
    let id: Option<PoolId> = pool.map(|pool| pool.id);
    let robots = world.robots.values().filter(|one| one.pool == id);
    let runners = world.runners.values().filter(|one| one.pool == id);
    let mut robots: Vec<Member> = robots.map(|one| robot(page, one)).collect();
    let mut runners: Vec<Member> = runners.map(|one| runner(page, scene, one)).collect();
    robots.sort_by(|a, b| a.name.cmp(&b.name));
    runners.sort_by(|a, b| a.name.cmp(&b.name));
    PoolCard {
        id: id.map(|id| id.0),
        name: pool
            .map_or_else(|| page.t("Sin pool", "No pool").to_owned(), |pool| pool.name.clone()),
        description: pool.and_then(|pool| pool.description.clone()).unwrap_or_default(),
        active: pool.is_none_or(|pool| pool.active),
        version: pool.map_or(0, |pool| pool.version),
        cooling: balance::cooling(&scene.snapshot, id, page.now),
        robots,
        runners,
    }
}

fn robot(page: &Page, one: &Robot) -> Member {
    let sign = match (one.active, one.online) {
        (false, _) => Sign::new(page.t("inactivo", "inactive"), Tone::Plain),
        (true, true) => {
            Sign::new(format!("{} {}", page.t("prioridad", "priority"), one.priority), Tone::Info)
        }
        (true, false) => Sign::new(page.t("programado", "scheduled"), Tone::Plain),
    };
    Member { id: one.id.0, name: one.name.clone(), version: one.version, sign }
}

fn runner(page: &Page, scene: &Scene, one: &Runner) -> Member {
    let busy = scene.snapshot.world.live.contains_key(&one.id);
    let sign = match (one.active, busy) {
        (false, _) => Sign::new(page.t("mantenimiento", "maintenance"), Tone::Warn),
        (true, true) => Sign::new(page.t("ocupado", "busy"), Tone::Info),
        (true, false) => Sign::new(page.t("libre", "free"), Tone::Good),
    };
    Member { id: one.id.0, name: one.name.clone(), version: one.version, sign }
}
