//! The balancer's tick: sample the demand, then move what has to move, all at once.

use std::collections::{BTreeSet, HashMap};

use db::{Decision, Error};
use engine::Word as _;
use host::Context;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{demand, emit};
use crate::{
    model::{Hold, RobotId},
    room::stir,
    rules::balance::{self, Arithmetic, Balance, Snapshot},
    store::{self, assignments, moves, policy, pools, world},
};

pub const TICK: &str = "sam.balanceador";

pub async fn tick(context: Context, now: Timestamp) -> Result<(), Error> {
    demand::sample(&context, now).await?;
    // Most looks find nothing to move: they take no lock.
    let mut tx = context.store.read().await?;
    let snapshot = world::balance(&context, &mut tx, now).await?;
    drop(tx);
    if balance::plan(&snapshot, now).moves.is_empty() {
        return Ok(());
    }
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let snapshot = world::balance(&context, &mut decision.tx, now).await?;
    let plan = balance::plan(&snapshot, now);
    apply(&mut decision, &snapshot, &plan).await?;
    decision.commit().await?;
    metrics::counter!("sam_balance_moves_total").increment(plan.moves.len() as u64);
    stir(&context);
    Ok(())
}

pub async fn period(context: Context) -> Result<SignedDuration, Error> {
    let mut tx = context.store.read().await?;
    let values = context.settings.load(&mut tx, crate::NAME).await?;
    Ok(SignedDuration::from_secs(values.int(policy::BALANCE_EVERY)?))
}

async fn apply(decision: &mut Decision, before: &Snapshot, plan: &Balance) -> Result<(), Error> {
    let now = decision.now;
    let sums: HashMap<RobotId, &Arithmetic> =
        plan.robots.iter().map(|sum| (sum.robot, sum)).collect();
    let released: Vec<_> = plan
        .moves
        .iter()
        .filter(|one| !one.motive.assigns())
        .map(|one| (one.robot, one.runner))
        .collect();
    assignments::release(&mut decision.tx, &released).await?;
    let mut pools = BTreeSet::new();
    for one in &plan.moves {
        let robot = before.world.robots.get(&one.robot);
        let runner = before.world.runners.get(&one.runner);
        pools.extend(robot.map(|robot| robot.pool));
        pools.extend(runner.map(|runner| runner.pool));
        if one.motive.assigns() {
            let new = assignments::New {
                robot: one.robot,
                runner: one.runner,
                hold: Hold::Dynamic,
                schedule: None,
                by: one.motive.word(),
            };
            assignments::insert(&mut decision.tx, &new, now).await?;
        }
    }
    pools::changed(&mut decision.tx, &pools, now).await?;
    let lines: Vec<_> =
        plan.moves.iter().filter_map(|one| Some((one, *sums.get(&one.robot)?))).collect();
    moves::record(&mut decision.tx, &lines, now).await?;
    for pool in pools {
        let data = json!({ "pool_id": pool.map(|pool| pool.0), "cambios": plan.moves.len() });
        let subject = format!("pool/{}", pool.map_or(0, |pool| pool.0));
        emit(decision, "balanceo:aplicado", subject, data);
    }
    Ok(())
}
