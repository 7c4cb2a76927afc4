//! The balancer's tick: sample the demand, then move what has to move, all at once.

use std::collections::{BTreeSet, HashMap};

use db::{Decision, Error, Slice, Tx};
use engine::Word as _;
use host::Next;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{demand, emit, launch, settings};
use crate::{
    Context,
    model::{Hold, RobotId},
    rules::balance::{self, Arithmetic, Move, Snapshot},
    store::{self, assignments, moves, policy, pools, robots, world},
};

pub const TICK: &str = "sam.balanceador";

/// Everything the balancer looks at.
struct Balancing<'a> {
    context: &'a Context,
}

impl Slice for Balancing<'_> {
    type Snapshot = Snapshot;
    type Change = Move;

    async fn load(&self, tx: &mut Tx, now: Timestamp) -> Result<Snapshot, Error> {
        world::balance(self.context, tx, now).await
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        snapshot: &Snapshot,
        change: &Move,
    ) -> Result<(), Error> {
        self.apply_all(decision, snapshot, std::slice::from_ref(change)).await
    }

    async fn apply_all(
        &self,
        decision: &mut Decision,
        before: &Snapshot,
        changes: &[Move],
    ) -> Result<(), Error> {
        let now = decision.now;
        let released = changes.iter().filter(|one| !one.motive.assigns());
        let released: Vec<_> = released.map(|one| (one.robot, one.runner)).collect();
        assignments::release(&mut decision.tx, &released).await?;
        let mut pools = BTreeSet::new();
        for one in changes {
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
        for pool in pools {
            let data = json!({ "pool_id": pool.map(|pool| pool.0), "cambios": changes.len() });
            let subject = format!("pool/{}", pool.map_or(0, |pool| pool.0));
            emit(decision, "balanceo:aplicado", subject, data);
        }
        Ok(())
    }
}

pub async fn tick(context: Context, now: Timestamp) -> Next {
    let values = settings(&context).await?;
    let slice = Balancing { context: &context };
    let mut tx = context.store.read().await?;
    let idle = robots::all(&mut tx).await?.is_empty();
    drop(tx);
    if idle {
        context.runtime.idle(TICK);
        return Ok(None);
    }
    let every = SignedDuration::from_secs(values.int(policy::BALANCE_EVERY)?);
    if let Some(until) = context.runtime.wait(TICK, every, now) {
        return Ok(Some(until));
    }
    demand::sample(&context, &values, now).await?;
    balance(&slice, now).await?;
    Ok(Some(now + every))
}

/// Most looks find nothing to move: they take no lock.
async fn balance(slice: &Balancing<'_>, now: Timestamp) -> Result<(), Error> {
    let mut tx = slice.context.store.read().await?;
    let snapshot = slice.load(&mut tx, now).await?;
    drop(tx);
    if balance::plan(&snapshot, now).moves.is_empty() {
        return Ok(());
    }
    let mut decision = slice.context.store.decide(&store::scope(), now).await?;
    let plan = decision.plan(slice, |snapshot| balance::plan(snapshot, now)).await?.plan;
    let sums: HashMap<RobotId, &Arithmetic> =
        plan.robots.iter().map(|sum| (sum.robot, sum)).collect();
    let lines: Vec<_> =
        plan.moves.iter().filter_map(|one| Some((one, *sums.get(&one.robot)?))).collect();
    moves::record(&mut decision.tx, &lines, now).await?;
    decision.wake(launch::TICK);
    decision.commit().await?;
    metrics::counter!("sam_balance_moves_total").increment(plan.moves.len() as u64);
    Ok(())
}
