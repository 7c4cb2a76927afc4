//! Nodes: entered, changed, paused, halted, asked to run now.

use db::{Decision, Error, Tx, audit::Entry};
use host::{
    Failure, as_json,
    check::{self, Check},
    conflict,
    edit::Editable,
    unknown,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value as Json, json};
use web::{Lang, Problem};

use super::{
    catalogue::{entries, filled},
    commit, emit,
    olts::Olts,
    record, runs as ending, wake,
};
use crate::{
    Context, Desk,
    model::{
        Cause, Ending, JobType, Node, NodeId, Olt, Override, Overrides, Role, RunId, Space, Switch,
    },
    policy,
    rules::{catalogue, due},
    store::{
        self, nodes, olts,
        runs::{self, Ended, NewRun},
    },
    wire::{NodeRequest, NodeView},
};

/// Live runs of these nodes end, and nothing more of them is planned.
pub async fn halt(
    context: &Context,
    decision: &mut Decision,
    nodes: &[Node],
    why: Ending,
) -> Result<(), Error> {
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let live = runs::live_of(&mut decision.tx, &ids).await?;
    if !live.is_empty() {
        let policy = store::policy::load(context, &mut decision.tx).await?;
        for run in &live {
            let ended = Ended::interrupted(why, json!({}));
            ending::end(context, decision, &policy, run, &ended).await?;
        }
    }
    nodes::unplan(&mut decision.tx, &ids).await
}

/// Masters that are switched on begin a new grid, an interval from now.
pub async fn revive(decision: &mut Decision, nodes: &[Node]) -> Result<(), Error> {
    let on = nodes.iter().filter(|node| node.switch == Switch::On);
    let planned = due::begin_anew(on, decision.now);
    nodes::plan_anew(&mut decision.tx, &planned).await
}

/// How nodes are edited.
#[derive(Debug)]
pub struct Nodes;

impl Editable for Nodes {
    type Item = Node;
    type Role = policy::Role;
    type Context = Context;
    type Request = NodeRequest;
    type View = NodeView;
    const NOUN: &'static str = "nodo";
    const CHANGED: &'static str = "cambiar";

    fn id(node: &Node) -> i64 {
        node.id.0
    }

    fn version(node: &Node) -> Option<i64> {
        Some(node.version)
    }

    fn missing(desk: &Desk) -> Problem {
        unknown(desk.lang, "NODO_INEXISTENTE", "No existe ese nodo.", "There is no such node.")
    }

    async fn find(tx: &mut Tx, id: i64) -> Result<Option<Node>, Error> {
        nodes::find(tx, NodeId(id)).await
    }

    async fn view(node: &Node, _: &Desk, tx: &mut Tx) -> Result<NodeView, Error> {
        let told = filled(tx, vec![node.clone()]).await?;
        Ok(NodeView::new(told.first().unwrap_or(node)))
    }

    async fn standing(
        node: &Node,
        _: &mut Tx,
        _: &Map<String, Json>,
    ) -> Result<NodeRequest, Error> {
        Ok(NodeRequest::standing(node))
    }

    async fn save(
        desk: &Desk,
        decision: &mut Decision,
        before: Option<&Node>,
        request: &NodeRequest,
    ) -> Result<Node, Failure> {
        let mut node = request.typed(desk.lang, desk.now)?;
        timely(desk, before, &node)?;
        addressed(desk, &mut decision.tx, before, &mut node).await?;
        if let Some(before) = before {
            node.overrides = overridden(before, &node);
            let mut check = Check::new(desk.lang);
            if node.olt != before.olt {
                check.wrong("olt_id", "un nodo no cambia de OLT", "a node does not change its OLT");
            }
            check.finish()?;
        }
        write(desk, decision, before, node).await
    }

    /// Removes it and the chain that follows it.
    async fn remove(node: &Node, desk: &Desk, decision: &mut Decision) -> Result<(), Failure> {
        let mut family = nodes::chain(&mut decision.tx, node.id).await?;
        family.push(node.clone());
        halt(&desk.context, decision, &family, Ending::NodeDisabled).await?;
        for one in &family {
            nodes::remove(&mut decision.tx, one.id).await?;
            if one.id != node.id {
                let (subject, before) = (format!("nodo/{}", one.id), as_json(NodeView::new(one))?);
                record(decision, &desk.by(), "nodo.borrar", subject, Some(before), None);
            }
        }
        let data = json!({ "nodo_id": node.id.0 });
        emit(decision, "nodo:borrado", format!("nodo/{}", node.id), data);
        wake(decision);
        Ok(())
    }
}

