//! *Redistribución*: every two minutes, and at the start, planned runs are brought under the cap.

use db::{Decision, Error, Tx};
use host::Context;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};

use super::{By, commit, emit, heartbeat};
use crate::{
    drivers::Runtime,
    model::NodeId,
    policy::Policy,
    rules::{
        due,
        spread::{self, Move, Placed, Plan},
    },
    store::{
        self,
        journal::{self, Entry, Level},
        nodes::{self, Shift},
        policy, pollers, world,
    },
};

pub const TICK: &str = "coordinador.redistribucion";

pub async fn period(context: Context) -> Result<SignedDuration, Error> {
    let mut tx = context.store.read().await?;
    let policy = policy::load(&context.settings, &context.zone, &mut tx).await?;
    Ok(policy.spread.every)
}

/// Everything that is planned, with the policy it is planned under.
pub async fn look(
    context: &Context,
    tx: &mut Tx,
    now: Timestamp,
) -> Result<(Policy, Vec<Placed>), Error> {
    let policy = policy::load(&context.settings, &context.zone, tx).await?;
    Ok((policy, world::placed(tx, now).await?))
}

/// Looks without a lock first: most passes move nobody.
pub async fn tick(context: Context, now: Timestamp) -> Result<(), Error> {
    repair(&context, now).await?;
    if context.shared::<Runtime>().begins() && !others_live(&context, now).await? {
        settle(&context, now).await?;
    }
    let mut tx = context.store.read().await?;
    let (policy, placed) = look(&context, &mut tx, now).await?;
    drop(tx);
    let plan = spread::plan(&placed, &policy, now);
    metrics::gauge!("coordinador_overflow_nodes").set(plan.overflow.len() as f64);
    metrics::gauge!("coordinador_planned_peak").set(peak(&plan));
    if !plan.moves.is_empty() {
        apply(&context, &By::system(), now).await?;
    }
    Ok(())
}

async fn others_live(context: &Context, now: Timestamp) -> Result<bool, Error> {
    let mut tx = context.store.read().await?;
    let me = &context.shared::<Runtime>().worker;
    pollers::others(&mut tx, me, now - heartbeat::DEAD).await
}

fn peak(plan: &Plan) -> f64 {
    f64::from(plan.loads.iter().map(|load| load.nodes).max().unwrap_or(0))
}

/// Plans anew and moves whoever has to. Says how many moved.
pub async fn apply(context: &Context, by: &By, now: Timestamp) -> Result<u64, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let (policy, placed) = look(context, &mut decision.tx, now).await?;
    let plan = spread::plan(&placed, &policy, now);
    let moved = nodes::shift(&mut decision.tx, &shifts(&plan)).await?;
    let overflow: Vec<NodeId> = plan.overflow.iter().map(|one| one.node).collect();
    let data = json!({
        "movidos": moved, "desborde": overflow.len(), "nodos_desbordados": first(&overflow),
        "pico": peak(&plan), "por": by.name,
    });
    let (level, kind, reason) = if overflow.is_empty() {
        (Level::Info, "REDISTRIBUCION", None)
    } else {
        (Level::Warning, "DESBORDE", Some("OVERFLOW"))
    };
    if moved > 0 || !overflow.is_empty() {
        tell(&mut decision, level, kind, reason, &data).await?;
    }
    commit(context, decision, Vec::new()).await?;
    metrics::counter!("coordinador_moves_total").increment(moved);
    Ok(moved)
}

fn shifts(plan: &Plan) -> Vec<Shift> {
    let shift = |one: &Move| Shift {
        node: one.node,
        seen: one.from,
        next_run_at: one.next_run_at,
        phase: one.phase,
    };
    plan.moves.iter().map(shift).collect()
}

async fn tell(
    decision: &mut Decision,
    level: Level,
    kind: &'static str,
    reason: Option<&'static str>,
    data: &Json,
) -> Result<(), Error> {
    let data = data.clone();
    emit(decision, "plan:redistribuido", "plan".to_owned(), data.clone());
    let entry = Entry { level, kind, reason, olt: None, node: None, run: None, data };
    journal::write(&mut decision.tx, &entry, decision.now).await
}

/// A journal is read by people: the first of many are enough.
fn first(nodes: &[NodeId]) -> Vec<i64> {
    nodes.iter().take(50).map(|node| node.0).collect()
}

/// Nodes that everything lets run and nothing is planned for get a run an interval from now.
async fn repair(context: &Context, now: Timestamp) -> Result<(), Error> {
    let mut tx = context.store.read().await?;
    let found = nodes::unplanned(&mut tx).await?;
    drop(tx);
    if found.is_empty() {
        return Ok(());
    }
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let found = nodes::unplanned(&mut decision.tx).await?;
    let planned: Vec<_> = found
        .iter()
        .filter_map(|node| {
            let (cadence, next) = due::enabled(node.role.cadence()?.interval, now);
            Some((node.id, cadence, next))
        })
        .collect();
    nodes::plan_anew(&mut decision.tx, &planned).await?;
    for (node, _, next) in &planned {
        let entry = Entry {
            level: Level::Info,
            kind: "PLAN_REPARADO",
            reason: None,
            olt: None,
            node: Some(*node),
            run: None,
            data: json!({ "next_run_at": next }),
        };
        journal::write(&mut decision.tx, &entry, now).await?;
    }
    decision.commit().await.map(drop)
}

/// Whoever is overdue when the first process starts gets a slot at the allowed rate, the best
/// priority first, instead of standing in a crowd.
async fn settle(context: &Context, now: Timestamp) -> Result<(), Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let (policy, placed) = look(context, &mut decision.tx, now).await?;
    let plan = spread::settle(&placed, &policy, now);
    let moved = nodes::shift(&mut decision.tx, &shifts(&plan)).await?;
    if moved > 0 {
        let data = json!({ "movidos": moved, "desborde": plan.overflow.len() });
        tell(&mut decision, Level::Info, "ARRANQUE", None, &data).await?;
    }
    commit(context, decision, Vec::new()).await
}
