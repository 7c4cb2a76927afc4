//! The launcher's tick: plan, claim, and leave the deploys to their driver.

use db::{Decision, Error, Slice, Tx, effects::NewEffect};
use engine::Plan;
use host::Next;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{aftermath, emit, running, runs as closing};
use crate::{
    Context,
    model::RunId,
    rules::{
        launch::{self, Change, Launch},
        reason::Held,
        world::World,
    },
    store::{self, circuit, outcomes, runs, slots, world},
};

pub const TICK: &str = "sam.lanzador";

/// How old the mark of the last look may grow while nothing happens.
const MARK: SignedDuration = SignedDuration::from_mins(5);
/// And while a demonstration's time is moved, which passes over no slot.
const MARK_MOVED: SignedDuration = SignedDuration::from_hours(1);

/// Everything the launcher looks at.
struct Launching<'a> {
    context: &'a Context,
}

impl Slice for Launching<'_> {
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
            Change::Launch(launch) => claim(decision, world, launch, None).await.map(drop),
            Change::Overdue { runner, stop, .. } => {
                let run = world.live.get(runner).ok_or_else(|| Error::corrupt("no such run"))?;
                outcomes::overdue(&mut decision.tx, run, now).await?;
                aftermath::tell(decision, run, aftermath::OVERDUE);
                if *stop {
                    let reason = "no empezó a tiempo: se detiene para reintentarla";
                    running::ask_to_stop(decision, run, None, reason).await?;
                }
                Ok(())
            }
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
                let key = (slot.schedule, slot.runner, slot.slot.date);
                if let Some(retry) = world.retries.get(&key)
                    && let Some(run) = runs::find(&mut decision.tx, retry.run).await?
                {
                    // It failed, was to be tried again, and nothing came of it.
                    aftermath::tell(decision, &run, aftermath::FAILED);
                }
                emit(decision, "turno:perdido", format!("programacion/{}", slot.schedule), data);
                Ok(())
            }
        }
    }
}

/// Claim first: the run exists before anything is asked of the Control Room.
pub async fn claim(
    decision: &mut Decision,
    world: &World,
    launch: &Launch,
    asked: Option<runs::Asked<'_>>,
) -> Result<RunId, Error> {
    let runner = world.runners.get(&launch.runner);
    let robot = world.robots.get(&launch.robot);
    let (Some(runner), Some(robot)) = (runner, robot) else {
        return Err(Error::corrupt("a launch without robot or runner"));
    };
    let repetitions = crate::wire::repetitions(robot, world.policy.repetitions);
    let now = decision.now;
    let tx = &mut decision.tx;
    let id = runs::claim(tx, launch, runner.user_id, repetitions, asked, now).await?;
    decision.effect(NewEffect {
        app: crate::NAME,
        kind: crate::drivers::deploy::KIND,
        key: format!("sam/deploy/{id}/{}", now.as_microsecond()),
        payload: json!({ "run": id.0 }),
    });
    decision.wake(super::reconcile::TICK);
    metrics::counter!("sam_launches_total").increment(1);
    let data = json!({
        "ejecucion_id": id.0, "robot_id": launch.robot.0, "equipo_id": launch.runner.0,
        "estado": "PENDING_EXECUTION",
    });
    emit(decision, "ejecucion:creada", format!("ejecucion/{id}"), data);
    Ok(id)
}

/// Looks without a lock first: most looks find nothing to do.
pub async fn tick(context: Context, now: Timestamp) -> Next {
    let slice = Launching { context: &context };
    let mut tx = context.store.read().await?;
    let world = slice.load(&mut tx, now).await?;
    drop(tx);
    let plan = launch::plan(&world, now);
    gauges(&world);
    let mark = if context.is_moved_demo() { MARK_MOVED } else { MARK };
    let stale = watches(&world) && world.looked_at.is_none_or(|at| now.duration_since(at) >= mark);
    if plan.is_settled() && !stale {
        return Ok(next(&world, &plan, mark, now));
    }
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let decided = decision.plan(&slice, |world| launch::plan(world, now)).await?;
    circuit::looked(&mut decision.tx, now).await?;
    decision.commit().await?;
    Ok(next(&decided.snapshot, &decided.plan, mark, now))
}

/// Whether slots may pass while nobody looks.
fn watches(world: &World) -> bool {
    world.assignments.iter().any(|one| one.schedule.is_some())
}

/// When time alone changes the plan; sooner while slots have to be watched.
fn next(
    world: &World,
    plan: &Plan<Change, Held>,
    mark: SignedDuration,
    now: Timestamp,
) -> Option<Timestamp> {
    let mark = watches(world).then(|| world.looked_at.map_or(now, |at| at.max(now - mark)) + mark);
    launch::next(world, plan, now).into_iter().chain(mark.filter(|at| *at > now)).min()
}

fn gauges(world: &World) {
    let active = world.runners.values().filter(|runner| runner.active).count();
    metrics::gauge!("sam_runners_active").set(active as f64);
    metrics::gauge!("sam_runners_busy").set(world.live.len() as f64);
    let open = world.circuit.opened.is_some();
    metrics::gauge!("sam_control_room_open").set(f64::from(u8::from(open)));
}
