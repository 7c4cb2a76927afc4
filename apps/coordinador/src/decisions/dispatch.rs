//! The dispatcher's tick: cut off what took too long, start whoever's turn it is, let jump who used
//! up his quota. Permits are spent in the commit that starts the run.

use db::{Decision, Error, effects::NewEffect};
use engine::Word as _;
use host::Context;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{
    emit, polls,
    runs::{self as ending, Ended},
};
use crate::{
    drivers::Runtime,
    model::{Ending, RunId, RunState},
    policy::{Policy, TestMode},
    rules::{
        dispatch::{self, Motive, Plan, Replan, Start, Subject},
        world::World,
    },
    store::{
        self,
        journal::{self, Entry, Level},
        nodes, policy, runs,
        runs::NewRun,
        world,
    },
};

pub const TICK: &str = "coordinador.despacho";

/// The net under the wake-ups.
pub const PERIOD: SignedDuration = SignedDuration::from_secs(60);

pub fn next(context: &Context, now: Timestamp) -> Option<Timestamp> {
    context.shared::<Runtime>().next(now)
}

/// Looks without a lock first: most looks find nothing to do.
pub async fn tick(context: Context, now: Timestamp) -> Result<(), Error> {
    let runtime = context.shared::<Runtime>();
    runtime.look();
    let rehearsal = end_rehearsed(&context, now).await?;
    let mut tx = context.store.read().await?;
    let world = world::load(&context, &mut tx, now).await?;
    drop(tx);
    let mut plan = dispatch::plan(&world, now);
    gauges(&world);
    let mut fenced = Vec::new();
    if !plan.is_settled() {
        let mut decision = context.store.decide(&store::scope(), now).await?;
        let world = world::load(&context, &mut decision.tx, now).await?;
        plan = dispatch::plan(&world, now);
        apply(&mut decision, &world, &plan).await?;
        decision.commit().await?;
        fenced.extend(plan.fences.iter().map(|running| running.run));
    }
    runtime.stop(fenced);
    let ends = match world.policy.test_mode {
        TestMode::On { duration, .. } if !plan.starts.is_empty() => Some(now + duration),
        TestMode::On { .. } | TestMode::Off => None,
    };
    runtime.remember([plan.next_look, rehearsal, ends].into_iter().flatten().min());
    Ok(())
}

async fn apply(decision: &mut Decision, world: &World, plan: &Plan) -> Result<(), Error> {
    for running in &plan.fences {
        let Some(run) = runs::find(&mut decision.tx, running.run).await? else { continue };
        let lasted = decision.now.duration_since(running.started_at).as_secs();
        let end = Ended::interrupted(Ending::Stale, json!({ "segundos": lasted }));
        ending::end(decision, &world.policy, &run, &end).await?;
        tracing::warn!(run = run.id.0, node = run.node.0, seconds = lasted, "run cut off as stale");
    }
    for start in &plan.starts {
        begin(decision, &world.policy, start).await?;
    }
    for replan in &plan.replans {
        move_on(decision, world, replan).await?;
    }
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
            let new = NewRun {
                starts: true,
                ends_at,
                ..NewRun::waiting(node, start.olt, start.job, start.cause, start.planned_at)
            };
            runs::insert(tx, &new, now).await?
        }
    };
    if ends_at.is_none() {
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
            ("CUOTA_OMITIDA", Some("QUOTA"), data)
        }
        Motive::Repair => ("PLAN_REPARADO", None, json!({ "next_run_at": next })),
    };
    let entry = Entry {
        level: Level::Debug,
        kind,
        reason,
        olt: Some(due.olt),
        node: Some(replan.node),
        run: None,
        data,
    };
    journal::write(&mut decision.tx, &entry, decision.now).await?;
    let data = json!({ "nodo_id": replan.node.0, "next_run_at": next, "motivo": reason });
    emit(decision, "nodo:replanificado", format!("nodo/{}", replan.node), data);
    Ok(())
}

/// *Modo prueba*: runs end after their time, well or badly by a rule that a test can foresee.
async fn end_rehearsed(context: &Context, now: Timestamp) -> Result<Option<Timestamp>, Error> {
    let mut tx = context.store.read().await?;
    let (over, next) = runs::rehearsed(&mut tx, now).await?;
    drop(tx);
    if over.is_empty() {
        return Ok(next);
    }
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let policy = policy::load(&context.settings, &context.zone, &mut decision.tx).await?;
    let share = match policy.test_mode {
        TestMode::On { success_percent, .. } => success_percent,
        TestMode::Off => 100,
    };
    let (over, next) = runs::rehearsed(&mut decision.tx, now).await?;
    for run in over.iter().filter(|run| run.state == RunState::Running) {
        let summary = json!({ "simulated": true });
        // Spread over the numbers, so that ten runs at 80 % hold eight good ones.
        let good = (run.id.0 * 37).rem_euclid(100) < i64::from(share);
        let end = if good {
            Ended::success(summary)
        } else {
            Ended::interrupted(Ending::Timeout, summary)
        };
        ending::end(&mut decision, &policy, run, &end).await?;
    }
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
