//! Templates: changed, linked to OLTs, pushed.

use db::{Decision, Error};
use host::{By, Failure};
use jiff::Timestamp;
use serde_json::json;

use super::{Changed, catalogue::entries, commit, emit, nodes as planning, record};
use crate::{
    Context,
    model::{
        CatalogueEntry, Ending, Node, NodeId, Olt, OltId, Role, RunId, Switch, Template,
        TemplateId, TemplateNode, TemplateNodeId,
    },
    policy::Policy,
    rules::{
        due,
        template::{self as rules, Wanted},
    },
    store::{self, nodes, olts, policy, templates},
    wire::TemplateView,
};

/// A template as somebody wants it; nodes are known by their keys.
#[derive(Debug, Clone)]
pub struct Wish {
    pub name: String,
    pub active: bool,
    pub nodes: Vec<TemplateNode>,
    pub olts: Vec<OltId>,
}

/// What a change needs at hand, and which runs it ended.
struct Push<'a> {
    policy: &'a Policy,
    entries: &'a [CatalogueEntry],
    /// Nodes of this template, also those it has just lost.
    known: &'a [TemplateNodeId],
    ended: Vec<RunId>,
}

pub async fn create(
    context: &Context,
    by: &By,
    wish: &Wish,
    now: Timestamp,
) -> Result<Changed<TemplateId>, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let tx = &mut decision.tx;
    if templates::all(tx).await?.iter().any(|other| other.name == wish.name) {
        return Ok(Changed::Duplicate);
    }
    if let Some((olt, key)) = taken(tx, wish, &[]).await? {
        return Ok(Changed::KeyTaken { olt, key });
    }
    let id = templates::insert(tx, &wish.name, wish.active).await?;
    let Some(standing) = templates::find(tx, id).await? else { return Ok(Changed::NotFound) };
    bring(context, decision, by, standing, wish, "plantilla.crear").await?;
    Ok(Changed::Done(id))
}

pub async fn update(
    context: &Context,
    by: &By,
    id: TemplateId,
    expected: Option<i64>,
    typed: impl Fn(&Template, &[OltId]) -> Result<Wish, Failure>,
    now: Timestamp,
) -> Result<Changed<TemplateId>, Failure> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let tx = &mut decision.tx;
    let all = templates::all(tx).await?;
    let Some(standing) = all.iter().find(|one| one.id == id).cloned() else {
        return Ok(Changed::NotFound);
    };
    let wish = &typed(&standing, &templates::links(tx, id).await?)?;
    if all.iter().any(|other| other.name == wish.name && other.id != id) {
        return Ok(Changed::Duplicate);
    }
    if expected.is_some_and(|expected| expected != standing.version) {
        return Ok(Changed::Stale { current: standing.version });
    }
    if let Some((olt, key)) = taken(tx, wish, &standing.nodes).await? {
        return Ok(Changed::KeyTaken { olt, key });
    }
    bring(context, decision, by, standing, wish, "plantilla.cambiar").await?;
    Ok(Changed::Done(id))
}

/// An OLT with a node of the same key that this template did not bring.
async fn taken(
    tx: &mut db::Tx,
    wish: &Wish,
    own: &[TemplateNode],
) -> Result<Option<(String, String)>, Error> {
    for id in &wish.olts {
        let foreign = |node: &Node| !own.iter().any(|own| Some(own.id) == node.template);
        let wished = |node: &Node| wish.nodes.iter().any(|one| one.key == node.key);
        let standing = nodes::of_olt(tx, *id).await?;
        let Some(node) = standing.into_iter().find(|node| foreign(node) && wished(node)) else {
            continue;
        };
        let olt = olts::find(tx, *id).await?.map_or_else(|| id.to_string(), |olt| olt.name);
        return Ok(Some((olt, node.key)));
    }
    Ok(None)
}

