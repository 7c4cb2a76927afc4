//! Nodes: entered, changed, paused, halted, asked to run now.

use db::{Decision, Error, Tx};
use host::{By, Failure};
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{Changed, commit, emit, record, runs as ending, runs::Ended};
use crate::{
    Context,
    model::{Cause, Ending, Node, NodeId, Olt, Role, RunId, Switch},
    policy::Policy,
    rules::due,
    store::{self, nodes, olts, policy, runs, runs::NewRun},
    wire::NodeView,
};

/// Live runs of these nodes end, and nothing more of them is planned. The caller stops the runs
/// once this is committed.
pub async fn halt(
    decision: &mut Decision,
    policy: &Policy,
    nodes: &[Node],
    why: Ending,
) -> Result<Vec<RunId>, Error> {
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let live = runs::live_of(&mut decision.tx, &ids).await?;
    for run in &live {
        ending::end(decision, policy, run, &Ended::interrupted(why, json!({}))).await?;
    }
    nodes::unplan(&mut decision.tx, &ids).await?;
    Ok(live.iter().map(|run| run.id).collect())
}

/// Masters that are switched on begin a new grid, an interval from now.
pub async fn revive(decision: &mut Decision, nodes: &[Node]) -> Result<(), Error> {
    let on = nodes.iter().filter(|node| node.switch == Switch::On);
    let planned = due::begin_anew(on, decision.now);
    nodes::plan_anew(&mut decision.tx, &planned).await
}

fn shown(node: &Node) -> Json {
    serde_json::to_value(NodeView::new(node)).unwrap_or_default()
}

/// Whether the OLT lets anything be planned on it.
fn works(olt: &Olt) -> bool {
    olt.enabled && olt.workflow_active
}

/// The key is taken when another node of the OLT has it.
async fn taken(tx: &mut Tx, node: &Node) -> Result<bool, Error> {
    let others = nodes::of_olt(tx, node.olt).await?;
    Ok(others.iter().any(|other| other.key == node.key && other.id != node.id))
}

/// A member of a chain follows a master of its own OLT.
async fn follows(tx: &mut Tx, node: &Node) -> Result<bool, Error> {
    let Role::Chain { master, .. } = &node.role else { return Ok(true) };
    let master = nodes::find(tx, *master).await?;
    let fits = master.is_some_and(|master| {
        master.olt == node.olt && master.role.cadence().is_some() && master.id != node.id
    });
    Ok(fits && nodes::chain(tx, node.id).await?.is_empty())
}

pub async fn create(
    context: &Context,
    by: &By,
    mut node: Node,
    now: Timestamp,
) -> Result<Changed<Node>, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let tx = &mut decision.tx;
    let Some(olt) = olts::find(tx, node.olt).await? else { return Ok(Changed::NoOlt) };
    if !follows(tx, &node).await? {
        return Ok(Changed::NoMaster);
    }
    if taken(tx, &node).await? {
        return Ok(Changed::Duplicate);
    }
    if let Role::Master { next_run_at, .. } = &mut node.role
        && (!works(&olt) || node.switch == Switch::Off)
    {
        *next_run_at = None;
    }
    node.id = nodes::insert(tx, &node).await?;
    record(&mut decision, by, "nodo.crear", format!("nodo/{}", node.id), None, Some(shown(&node)));
    told(&mut decision, &node);
    commit(context, decision, Vec::new()).await?;
    Ok(Changed::Done(node))
}

/// Changes a node into what `typed` makes of it. Its planned run stays where it is, unless it is
/// switched off or on.
pub async fn update(
    context: &Context,
    by: &By,
    id: NodeId,
    expected: Option<i64>,
    typed: impl Fn(&Node) -> Result<Node, Failure>,
    now: Timestamp,
) -> Result<Changed<Node>, Failure> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let tx = &mut decision.tx;
    let Some(standing) = nodes::find(tx, id).await? else { return Ok(Changed::NotFound) };
    let Some(olt) = olts::find(tx, standing.olt).await? else { return Ok(Changed::NotFound) };
    if expected.is_some_and(|expected| expected != standing.version) {
        return Ok(Changed::Stale { current: standing.version });
    }
    let wanted = &Node { id, template: standing.template, ..typed(&standing)? };
    if !follows(tx, wanted).await? {
        return Ok(Changed::NoMaster);
    }
    if taken(tx, wanted).await? {
        return Ok(Changed::Duplicate);
    }
    let mut node = Node { version: standing.version, ..wanted.clone() };
    node.role = planned(&standing, wanted, &olt, now);
    nodes::update(tx, &node).await?;
    let mut ended = Vec::new();
    if standing.switch != Switch::Off && node.switch == Switch::Off {
        let policy = policy::load(context, tx).await?;
        let mine = std::slice::from_ref(&node);
        ended = halt(&mut decision, &policy, mine, Ending::NodeDisabled).await?;
    }
    let (before, after) = (Some(shown(&standing)), Some(shown(&node)));
    record(&mut decision, by, "nodo.cambiar", format!("nodo/{}", node.id), before, after);
    told(&mut decision, &node);
    commit(context, decision, ended).await?;
    Ok(Changed::Done(Node { version: node.version + 1, ..node }))
}

