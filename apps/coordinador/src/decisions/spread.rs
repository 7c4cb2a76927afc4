//! *Redistribución*: every two minutes, and at the start, planned runs are brought under the cap.

use db::{
    Decided, Decision, Error, Slice, Tx,
    processes::{self, SILENCE},
};
use engine::Plan as Changes;
use host::{By, Next};
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{alarms, commit, emit};
use crate::{
    Context,
    drivers::Spread,
    model::{Cadence, Node, NodeId},
    policy::Policy,
    rules::{
        due,
        spread::{self, Move, Placed, Plan},
    },
    store::{
        self,
        journal::{self, Entry, Kind, Level},
        nodes, policy, world,
    },
};

pub const TICK: &str = "coordinador.redistribucion";

/// Everything that is planned, with the policy it is planned under.
pub struct Planning<'a>(pub &'a Context);

impl Slice for Planning<'_> {
    type Snapshot = (Policy, Vec<Placed>);
    type Change = Move;

    async fn load(&self, tx: &mut Tx, now: Timestamp) -> Result<Self::Snapshot, Error> {
        Ok((policy::load(self.0, tx).await?, world::placed(tx, now).await?))
    }

    async fn apply_all(
        &self,
        decision: &mut Decision,
        _: &Self::Snapshot,
        moves: &[Move],
    ) -> Result<(), Error> {
        nodes::shift(&mut decision.tx, moves).await
    }
}

/// Nodes that everything lets run and nothing is planned for.
struct Unplanned;

impl Slice for Unplanned {
    type Snapshot = Vec<Node>;
    type Change = (NodeId, Cadence, Timestamp);

    async fn load(&self, tx: &mut Tx, now: Timestamp) -> Result<Vec<Node>, Error> {
        nodes::unplanned(tx, now).await
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        _: &Vec<Node>,
        change: &Self::Change,
    ) -> Result<(), Error> {
        let (node, _, next) = change;
        nodes::plan_anew(&mut decision.tx, std::slice::from_ref(change)).await?;
        let data = json!({ "next_run_at": next });
        let entry =
            Entry { node: Some(*node), ..Entry::new(Level::Info, Kind::Repaired, None, data) };
        journal::write(&mut decision.tx, &entry, decision.now).await
    }
}

/// Whoever wakes it before the next pass is due only finds out when that is.
pub async fn tick(context: Context, now: Timestamp) -> Next {
    let spread = context.runtime.spread();
    match spread {
        // Farther away than one pass from the next, it was set before the clock was set back.
        Spread::Due(next) if now < next && next <= farthest(&context, now).await? => {
            return Ok(Some(next));
        }
        Spread::Due(_) | Spread::Idle | Spread::Starting => {}
    }
    repair(&context, now).await?;
    if matches!(spread, Spread::Starting) && !others_live(&context).await? {
        settle(&context, now).await?;
    }
    let next = pass(&context, now).await?;
    context.runtime.spread_again(next);
    Ok(next)
}

async fn farthest(context: &Context, now: Timestamp) -> Result<Timestamp, Error> {
    let policy = policy::load(context, &mut context.store.read().await?).await?;
    Ok(due::later(now, policy.spread.every))
}

/// Looks without a lock first: most passes move nobody. None: nothing is planned.
async fn pass(context: &Context, now: Timestamp) -> Next {
    let mut tx = context.store.read().await?;
    let (policy, placed) = Planning(context).load(&mut tx, now).await?;
    drop(tx);
    let plan = spread::plan(&placed, &policy, now);
    metrics::gauge!("coordinador_overflow_nodes").set(plan.overflow.len() as f64);
    metrics::gauge!("coordinador_planned_peak").set(peak(&plan));
    if !plan.moves.is_empty() {
        apply(context, &By::system(crate::NAME), now).await?;
    }
    Ok((!placed.is_empty()).then(|| due::later(now, policy.spread.every)))
}

async fn others_live(context: &Context) -> Result<bool, Error> {
    let (me, now) = (&context.process.name, context.clock.real());
    let all = processes::all(&mut context.store.read().await?).await?;
    Ok(all.iter().any(|one| one.name != *me && now.duration_since(one.beat_at) <= SILENCE))
}

fn peak(plan: &Plan) -> f64 {
    f64::from(plan.loads.iter().map(|load| load.nodes).max().unwrap_or(0))
}

/// Plans anew and moves whoever has to. Says how many moved.
pub async fn apply(context: &Context, by: &By, now: Timestamp) -> Result<usize, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let planner = |seen: &(Policy, Vec<Placed>)| spread::plan(&seen.1, &seen.0, now);
    let Decided { plan, .. } = decision.plan(&Planning(context), planner).await?;
    let moved = plan.moves.len();
    let overflow: Vec<NodeId> = plan.overflow.iter().map(|one| one.node).collect();
    // A journal is read by people: the first of many are enough.
    let first: Vec<i64> = overflow.iter().take(50).map(|node| node.0).collect();
    let data = json!({
        "movidos": moved, "desborde": overflow.len(), "nodos_desbordados": first,
        "pico": peak(&plan), "por": by.name,
    });
    let (level, kind, reason) = if overflow.is_empty() {
        (Level::Info, Kind::Spread, None)
    } else {
        (Level::Warning, Kind::Overflow, Some("OVERFLOW"))
    };
    if moved > 0 || !overflow.is_empty() {
        tell(&mut decision, level, kind, reason, data).await?;
    }
    decision.wake(alarms::TICK);
    commit(decision).await?;
    metrics::counter!("coordinador_moves_total").increment(moved as u64);
    Ok(moved)
}

async fn tell(
    decision: &mut Decision,
    level: Level,
    kind: Kind,
    reason: Option<&'static str>,
    data: Json,
) -> Result<(), Error> {
    emit(decision, "plan:redistribuido", "plan".to_owned(), data.clone());
    let entry = Entry::new(level, kind, reason, data);
    journal::write(&mut decision.tx, &entry, decision.now).await
}

/// Nodes that everything lets run and nothing is planned for, by this clock, get a run an interval from
/// now.
async fn repair(context: &Context, now: Timestamp) -> Result<(), Error> {
    if nodes::unplanned(&mut context.store.read().await?, now).await?.is_empty() {
        return Ok(());
    }
    let planner = |found: &Vec<Node>| Changes::<_, ()> {
        changes: due::begin_anew(found, now),
        held: Vec::new(),
    };
    let mut decision = context.store.decide(&store::scope(), now).await?;
    decision.plan(&Unplanned, planner).await?;
    commit(decision).await
}

/// Whoever is overdue when the first process starts gets a slot at the allowed rate, the best
/// priority first, instead of standing in a crowd.
async fn settle(context: &Context, now: Timestamp) -> Result<(), Error> {
    let planner = |(policy, placed): &(Policy, Vec<Placed>)| spread::settle(placed, policy, now);
    let (policy, placed) = Planning(context).load(&mut context.store.read().await?, now).await?;
    if spread::settle(&placed, &policy, now).moves.is_empty() {
        return Ok(());
    }
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let Decided { plan, .. } = decision.plan(&Planning(context), planner).await?;
    let data = json!({ "movidos": plan.moves.len(), "desborde": plan.overflow.len() });
    tell(&mut decision, Level::Info, Kind::Settled, None, data).await?;
    commit(decision).await
}