/// A run that is named is of these days: in another century it was meant otherwise.
fn timely(desk: &Desk, before: Option<&Node>, node: &Node) -> Result<(), Failure> {
    let standing = before.and_then(|before| before.role.next_run_at());
    let Some(next) = node.role.next_run_at().filter(|next| Some(*next) != standing) else {
        return Ok(());
    };
    let earliest = due::later(desk.now, -SignedDuration::from_hours(24 * 31));
    let latest = due::later(desk.now, SignedDuration::from_hours(24 * 366));
    let mut check = Check::new(desk.lang);
    if !(earliest..=latest).contains(&next) {
        let es = "debe estar entre un mes atrás y un año adelante";
        check.wrong("next_run_at", es, "must be from a month ago to a year ahead");
    }
    check.finish()
}

/// A node without an OID gets the catalogue's for its device, or is refused: it would never run. One
/// that a template brought without is left alone; it says so itself.
async fn addressed(
    desk: &Desk,
    tx: &mut Tx,
    before: Option<&Node>,
    node: &mut Node,
) -> Result<(), Failure> {
    if node.oid.is_some() || before.is_some_and(|before| before.oid.is_none()) {
        return Ok(());
    }
    let space = match (node.job, node.column) {
        (JobType::Discovery, _) => Some(Space::Discovery),
        (JobType::Get, column) => column.map(Space::Column),
    };
    let olt = olts::find(tx, node.olt).await?.ok_or_else(|| Olts::missing(desk))?;
    let entries = entries(tx).await?;
    let entry =
        space.and_then(|space| catalogue::find(&entries, space, &olt.brand, olt.model.as_deref()));
    let Some(entry) = entry else {
        let es = "hace falta: el catálogo no tiene uno para esta OLT";
        let en = "is needed: the catalogue has none for this OLT";
        let wrong = ("oid".to_owned(), desk.lang.t(es, en).to_owned());
        return Err(check::invalid(desk.lang, vec![wrong]).into());
    };
    node.oid = Some(entry.oid.clone());
    Ok(())
}

/// What differs now from the template it came from.
fn overridden(standing: &Node, wanted: &Node) -> Overrides {
    let interval = |node: &Node| node.role.cadence().map(|cadence| cadence.interval);
    let differing = [
        (Override::Interval, interval(standing) != interval(wanted)),
        (Override::Priority, standing.priority != wanted.priority),
        (Override::Enabled, standing.switch != wanted.switch),
        (Override::Oid, standing.oid != wanted.oid),
    ];
    let own = standing.template.is_some();
    let changed = differing.into_iter().filter(|(_, changed)| own && *changed);
    changed.fold(standing.overrides, |overrides, (what, _)| overrides.with(what))
}

