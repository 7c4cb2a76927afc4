//! The dispatcher's tick: cut off what took too long, start whoever's turn it is, let jump who used
//! up his quota. Permits are spent in the commit that starts the run.

use db::{Decided, Decision, Error, Slice, Tx, effects::NewEffect};
use engine::{Plan as Changes, Word as _};
use host::Next;
use jiff::Timestamp;
use serde_json::json;

use super::{emit, polls, runs as ending};
use crate::{
    Context,
    model::{Ending, Run, RunId, RunState},
    policy::{Policy, TestMode},
    rules::{
        dispatch::{self, Change, Motive, PutOff, Replan, Start, Subject},
        world::{Running, World},
    },
    store::{
        self,
        journal::{self, Entry, Kind, Level},
        nodes, policy,
        runs::{self, Ended, NewRun},
        world,
    },
};

pub const TICK: &str = "coordinador.despacho";

/// Whoever is ready, whatever runs, and the starts of the last minute.
struct Fleet<'a>(&'a Context);

impl Slice for Fleet<'_> {
    type Snapshot = World;
    type Change = Change;

    async fn load(&self, tx: &mut Tx, now: Timestamp) -> Result<World, Error> {
        world::load(self.0, tx, now).await
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        world: &World,
        change: &Change,
    ) -> Result<(), Error> {
        match change {
            Change::Fence(running) => cut_off(self.0, decision, &world.policy, running).await,
            Change::Start(start) => begin(decision, &world.policy, start).await,
            Change::Replan(replan) => move_on(decision, world, replan).await,
            Change::PutOff(slot) => put_off(decision, slot).await,
        }
    }
}

/// Looks without a lock first: most looks find nothing to do.
pub async fn tick(context: Context, now: Timestamp) -> Next {
    let rehearsal = end_rehearsed(&context, now).await?;
    let fleet = Fleet(&context);
    let mut world = fleet.load(&mut context.store.read().await?, now).await?;
    let mut plan = dispatch::plan(&world, now);
    gauges(&world);
    if !plan.is_settled() {
        let mut decision = context.store.decide(&store::scope(), now).await?;
        let decided = decision.plan(&fleet, |world| dispatch::plan(world, now)).await?;
        decision.commit().await?;
        Decided { snapshot: world, plan } = decided;
    }
    let ends = match world.policy.test_mode {
        TestMode::On { duration, .. } if !plan.starts().is_empty() => Some(now + duration),
        TestMode::On { .. } | TestMode::Off => None,
    };
    Ok([plan.next_look, rehearsal, ends].into_iter().flatten().min())
}

async fn cut_off(
    context: &Context,
    decision: &mut Decision,
    policy: &Policy,
    running: &Running,
) -> Result<(), Error> {
    let Some(run) = runs::find(&mut decision.tx, running.run).await? else { return Ok(()) };
    let lasted = decision.now.duration_since(running.started_at).as_secs();
    let why = if running.lost { Ending::Lost } else { Ending::Stale };
    let end = Ended::interrupted(why, json!({ "segundos": lasted }));
    ending::end(context, decision, policy, &run, &end).await?;
    let (run, node) = (run.id.0, run.node.0);
    tracing::warn!(run, node, seconds = lasted, reason = why.word(), "a run was cut off");
    Ok(())
}

async fn begin(decision: &mut Decision, policy: &Policy, start: &Start) -> Result<(), Error> {
    let now = decision.now;
    let ends_at = match policy.test_mode {
        TestMode::Off => None,
        TestMode::On { duration, .. } => Some(now + duration),
    };
    let tx = &mut decision.tx;
    let run = match start.subject {
        Subject::Run(run) => {
            runs::begin(tx, run, ends_at, now).await?;
            run
        }
        Subject::Node(node) => {
            nodes::replan(tx, node, Some(start.planned_at), start.next_run_at).await?;
            let rides_with = match start.rides_with {
                Some(leader) => runs::live_of(tx, &[leader]).await?.first().map(|run| run.id),
                None => None,
            };
            let new = NewRun {
                starts: true,
                ends_at,
                rides_with,
                ..NewRun::waiting(node, start.olt, start.job, start.cause, start.planned_at)
            };
            runs::insert(tx, &new, now).await?
        }
    };
    if ends_at.is_none() && start.rides_with.is_none() {
        decision.effect(NewEffect {
            app: crate::NAME,
            kind: polls::KIND,
            key: format!("coordinador/corrida/{run}/{}", now.as_microsecond()),
            payload: json!({ "run": run.0 }),
        });
    }
    started(decision, start, run);
    Ok(())
}

