//! The launcher's tick: plan, claim, and leave the deploys to their driver.

use db::{Decision, Error, Slice, Tx, effects::NewEffect};
use host::Context;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{emit, runs as closing};
use crate::{
    room::Room,
    rules::{
        launch::{self, Change, Launch},
        world::World,
    },
    store::{self, circuit, policy, runs, slots, world},
};

pub const TICK: &str = "sam.lanzador";

/// How old the mark of the last look may grow while nothing happens.
const MARK: SignedDuration = SignedDuration::from_mins(5);

/// Everything the launcher looks at.
struct LaunchSlice<'a> {
    context: &'a Context,
}

impl Slice for LaunchSlice<'_> {
    type Snapshot = World;
    type Change = Change;

    async fn load(&self, tx: &mut Tx, now: Timestamp) -> Result<World, Error> {
        world::load(self.context, tx, now).await
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        world: &World,
        change: &Change,
    ) -> Result<(), Error> {
        let now = decision.now;
        match change {
            Change::Free { runner, .. } => {
                let run = world.live.get(runner).ok_or_else(|| Error::corrupt("no such run"))?;
                closing::lost(decision, run).await
            }
            Change::Launch(launch) => claim(decision, world, launch).await,
            Change::Wait { slot, reason } => {
                slots::note(&mut decision.tx, slot, reason, false, now).await
            }
            Change::Miss { slot, reason } => {
                slots::note(&mut decision.tx, slot, reason, true, now).await?;
                metrics::counter!("sam_slots_missed_total").increment(1);
                let data = json!({
                    "programacion_id": slot.schedule.0, "equipo_id": slot.runner.0,
                    "turno": slot.slot.start.to_string(),
                });
                emit(decision, "turno:perdido", format!("programacion/{}", slot.schedule), data);
                Ok(())
            }
        }
    }
}

/// Claim first (spec rule 3): the run exists before anything is asked of the Control Room.
async fn claim(decision: &mut Decision, world: &World, launch: &Launch) -> Result<(), Error> {
    let runner = world.runners.get(&launch.runner);
    let robot = world.robots.get(&launch.robot);
    let (Some(runner), Some(robot)) = (runner, robot) else {
        return Err(Error::corrupt("a launch without robot or runner"));
    };
    let repetitions = crate::wire::repetitions(robot, world.policy.repetitions);
    let now = decision.now;
    let id = runs::claim(&mut decision.tx, launch, runner.user_id, repetitions, now).await?;
    decision.effect(NewEffect {
        app: crate::NAME,
        kind: super::deploy::KIND,
        key: format!("sam/deploy/{id}/{}", now.as_microsecond()),
        payload: json!({ "run": id.0 }),
    });
    metrics::counter!("sam_launches_total").increment(1);
    let data = json!({
        "ejecucion_id": id.0, "robot_id": launch.robot.0, "equipo_id": launch.runner.0,
        "estado": "PENDING_EXECUTION",
    });
    emit(decision, "ejecucion:creada", format!("ejecucion/{id}"), data);
    Ok(())
}

/// Looks without a lock first: most looks find nothing to do.
pub async fn tick(context: Context, now: Timestamp) -> Result<(), Error> {
    let room = context.shared::<Room>();
    room.look();
    let mut tx = context.store.read().await?;
    let world = world::load(&context, &mut tx, now).await?;
    drop(tx);
    let plan = launch::plan(&world, now);
    gauges(&world);
    let stale = world.looked_at.is_none_or(|at| now.duration_since(at) > MARK);
    if plan.is_settled() && !stale {
        room.remember(launch::next(&world, &plan, now));
        return Ok(());
    }
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let slice = LaunchSlice { context: &context };
    let plan = decision.plan(&slice, |world| launch::plan(world, now)).await?.plan;
    circuit::looked(&mut decision.tx, now).await?;
    decision.commit().await?;
    room.remember(launch::next(&world, &plan, now));
    Ok(())
}

fn gauges(world: &World) {
    let active = world.runners.values().filter(|runner| runner.active).count();
    metrics::gauge!("sam_runners_active").set(active as f64);
    metrics::gauge!("sam_runners_busy").set(world.live.len() as f64);
    let open = world.circuit.opened.is_some();
    metrics::gauge!("sam_control_room_open").set(f64::from(u8::from(open)));
}

pub fn next(context: &Context, now: Timestamp) -> Option<Timestamp> {
    context.shared::<Room>().next(now)
}

pub async fn period(context: Context) -> Result<SignedDuration, Error> {
    let mut tx = context.store.read().await?;
    let values = context.settings.load(&mut tx, crate::NAME).await?;
    Ok(SignedDuration::from_secs(values.int(policy::LAUNCH_EVERY)?))
}