/// A new node, or what becomes of one: its planned run stays where it is, unless it is switched off
/// or on.
async fn write(
    desk: &Desk,
    decision: &mut Decision,
    before: Option<&Node>,
    mut node: Node,
) -> Result<Node, Failure> {
    let tx = &mut decision.tx;
    let olt = olts::find(tx, node.olt).await?.ok_or_else(|| Olts::missing(desk))?;
    if let Some(before) = before {
        (node.id, node.version, node.template) = (before.id, before.version, before.template);
    }
    if !follows(tx, &node).await? {
        let (es, en) =
            ("debe ser un nodo maestro de la misma OLT", "must be a master of the same OLT");
        let wrong = ("master_node_id".to_owned(), desk.lang.t(es, en).to_owned());
        return Err(check::invalid(desk.lang, vec![wrong]).into());
    }
    let others = nodes::of_olt(tx, node.olt).await?;
    if others.iter().any(|other| other.key == node.key && other.id != node.id) {
        let es = "La OLT ya tiene un nodo con esa clave.";
        let en = "The OLT has a node with that key.";
        return Err(conflict(desk.lang, "NOMBRE_REPETIDO", es, en).into());
    }
    if let Some(before) = before {
        node.role = planned(before, &node, &olt, desk.now);
        nodes::update(tx, &node).await?;
        node.version += 1;
        if before.switch != Switch::Off && node.switch == Switch::Off {
            let mine = std::slice::from_ref(&node);
            halt(&desk.context, decision, mine, Ending::NodeDisabled).await?;
        }
    } else {
        if let Role::Master { next_run_at, .. } = &mut node.role
            && (!olt.works() || node.switch == Switch::Off)
        {
            *next_run_at = None;
        }
        node.id = nodes::insert(tx, &node).await?;
    }
    told(decision, &node);
    wake(decision);
    Ok(node)
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

/// The wanted role with the next run it leads to.
fn planned(standing: &Node, wanted: &Node, olt: &Olt, now: Timestamp) -> Role {
    let Role::Master { cadence: asked, next_run_at: named } = &wanted.role else {
        return wanted.role.clone();
    };
    if wanted.switch == Switch::Off || !olt.works() {
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

fn told(decision: &mut Decision, node: &Node) {
    let data = json!({
        "nodo_id": node.id.0, "olt_id": node.olt.0, "next_run_at": node.role.next_run_at(),
    });
    emit(decision, "nodo:cambiado", format!("nodo/{}", node.id), data);
}

/// Pauses a node or lets it go on; that is no change of what its template says.
pub async fn pause(desk: &Desk, id: i64, switch: Switch) -> Result<NodeView, Failure> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let before = Nodes::find(&mut decision.tx, id).await?.ok_or_else(|| Nodes::missing(desk))?;
    if before.switch == Switch::Off {
        let (es, en) = ("El nodo está deshabilitado.", "The node is disabled.");
        return Err(conflict(desk.lang, "NODE_DISABLED", es, en).into());
    }
    let wanted = Node { switch, ..before.clone() };
    let node = write(desk, &mut decision, Some(&before), wanted).await?;
    let view = Nodes::view(&node, desk, &mut decision.tx).await?;
    let before = Nodes::view(&before, desk, &mut decision.tx).await?;
    let entry = desk.by().did("nodo.cambiar", format!("nodo/{id}"));
    let (before, after) = (Some(as_json(before)?), Some(as_json(&view)?));
    decision.audit(Entry { before, after, ..entry });
    decision.commit().await?;
    Ok(view)
}

/// *Ejecutar ahora*: waits for its turn like everyone, and does not count for the quota.
pub async fn run_now(desk: &Desk, id: NodeId) -> Result<RunId, Failure> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let run = ask(desk, &mut decision, id).await??;
    commit(decision).await?;
    Ok(run)
}

/// The same inside a decision: the run that waits, or why there is none.
pub async fn ask(
    desk: &Desk,
    decision: &mut Decision,
    id: NodeId,
) -> Result<Result<RunId, Problem>, Error> {
    let (tx, now, lang) = (&mut decision.tx, decision.now, desk.lang);
    let Some(node) = nodes::find(tx, id).await? else { return Ok(Err(Nodes::missing(desk))) };
    let olt = olts::find(tx, node.olt).await?;
    if olt.is_none_or(|olt| !olt.works()) {
        let (es, en) = ("La OLT está deshabilitada.", "The OLT is disabled.");
        return Ok(Err(conflict(lang, "OLT_DISABLED", es, en)));
    }
    if node.oid.is_none() {
        let (es, en) = ("El nodo no tiene OID.", "The node has no OID.");
        return Ok(Err(conflict(lang, "NO_OID", es, en)));
    }
    if let Some(live) = runs::live_of(tx, &[id]).await?.first() {
        let detail = match lang {
            Lang::Es => format!("Ya corre o espera: ejecución {}.", live.id),
            Lang::En => format!("It runs or waits already: run {}.", live.id),
        };
        return Ok(Err(Problem::conflict("ALREADY_LIVE").lang(lang).detail(detail)));
    }
    let by = desk.by();
    let new = NewRun {
        asked_by: Some(&by.name),
        ..NewRun::waiting(id, node.olt, node.job, Cause::Manual, now)
    };
    let run = runs::insert(tx, &new, now).await?;
    let after = json!({ "ejecucion_id": run.0 });
    record(decision, &by, "nodo.ejecutar", format!("nodo/{id}"), None, Some(after));
    let data = json!({ "ejecucion_id": run.0, "nodo_id": id.0, "olt_id": node.olt.0,
                       "status": "PENDING" });
    emit(decision, "ejecucion:pedida", format!("ejecucion/{run}"), data);
    Ok(Ok(run))
}
