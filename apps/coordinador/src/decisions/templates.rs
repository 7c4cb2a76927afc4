//! Templates: changed, linked to OLTs, pushed.

use db::{Decision, Error, Tx};
use host::{Failure, conflict, edit::Editable, unknown};
use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};
use web::Problem;

use super::{catalogue::entries, emit, nodes as planning, wake};
use crate::{
    Context, Desk,
    model::{
        CatalogueEntry, Ending, Node, NodeId, Olt, OltId, Role, Switch, Template, TemplateId,
        TemplateNode, TemplateNodeId,
    },
    policy,
    rules::{
        due,
        template::{self as rules, Wanted},
    },
    store::{nodes, olts, templates},
    wire::{TemplateRequest, TemplateView},
};

/// How templates are edited.
#[derive(Debug)]
pub struct Templates;

/// What people are shown of a template.
pub async fn view(tx: &mut Tx, template: &Template) -> Result<TemplateView, Error> {
    let olts = templates::links(tx, template.id).await?;
    Ok(TemplateView::new(template, olts.iter().map(|olt| olt.0).collect()))
}

impl Editable for Templates {
    type Item = Template;
    type Role = policy::Role;
    type Context = Context;
    type Request = TemplateRequest;
    type View = TemplateView;
    const NOUN: &'static str = "plantilla";
    const CHANGED: &'static str = "cambiar";

    fn id(template: &Template) -> i64 {
        template.id.0
    }

    fn version(template: &Template) -> Option<i64> {
        Some(template.version)
    }

    fn missing(desk: &Desk) -> Problem {
        let (es, en) = ("No existe esa plantilla.", "There is no such template.");
        unknown(desk.lang, "PLANTILLA_INEXISTENTE", es, en)
    }

    async fn find(tx: &mut Tx, id: i64) -> Result<Option<Template>, Error> {
        templates::find(tx, TemplateId(id)).await
    }

    async fn view(template: &Template, _: &Desk, tx: &mut Tx) -> Result<TemplateView, Error> {
        view(tx, template).await
    }

    async fn standing(
        template: &Template,
        tx: &mut Tx,
        _: &Map<String, Json>,
    ) -> Result<TemplateRequest, Error> {
        Ok(view(tx, template).await?.into())
    }

    async fn save(
        desk: &Desk,
        decision: &mut Decision,
        before: Option<&Template>,
        request: &TemplateRequest,
    ) -> Result<Template, Failure> {
        let tx = &mut decision.tx;
        let (mut wanted, olts) = request.typed(desk.lang, &olts::all(tx).await?)?;
        let own = before.map(|before| before.id);
        let all = templates::all(tx).await?;
        if all.iter().any(|other| other.name == wanted.name && Some(other.id) != own) {
            let es = "Ya hay una plantilla con ese nombre.";
            let en = "There is a template with that name.";
            return Err(conflict(desk.lang, "NOMBRE_REPETIDO", es, en).into());
        }
        let known = before.map_or(&[][..], |before| &before.nodes);
        if let Some((olt, key)) = taken(tx, &wanted, &olts, known).await? {
            let es = format!("La OLT {olt} ya tiene un nodo {key} que no es de esta plantilla.");
            let en = format!("OLT {olt} has a node {key} that is not of this template.");
            return Err(conflict(desk.lang, "CLAVE_OCUPADA", &es, &en).into());
        }
        let made = Template { nodes: Vec::new(), ..wanted.clone() };
        let before = before.unwrap_or(&made);
        (wanted.id, wanted.version) = (before.id, before.version);
        if own.is_none() {
            wanted.id = templates::insert(tx, &wanted.name, wanted.active).await?;
        }
        Ok(bring(&desk.context, decision, before, &wanted, &olts).await?)
    }

    /// Removes it and the nodes that were made from it.
    async fn remove(template: &Template, desk: &Desk, to: &mut Decision) -> Result<(), Failure> {
        let id = template.id;
        let mut mine = nodes::of_any_olt(&mut to.tx, id).await?;
        mine.sort_by_key(|node| matches!(node.role, Role::Master { .. }));
        planning::halt(&desk.context, to, &mine, Ending::TemplateInactive).await?;
        for node in &mine {
            nodes::remove(&mut to.tx, node.id).await?;
        }
        templates::remove(&mut to.tx, id).await?;
        let data = json!({ "plantilla_id": id.0 });
        emit(to, "plantilla:borrada", format!("plantilla/{id}"), data);
        wake(to);
        Ok(())
    }
}

/// An OLT with a node of the same key that this template did not bring.
async fn taken(
    tx: &mut Tx,
    wanted: &Template,
    olts: &[OltId],
    own: &[TemplateNode],
) -> Result<Option<(String, String)>, Error> {
    for id in olts {
        let foreign = |node: &Node| !own.iter().any(|own| Some(own.id) == node.template);
        let wished = |node: &Node| wanted.nodes.iter().any(|one| one.key == node.key);
        let standing = nodes::of_olt(tx, *id).await?;
        let Some(node) = standing.into_iter().find(|node| foreign(node) && wished(node)) else {
            continue;
        };
        let olt = olts::find(tx, *id).await?.map_or_else(|| id.to_string(), |olt| olt.name);
        return Ok(Some((olt, node.key)));
    }
    Ok(None)
}