/// Makes the template what is wished for, and its OLTs with it; all in one commit.
async fn bring(
    context: &Context,
    mut decision: Decision,
    by: &By,
    standing: Template,
    wish: &Wish,
    action: &str,
) -> Result<(), Error> {
    let id = standing.id;
    let tx = &mut decision.tx;
    let known: Vec<_> = standing.nodes.iter().map(|node| node.id).collect();
    let before = templates::links(tx, id).await?;
    let policy = policy::load(context, tx).await?;
    let entries = entries(tx).await?;
    let changed = Template { name: wish.name.clone(), active: wish.active, ..standing.clone() };
    templates::update(tx, &changed).await?;
    for olt in &wish.olts {
        templates::link(tx, id, *olt).await?;
    }
    let unlinked: Vec<OltId> =
        before.iter().filter(|olt| !wish.olts.contains(olt)).copied().collect();
    for olt in &unlinked {
        templates::unlink(tx, id, *olt).await?;
    }
    let lost = keep_nodes(&mut decision, &standing, wish).await?;
    let mut push = Push { policy: &policy, entries: &entries, known: &known, ended: Vec::new() };
    let after = templates::find(&mut decision.tx, id).await?;
    let mut after = after.ok_or_else(|| Error::corrupt("the template is gone"))?;
    after.nodes.retain(|node| !lost.contains(&node.id));
    for olt in &wish.olts {
        let Some(olt) = olts::find(&mut decision.tx, *olt).await? else { continue };
        onto(&mut decision, &mut push, &after, &olt).await?;
    }
    let bare = Template { nodes: Vec::new(), ..after.clone() };
    for olt in &unlinked {
        let Some(olt) = olts::find(&mut decision.tx, *olt).await? else { continue };
        onto(&mut decision, &mut push, &bare, &olt).await?;
    }
    for node in lost {
        templates::remove_node(&mut decision.tx, node).await?;
    }
    switch(&mut decision, &mut push, &standing, &after).await?;
    let ended = push.ended;
    let shown = |template: &Template, olts: &[OltId]| {
        json!(TemplateView::new(template, olts.iter().map(|olt| olt.0).collect()))
    };
    let (before, then) = (Some(shown(&standing, &before)), Some(shown(&after, &wish.olts)));
    record(&mut decision, by, action, format!("plantilla/{id}"), before, then);
    let data = json!({ "plantilla_id": id.0, "olts": wish.olts.len() });
    emit(&mut decision, "plantilla:cambiada", format!("plantilla/{id}"), data);
    commit(context, decision, ended).await
}

/// Writes the template's own nodes by their keys. Those it lost are removed once no OLT has them.
async fn keep_nodes(
    decision: &mut Decision,
    standing: &Template,
    wish: &Wish,
) -> Result<Vec<TemplateNodeId>, Error> {
    for node in &wish.nodes {
        match standing.nodes.iter().find(|known| known.key == node.key) {
            Some(known) => {
                let node = TemplateNode { id: known.id, ..node.clone() };
                templates::update_node(&mut decision.tx, &node).await?;
            }
            None => {
                templates::insert_node(&mut decision.tx, standing.id, node).await?;
            }
        }
    }
    let lost: Vec<_> = standing
        .nodes
        .iter()
        .filter(|known| !wish.nodes.iter().any(|node| node.key == known.key))
        .map(|known| known.id)
        .collect();
    Ok(lost)
}

async fn onto(
    decision: &mut Decision,
    push: &mut Push<'_>,
    template: &Template,
    olt: &Olt,
) -> Result<(), Error> {
    let standing = nodes::of_olt(&mut decision.tx, olt.id).await?;
    let plan = rules::push(template, olt, &standing, push.known, push.entries);
    let gone: Vec<Node> =
        standing.iter().filter(|node| plan.gone.contains(&node.id)).cloned().collect();
    let ended = planning::halt(decision, push.policy, &gone, Ending::NodeDisabled).await?;
    push.ended.extend(ended);
    // Members before their masters, which they refer to.
    for node in gone.iter().rev() {
        nodes::remove(&mut decision.tx, node.id).await?;
    }
    let mut masters: Vec<(String, NodeId)> = Vec::new();
    for one in &plan.wanted {
        let present = standing.iter().find(|node| Some(node.id) == one.node);
        let id = place(decision, push, olt, template, one, present, &masters).await?;
        masters.push((one.key.clone(), id));
    }
    Ok(())
}

