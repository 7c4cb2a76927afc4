//! Reads what the page of the balancer shows.

use std::collections::BTreeMap;

use axum::response::Response;
use host::{Console, Failure};
use serde::Deserialize;
use web::Query;

use super::{Desk, render, robots::tickets, scene};
use crate::{
    model::RobotId,
    pages::{
        self, BalancePage, SimulatePage,
        balance::{MoveLine, SupposedLine, action},
        words,
    },
    policy::{Action, Isolation, Preemption},
    routes::balance::{Supposed, suppose},
    rules::balance::Demand,
    store::moves,
    wire::MoveView,
};

const SHOWN: i64 = 50;

#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    robot_id: Option<String>,
    cursor: Option<i64>,
}

pub(super) async fn log(
    desk: Desk,
    console: Console,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Balanceador", "Balancer"));
    let robot = wanted.robot_id.unwrap_or_default();
    let mut tx = desk.context.store.read().await?;
    let scene = scene(&desk, &mut tx).await?;
    let of = robot.parse().ok().map(RobotId);
    let mut kept = moves::page(&mut tx, of, wanted.cursor, SHOWN + 1).await?;
    let more = kept.len() as i64 > SHOWN;
    kept.truncate(SHOWN as usize);
    let last = kept.last().map(|one| one.id.to_string()).filter(|_| more);
    let names = &scene.names;
    let moves = kept.iter().map(|one| MoveLine {
        id: one.id,
        at: one.at,
        pool: names.pool(one.pool),
        robot: one.robot.0,
        robot_name: names.robot(one.robot),
        runner: one.runner.0,
        runner_name: names.runner(one.runner),
        sign: action(&page, &one.action),
        motive: words::motive(&page, &one.motive),
        sum: MoveView::new(one, desk.lang).justificacion,
    });
    let view = BalancePage {
        moves: moves.collect(),
        next: last.map(|cursor| {
            pages::address("/sam/balanceador", &[("robot_id", &robot), ("cursor", &cursor)])
        }),
        tickets: tickets(&mut tx, &scene, of).await?,
        names: scene.names,
        robot,
        page,
    };
    render(&desk, &view)
}

/// The fields of the form: `t7=25` for the tickets of robot 7, and the switches.
pub(super) async fn simulate(
    desk: Desk,
    console: Console,
    Query(asked): Query<BTreeMap<String, String>>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Simular el balanceo", "Simulate balancing"));
    let mut tx = desk.context.store.read().await?;
    let scene = scene(&desk, &mut tx).await?;
    drop(tx);
    let mut snapshot = scene.snapshot;
    let policy = &snapshot.world.policy;
    let told = asked.contains_key("supuesto");
    let switch = |name: &str, now: bool| if told { asked.contains_key(name) } else { now };
    let strict = switch("estricto", policy.isolation == Isolation::Strict);
    let preemption = switch("desalojo", policy.preemption != Preemption::Off);
    let cooling = switch("enfriamiento", false);
    let mut robots = Vec::new();
    for robot in snapshot.world.robots.values().filter(|one| one.online) {
        if let Some(text) = asked.get(&format!("t{}", robot.id)) {
            // What is no number of tickets is a demand that is not known.
            let tickets = text.trim().parse().ok().filter(|n| (0..=10_000_000).contains(n));
            snapshot.demand.insert(robot.id, tickets.map_or(Demand::Unknown, Demand::Known));
        }
        robots.push(SupposedLine {
            id: robot.id.0,
            name: robot.name.clone(),
            pool: scene.names.pool(robot.pool),
            priority: robot.priority,
            tickets: match snapshot.demand.get(&robot.id) {
                Some(Demand::Known(n)) => n.to_string(),
                Some(Demand::Unknown) => String::new(),
                None => "0".to_owned(),
            },
        });
    }
    robots.sort_by_key(|one| (one.priority, one.id));
    let supposed = Supposed {
        tickets: BTreeMap::new(),
        aislamiento_estricto: Some(strict),
        preemption: Some(preemption),
        ignorar_enfriamiento: Some(!cooling),
    };
    let result = suppose(snapshot, &supposed, desk.now, desk.lang);
    let names = scene.names;
    render(&desk, &SimulatePage { page, names, robots, strict, preemption, cooling, result })
}
