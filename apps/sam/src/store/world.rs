//! The world as one transaction sees it.

use std::collections::{BTreeMap, HashMap, HashSet};

use db::{Error, Tx};
use host::Context;
use jiff::{SignedDuration, Timestamp, civil::Date};

use super::{
    assignments, calendars, circuit, demand, outcomes, policy, pools, robots, runners, runs,
    schedules, slots, suspensions,
};
use crate::{
    model::{RobotId, RunnerId, ScheduleId},
    rules::{balance, world::World},
};

/// As far back as the window of a slot may reach, with room to spare.
const REACH: SignedDuration = SignedDuration::from_hours(72);

pub async fn load(context: &Context, tx: &mut Tx, now: Timestamp) -> Result<World, Error> {
    let values = context.settings.load(tx, crate::NAME).await?;
    let mut world = World::new(policy::from_values(&values, &context.zone)?);
    let (breaker, looked_at) = circuit::load(tx, policy::is_configured(&values)?).await?;
    world.circuit = breaker;
    world.looked_at = looked_at;
    world.robots = by_id(robots::all(tx).await?, |one| one.id);
    world.runners = by_id(runners::all(tx).await?, |one| one.id);
    world.schedules = by_id(schedules::all(tx).await?, |one| one.id);
    world.calendars = by_id(calendars::all(tx).await?, |one| one.id);
    world.assignments = assignments::all(tx).await?;
    world.live = runs::live(tx).await?.into_iter().map(|run| (run.runner, run)).collect();
    world.taken = taken(tx, now - REACH).await?;
    world.retries = outcomes::retries(tx, now - REACH).await?;
    world.done = outcomes::done(tx, now - REACH).await?;
    let pools = pools::all(tx).await?;
    world.stopped = pools.iter().filter(|pool| !pool.active).map(|pool| pool.id).collect();
    world.ended = ended(tx).await?;
    world.suspensions = suspensions::all(tx).await?;
    let reach = looked_at.unwrap_or(now).min(now - REACH);
    world.slots = slots::since(tx, reach).await?;
    Ok(world)
}

/// The world with demand and cooling, for the balancer.
pub async fn balance(
    context: &Context,
    tx: &mut Tx,
    now: Timestamp,
) -> Result<balance::Snapshot, Error> {
    let world = load(context, tx, now).await?;
    Ok(balance::Snapshot {
        demand: demand::load(tx, world.policy.demand_valid, now).await?,
        changed: pools::changes(tx).await?,
        stopped: world.stopped.iter().copied().collect(),
        world,
    })
}

fn by_id<K: Ord, V>(all: Vec<V>, id: impl Fn(&V) -> K) -> BTreeMap<K, V> {
    all.into_iter().map(|one| (id(&one), one)).collect()
}

async fn taken(
    tx: &mut Tx,
    since: Timestamp,
) -> Result<HashSet<(ScheduleId, RunnerId, Date)>, Error> {
    let sql = "SELECT schedule_id, runner_id, slot FROM runs
               WHERE slot_taken AND claimed_at >= $1";
    let rows = tx.all(sql, &[since.into()]).await?;
    rows.iter()
        .map(|row| {
            let date: String = row.get("slot")?;
            let date = date.parse().map_err(|_| Error::corrupt(format!("slot = {date:?}")))?;
            Ok((ScheduleId(row.get("schedule_id")?), RunnerId(row.get("runner_id")?), date))
        })
        .collect()
}

/// Pairs that rest between runs: when their last one ended.
pub async fn ended(tx: &mut Tx) -> Result<HashMap<(RobotId, RunnerId), Timestamp>, Error> {
    let sql = "SELECT a.robot_id, a.runner_id, (SELECT MAX(r.finished_at) FROM runs r
                 WHERE r.robot_id = a.robot_id AND r.runner_id = a.runner_id) AS at
               FROM assignments a JOIN schedules s ON s.id = a.schedule_id
               WHERE s.cyclic AND s.active AND s.interval_minutes IS NOT NULL";
    let rows = tx.all(sql, &[]).await?;
    let mut ended = HashMap::new();
    for row in rows {
        if let Some(at) = row.maybe("at")? {
            ended.insert((RobotId(row.get("robot_id")?), RunnerId(row.get("runner_id")?)), at);
        }
    }
    Ok(ended)
}