fn started(decision: &mut Decision, start: &Start, run: RunId) {
    let late = decision.now.duration_since(start.planned_at).as_secs_f64();
    metrics::counter!("coordinador_starts_total", "job" => start.job.word()).increment(1);
    metrics::histogram!("coordinador_start_lateness_seconds").record(late.max(0.0));
    let data = json!({
        "ejecucion_id": run.0, "nodo_id": start.node.0, "olt_id": start.olt.0,
        "job_type": start.job.word(), "status": "RUNNING", "planned_at": start.planned_at,
        "next_run_at": start.next_run_at,
    });
    emit(decision, "ejecucion:iniciada", format!("ejecucion/{run}"), data);
}

async fn move_on(decision: &mut Decision, world: &World, replan: &Replan) -> Result<(), Error> {
    let due = world.due.iter().find(|due| due.node == replan.node);
    let Some(due) = due else { return Err(Error::corrupt("a node was replanned that is not due")) };
    let (seen, next) = (due.next_run_at, replan.next_run_at);
    nodes::replan(&mut decision.tx, replan.node, seen, Some(next)).await?;
    let (kind, reason, data) = match replan.motive {
        Motive::Quota(usage) => {
            metrics::counter!("coordinador_quota_skips_total").increment(1);
            tracing::debug!(node = replan.node.0, used = usage.used, max = usage.max, %next,
                            "quota reached, skipped");
            let data = json!({ "usados": usage.used, "maximo": usage.max, "hasta": next });
            (Kind::QuotaSkipped, Some("QUOTA"), data)
        }
        Motive::Repair => (Kind::Repaired, None, json!({ "next_run_at": next })),
    };
    let (olt, node) = (Some(due.olt), Some(replan.node));
    let entry = Entry { olt, node, ..Entry::new(Level::Debug, kind, reason, data) };
    journal::write(&mut decision.tx, &entry, decision.now).await?;
    let data = json!({ "nodo_id": replan.node.0, "next_run_at": next, "motivo": reason });
    emit(decision, "nodo:replanificado", format!("nodo/{}", replan.node), data);
    Ok(())
}

/// A slot waits for a run of its type (§2); the event says for which.
async fn put_off(decision: &mut Decision, slot: &PutOff) -> Result<(), Error> {
    nodes::put_off(&mut decision.tx, slot.node).await?;
    let (job, holder) = (slot.job.word(), slot.holder.0);
    tracing::debug!(node = slot.node.0, job, holder, "put off: a run of the same type");
    let data = json!({ "job_type": job, "nodo_en_curso": holder });
    let entry = Entry {
        olt: Some(slot.olt),
        node: Some(slot.node),
        ..Entry::new(Level::Debug, Kind::PutOff, Some("SAME_TYPE_RUNNING"), data)
    };
    journal::write(&mut decision.tx, &entry, decision.now).await
}

/// *Modo prueba*: runs whose time is over, and when the next one's is.
struct Rehearsal<'a>(&'a Context);

impl Slice for Rehearsal<'_> {
    type Snapshot = (Policy, Vec<Run>, Option<Timestamp>);
    /// A run, and whether it ends well.
    type Change = (Run, bool);

    async fn load(&self, tx: &mut Tx, now: Timestamp) -> Result<Self::Snapshot, Error> {
        let (over, next) = runs::rehearsed(tx, now).await?;
        Ok((policy::load(self.0, tx).await?, over, next))
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        (policy, ..): &Self::Snapshot,
        (run, well): &Self::Change,
    ) -> Result<(), Error> {
        let summary = json!({ "simulated": true });
        let end = if *well {
            Ended::success(summary)
        } else {
            Ended::interrupted(Ending::Timeout, summary)
        };
        ending::end(self.0, decision, policy, run, &end).await.map(drop)
    }
}

async fn end_rehearsed(context: &Context, now: Timestamp) -> Result<Option<Timestamp>, Error> {
    let (over, next) = runs::rehearsed(&mut context.store.read().await?, now).await?;
    if over.is_empty() {
        return Ok(next);
    }
    let planner = |(policy, over, _): &(Policy, Vec<Run>, _)| {
        let running = over.iter().filter(|run| run.state == RunState::Running);
        let ends = running.map(|run| (run.clone(), policy.test_mode.ends_well(run.id)));
        Changes::<_, ()> { changes: ends.collect(), held: Vec::new() }
    };
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let Decided { snapshot: (.., next), .. } = decision.plan(&Rehearsal(context), planner).await?;
    decision.commit().await?;
    Ok(next)
}

fn gauges(world: &World) {
    for job in crate::model::JobType::ALL {
        let running = world.running.iter().filter(|running| running.job == *job).count();
        metrics::gauge!("coordinador_running", "job" => job.word()).set(running as f64);
    }
    metrics::gauge!("coordinador_waiting").set((world.due.len() + world.waiting.len()) as f64);
}