/// The wanted role with the next run it leads to.
fn planned(standing: &Node, wanted: &Node, olt: &Olt, now: Timestamp) -> Role {
    let Role::Master { cadence: asked, next_run_at: named } = &wanted.role else {
        return wanted.role.clone();
    };
    if wanted.switch == Switch::Off || !works(olt) {
        return Role::Master { cadence: *asked, next_run_at: None };
    }
    let (cadence, next_run_at) = match (&standing.role, standing.switch, wanted.switch) {
        // A run that was named begins a grid of its own.
        _ if named.is_some() && *named != standing.role.next_run_at() => {
            let (cadence, next) = due::first(asked.interval, named.unwrap_or(now));
            (cadence, Some(next))
        }
        (Role::Chain { .. }, _, _) | (_, Switch::Off, _) => {
            let (cadence, next) = due::enabled(asked.interval, now);
            (cadence, Some(next))
        }
        (Role::Master { cadence, next_run_at }, was, _) => {
            let changed = due::changed(cadence, *next_run_at, asked.interval);
            let cadence = if cadence.interval == asked.interval { *cadence } else { changed };
            // A pause keeps the grid; the slots that went by are not caught up.
            let resumed = was == Switch::Paused && wanted.switch == Switch::On;
            let missed = next_run_at.is_none_or(|next| resumed && next <= now);
            let next = if missed { Some(due::next_after(&cadence, now)) } else { *next_run_at };
            (cadence, next)
        }
    };
    Role::Master { cadence, next_run_at }
}

pub async fn delete(
    context: &Context,
    by: &By,
    id: NodeId,
    expected: Option<i64>,
    now: Timestamp,
) -> Result<Changed<()>, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let tx = &mut decision.tx;
    let Some(node) = nodes::find(tx, id).await? else { return Ok(Changed::NotFound) };
    if expected.is_some_and(|expected| expected != node.version) {
        return Ok(Changed::Stale { current: node.version });
    }
    let mut family = nodes::chain(tx, id).await?;
    family.push(node);
    let policy = policy::load(context, tx).await?;
    let ended = halt(&mut decision, &policy, &family, Ending::NodeDisabled).await?;
    for node in &family {
        nodes::remove(&mut decision.tx, node.id).await?;
        let subject = format!("nodo/{}", node.id);
        record(&mut decision, by, "nodo.borrar", subject, Some(shown(node)), None);
    }
    let data = json!({ "nodo_id": id.0 });
    emit(&mut decision, "nodo:borrado", format!("nodo/{id}"), data);
    commit(context, decision, ended).await?;
    Ok(Changed::Done(()))
}

fn told(decision: &mut Decision, node: &Node) {
    let data = json!({
        "nodo_id": node.id.0, "olt_id": node.olt.0, "next_run_at": node.role.next_run_at(),
    });
    emit(decision, "nodo:cambiado", format!("nodo/{}", node.id), data);
}

/// What became of a wish to run now.
#[derive(Debug)]
pub enum Asked {
    Waiting(RunId),
    NotFound,
    /// It runs or waits already.
    Live(RunId),
    OltOff,
    NoOid,
}

/// *Ejecutar ahora*: waits for its turn like everyone, and does not count for the quota.
pub async fn run_now(
    context: &Context,
    by: &By,
    id: NodeId,
    now: Timestamp,
) -> Result<Asked, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let asked = ask(&mut decision, by, id).await?;
    if let Asked::Waiting(_) = asked {
        commit(context, decision, Vec::new()).await?;
    }
    Ok(asked)
}

/// The same inside a decision.
pub async fn ask(decision: &mut Decision, by: &By, id: NodeId) -> Result<Asked, Error> {
    let (tx, now) = (&mut decision.tx, decision.now);
    let Some(node) = nodes::find(tx, id).await? else { return Ok(Asked::NotFound) };
    let olt = olts::find(tx, node.olt).await?;
    if olt.is_none_or(|olt| !works(&olt)) {
        return Ok(Asked::OltOff);
    }
    if node.oid.is_none() {
        return Ok(Asked::NoOid);
    }
    if let Some(live) = runs::live_of(tx, &[id]).await?.first() {
        return Ok(Asked::Live(live.id));
    }
    let new = NewRun {
        asked_by: Some(&by.name),
        ..NewRun::waiting(id, node.olt, node.job, Cause::Manual, now)
    };
    let run = runs::insert(tx, &new, now).await?;
    let after = json!({ "ejecucion_id": run.0 });
    record(decision, by, "nodo.ejecutar", format!("nodo/{id}"), None, Some(after));
    let data = json!({ "ejecucion_id": run.0, "nodo_id": id.0, "olt_id": node.olt.0,
                       "status": "PENDING" });
    emit(decision, "ejecucion:pedida", format!("ejecucion/{run}"), data);
    Ok(Asked::Waiting(run))
}