/// What a push needs at hand.
struct Push<'a> {
    context: &'a Context,
    entries: &'a [CatalogueEntry],
    /// Nodes of this template, also those it has just lost.
    known: &'a [TemplateNodeId],
}

/// Makes the template what is wanted, and its OLTs with it.
async fn bring(
    context: &Context,
    decision: &mut Decision,
    before: &Template,
    wanted: &Template,
    olts: &[OltId],
) -> Result<Template, Error> {
    let id = wanted.id;
    let tx = &mut decision.tx;
    let known: Vec<_> = before.nodes.iter().map(|node| node.id).collect();
    let mut unlinked = templates::links(tx, id).await?;
    unlinked.retain(|olt| !olts.contains(olt));
    let entries = entries(tx).await?;
    templates::update(tx, wanted).await?;
    for olt in olts {
        templates::link(tx, id, *olt).await?;
    }
    for olt in &unlinked {
        templates::unlink(tx, id, *olt).await?;
    }
    let lost = keep_nodes(tx, before, wanted).await?;
    let push = Push { context, entries: &entries, known: &known };
    let after = templates::find(tx, id).await?;
    let mut after = after.ok_or_else(|| Error::corrupt("the template is gone"))?;
    after.nodes.retain(|node| !lost.contains(&node.id));
    let bare = Template { nodes: Vec::new(), ..after.clone() };
    let linked = olts.iter().map(|olt| (olt, &after));
    for (olt, template) in linked.chain(unlinked.iter().map(|olt| (olt, &bare))) {
        if let Some(olt) = olts::find(&mut decision.tx, *olt).await? {
            onto(decision, &push, template, &olt).await?;
        }
    }
    for node in lost {
        templates::remove_node(&mut decision.tx, node).await?;
    }
    switch(context, decision, before, &after).await?;
    let data = json!({ "plantilla_id": id.0, "olts": olts.len() });
    emit(decision, "plantilla:cambiada", format!("plantilla/{id}"), data);
    wake(decision);
    Ok(after)
}

/// Writes the template's own nodes by their keys. Those it lost are removed once no OLT has them.
async fn keep_nodes(
    tx: &mut Tx,
    before: &Template,
    wanted: &Template,
) -> Result<Vec<TemplateNodeId>, Error> {
    for node in &wanted.nodes {
        if let Some(known) = before.nodes.iter().find(|known| known.key == node.key) {
            let node = TemplateNode { id: known.id, ..node.clone() };
            templates::update_node(tx, &node).await?;
        } else {
            templates::insert_node(tx, wanted.id, node).await?;
        }
    }
    let kept = |known: &&TemplateNode| wanted.nodes.iter().any(|node| node.key == known.key);
    Ok(before.nodes.iter().filter(|known| !kept(known)).map(|known| known.id).collect())
}

async fn onto(
    decision: &mut Decision,
    push: &Push<'_>,
    template: &Template,
    olt: &Olt,
) -> Result<(), Error> {
    let standing = nodes::of_olt(&mut decision.tx, olt.id).await?;
    let plan = rules::push(template, olt, &standing, push.known, push.entries);
    let gone: Vec<Node> =
        standing.iter().filter(|node| plan.gone.contains(&node.id)).cloned().collect();
    planning::halt(push.context, decision, &gone, Ending::NodeDisabled).await?;
    // Members before their masters, which they refer to.
    for node in gone.iter().rev() {
        nodes::remove(&mut decision.tx, node.id).await?;
    }
    let mut masters: Vec<(String, NodeId)> = Vec::new();
    for one in &plan.wanted {
        let present = standing.iter().find(|node| Some(node.id) == one.node);
        let works = olt.works() && template.active;
        let role = role(one, present, &masters, works, decision.now)?;
        let id = place(push.context, decision, olt.id, one, present, role).await?;
        masters.push((one.key.clone(), id));
    }
    Ok(())
}

async fn place(
    context: &Context,
    decision: &mut Decision,
    olt: OltId,
    wanted: &Wanted,
    present: Option<&Node>,
    role: Role,
) -> Result<NodeId, Error> {
    let node = Node {
        id: present.map_or(NodeId(0), |node| node.id),
        template: Some(wanted.template),
        name: wanted.name.clone(),
        oid: wanted.oid.clone(),
        column: wanted.column,
        priority: wanted.priority,
        switch: wanted.switch,
        overrides: wanted.overrides,
        version: present.map_or(1, |node| node.version),
        ..Node::new(olt, wanted.key.clone(), wanted.job, role)
    };
    let Some(present) = present else { return nodes::insert(&mut decision.tx, &node).await };
    nodes::update(&mut decision.tx, &node).await?;
    if present.switch != Switch::Off && node.switch == Switch::Off {
        let mine = std::slice::from_ref(&node);
        planning::halt(context, decision, mine, Ending::NodeDisabled).await?;
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
    context: &Context,
    decision: &mut Decision,
    before: &Template,
    after: &Template,
) -> Result<(), Error> {
    if before.active == after.active {
        return Ok(());
    }
    let mut mine = nodes::of_template(&mut decision.tx, after.id).await?;
    if !after.active {
        return planning::halt(context, decision, &mine, Ending::TemplateInactive).await;
    }
    let olts = olts::all(&mut decision.tx).await?;
    mine.retain(|node| olts.iter().any(|olt| olt.id == node.olt && olt.works()));
    planning::revive(decision, &mine).await
}