async fn place(
    decision: &mut Decision,
    push: &mut Push<'_>,
    olt: &Olt,
    template: &Template,
    wanted: &Wanted,
    present: Option<&Node>,
    masters: &[(String, NodeId)],
) -> Result<NodeId, Error> {
    let works = olt.enabled && olt.workflow_active && template.active;
    let role = role(wanted, present, masters, works, decision.now)?;
    let node = Node {
        id: present.map_or(NodeId(0), |node| node.id),
        olt: olt.id,
        template: Some(wanted.template),
        key: wanted.key.clone(),
        name: wanted.name.clone(),
        job: wanted.job,
        oid: wanted.oid.clone(),
        column: wanted.column,
        priority: wanted.priority,
        switch: wanted.switch,
        role,
        overrides: wanted.overrides,
        last_run_at: None,
        last_success_at: None,
        last_failure_at: None,
        version: present.map_or(1, |node| node.version),
    };
    let Some(present) = present else { return nodes::insert(&mut decision.tx, &node).await };
    nodes::update(&mut decision.tx, &node).await?;
    if present.switch != Switch::Off && node.switch == Switch::Off {
        let mine = std::slice::from_ref(&node);
        let ended = planning::halt(decision, push.policy, mine, Ending::NodeDisabled).await?;
        push.ended.extend(ended);
    }
    Ok(node.id)
}

/// A member of a chain, or a master whose planned run stays where it is.
fn role(
    wanted: &Wanted,
    present: Option<&Node>,
    masters: &[(String, NodeId)],
    works: bool,
    now: Timestamp,
) -> Result<Role, Error> {
    if let Some((key, after)) = &wanted.master {
        let master = masters.iter().find(|(known, _)| known == key);
        let (_, master) = master.ok_or_else(|| Error::corrupt("a chain without its master"))?;
        return Ok(Role::Chain { master: *master, after: *after });
    }
    let (fresh, first) = due::enabled(wanted.interval, now);
    let runs = works && wanted.switch == Switch::On;
    let standing = present.map(|node| &node.role).filter(|_| runs);
    Ok(match standing {
        Some(Role::Master { cadence, next_run_at: Some(planned) }) => Role::Master {
            cadence: due::changed(cadence, Some(*planned), wanted.interval),
            next_run_at: Some(*planned),
        },
        Some(Role::Master { next_run_at: None, .. } | Role::Chain { .. }) | None => {
            Role::Master { cadence: fresh, next_run_at: runs.then_some(first) }
        }
    })
}

/// A template switched off stops its nodes everywhere; switched on they begin anew.
async fn switch(
    decision: &mut Decision,
    push: &mut Push<'_>,
    before: &Template,
    after: &Template,
) -> Result<(), Error> {
    if before.active == after.active {
        return Ok(());
    }
    let mine = nodes::of_template(&mut decision.tx, after.id).await?;
    if !after.active {
        let ended = planning::halt(decision, push.policy, &mine, Ending::TemplateInactive).await?;
        push.ended.extend(ended);
        return Ok(());
    }
    let working: Vec<OltId> = olts::all(&mut decision.tx)
        .await?
        .into_iter()
        .filter(|olt| olt.enabled && olt.workflow_active)
        .map(|olt| olt.id)
        .collect();
    let mine: Vec<Node> = mine.into_iter().filter(|node| working.contains(&node.olt)).collect();
    planning::revive(decision, &mine).await
}

/// Deletes a template and the nodes that were made from it.
pub async fn delete(
    context: &Context,
    by: &By,
    id: TemplateId,
    expected: Option<i64>,
    now: Timestamp,
) -> Result<Changed<()>, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let tx = &mut decision.tx;
    let Some(template) = templates::find(tx, id).await? else { return Ok(Changed::NotFound) };
    if expected.is_some_and(|expected| expected != template.version) {
        return Ok(Changed::Stale { current: template.version });
    }
    let policy = policy::load(context, tx).await?;
    let mut mine = nodes::of_any_olt(tx, id).await?;
    mine.sort_by_key(|node| matches!(node.role, Role::Master { .. }));
    let ended = planning::halt(&mut decision, &policy, &mine, Ending::TemplateInactive).await?;
    for node in &mine {
        nodes::remove(&mut decision.tx, node.id).await?;
    }
    templates::remove(&mut decision.tx, id).await?;
    let before = Some(json!({ "nombre": template.name, "nodos": mine.len() }));
    record(&mut decision, by, "plantilla.borrar", format!("plantilla/{id}"), before, None);
    let data = json!({ "plantilla_id": id.0 });
    emit(&mut decision, "plantilla:borrada", format!("plantilla/{id}"), data);
    commit(context, decision, ended).await?;
    Ok(Changed::Done(()))
}
