//! *Plantillas* (F-1.2): what a template makes of the nodes of an OLT. What a person changed
//! there stays.

use crate::model::{
    After, CatalogueEntry, Column, Interval, JobType, Node, NodeId, Oid, Olt, Override, Overrides,
    Priority, Space, Switch, Template, TemplateNode, TemplateNodeId,
};

use super::catalogue;

/// What one OLT gets from a template.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Push {
    /// Masters before members of chains.
    pub wanted: Vec<Wanted>,
    /// Made from nodes that the template no longer has.
    pub gone: Vec<NodeId>,
}

/// One node as it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// None: to be made.
    pub node: Option<NodeId>,
    pub template: TemplateNodeId,
    pub key: String,
    pub name: String,
    pub job: JobType,
    /// None: the catalogue has nothing for this OLT, and the node will say so.
    pub oid: Option<Oid>,
    pub column: Option<Column>,
    pub interval: Interval,
    pub priority: Priority,
    pub switch: Switch,
    /// The key of its master on the same OLT.
    pub master: Option<(String, After)>,
    pub overrides: Overrides,
}

/// `standing` are the OLT's nodes, whichever template they came from.
pub fn push(
    template: &Template,
    olt: &Olt,
    standing: &[Node],
    known: &[TemplateNodeId],
    entries: &[CatalogueEntry],
) -> Push {
    let mut wanted: Vec<Wanted> = template
        .nodes
        .iter()
        .map(|node| {
            let present = standing.iter().find(|one| one.template == Some(node.id));
            one(node, olt, present, entries)
        })
        .collect();
    wanted.sort_by_key(|one| one.master.is_some());
    let kept = |id: TemplateNodeId| template.nodes.iter().any(|node| node.id == id);
    let gone = standing
        .iter()
        .filter(|node| node.template.is_some_and(|id| known.contains(&id) && !kept(id)))
        .map(|node| node.id)
        .collect();
    Push { wanted, gone }
}

fn one(
    node: &TemplateNode,
    olt: &Olt,
    present: Option<&Node>,
    entries: &[CatalogueEntry],
) -> Wanted {
    let found = || {
        // One brand has many readings: which one is meant, only its OID says.
        let space = node.space.filter(|space| *space != Space::Reading)?;
        let entry = catalogue::find(entries, space, &olt.brand, olt.model.as_deref())?;
        Some(entry.oid.clone())
    };
    let overrides = present.map_or(Overrides::NONE, |node| node.overrides);
    let own = |what: Override| present.filter(|_| overrides.has(what));
    let enabled = if node.enabled { Switch::On } else { Switch::Off };
    Wanted {
        node: present.map(|node| node.id),
        template: node.id,
        key: node.key.clone(),
        name: node.name.clone(),
        job: node.job,
        oid: match own(Override::Oid) {
            Some(own) => own.oid.clone(),
            None => node.oid.clone().or_else(found),
        },
        column: node.space.and_then(Space::column),
        interval: own(Override::Interval)
            .and_then(|own| own.role.cadence())
            .map_or(node.interval, |cadence| cadence.interval),
        priority: own(Override::Priority).map_or(node.priority, |own| own.priority),
        switch: match (own(Override::Enabled), present.map(|one| one.switch)) {
            (Some(own), _) => own.switch,
            // A pause is of the OLT's day, not of the template's plan.
            (None, Some(Switch::Paused)) if node.enabled => Switch::Paused,
            (None, _) => enabled,
        },
        master: node.master.clone(),
        overrides,
    }
}

/// Why a template cannot be, in Spanish and English: the field at fault first.
pub fn check(nodes: &[TemplateNode]) -> Vec<(String, String, String)> {
    let mut wrong = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        let mut say = |field: &str, es: &str, en: &str| {
            wrong.push((format!("nodos[{at}].{field}"), es.to_owned(), en.to_owned()));
        };
        if nodes[..at].iter().any(|other| other.key == node.key) {
            say("clave", "está repetida", "is there twice");
        }
        if node.oid.is_none() && matches!(node.space, None | Some(Space::Reading)) {
            say("oid", "hace falta un OID o un espacio", "an OID or a space is needed");
        }
        if node.space.is_some_and(|space| space.job() != node.job) {
            say("espacio", "no es de ese tipo de trabajo", "is not of that job type");
        }
        let Some((key, _)) = &node.master else { continue };
        let master = nodes.iter().find(|other| other.key == *key);
        if master.is_none_or(|master| master.master.is_some() || master.key == node.key) {
            say(
                "maestro",
                "debe ser la clave de un nodo maestro de la plantilla",
                "must be the key of a master of the template",
            );
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{OltId, Role, SnmpVersion, TemplateId},
        rules::{
            due,
            samples::{at, every},
        },
    };

    fn template_node(id: i64, key: &str, space: Space) -> TemplateNode {
        TemplateNode {
            id: TemplateNodeId(id),
            key: key.to_owned(),
            name: key.to_owned(),
            job: space.job(),
            space: Some(space),
            oid: None,
            interval: every(900),
            priority: Priority::default(),
            enabled: true,
            master: None,
        }
    }

    fn olt(brand: &str) -> Olt {
        Olt {
            id: OltId(1),
            name: "SMP-10".to_owned(),
            brand: brand.to_owned(),
            model: None,
            address: "192.0.2.1".to_owned(),
            port: 161,
            version: SnmpVersion::V2c,
            enabled: true,
            workflow_active: true,
            backoff: None,
            row_version: 1,
        }
    }

    fn node(id: i64, template: i64, interval: i64, overrides: Overrides) -> Node {
        let (cadence, next) = due::enabled(every(interval), at("10:00:00"));
        let role = Role::Master { cadence, next_run_at: Some(next) };
        Node {
            id: NodeId(id),
            template: Some(TemplateNodeId(template)),
            oid: Some("1.3.6.1.9".parse().unwrap()),
            priority: Priority::BEST,
            switch: Switch::Off,
            overrides,
            ..Node::new(OltId(1), "old".to_owned(), JobType::Get, role)
        }
    }

    fn template(nodes: Vec<TemplateNode>) -> Template {
        Template { id: TemplateId(1), name: "base".to_owned(), active: true, nodes, version: 1 }
    }

    #[test]
    fn each_olt_gets_the_oid_of_its_brand_and_masters_come_first() {
        let mut member = template_node(2, "get.mac", Space::Column(Column::Mac));
        member.master = Some(("discover".to_owned(), After::Success));
        let base = template(vec![member, template_node(1, "discover", Space::Discovery)]);
        let entries = catalogue::shipped();
        let pushed = |brand| push(&base, &olt(brand), &[], &[], &entries);
        let keys: Vec<_> = pushed("ZTE").wanted.into_iter().map(|one| one.key).collect();
        assert_eq!(keys, ["discover", "get.mac"]);
        let oid = |brand| pushed(brand).wanted[0].oid.as_ref().map(ToString::to_string);
        assert!(oid("Huawei").unwrap().starts_with("1.3.6.1.4.1.2011."));
        assert!(oid("zte").unwrap().starts_with("1.3.6.1.4.1.3902."));
        assert_eq!(oid("Genérico"), None, "and the node says so");
    }

    #[test]
    fn what_a_person_changed_stays_and_the_rest_follows() {
        let base = template(vec![template_node(1, "discover", Space::Discovery)]);
        let changed = Overrides::NONE.with(Override::Interval).with(Override::Enabled);
        let standing = [node(7, 1, 300, changed), node(8, 9, 300, Overrides::NONE)];
        let known = [TemplateNodeId(1), TemplateNodeId(9)];
        let pushed = push(&base, &olt("Huawei"), &standing, &known, &catalogue::shipped());
        let [one] = pushed.wanted.as_slice() else { panic!("{pushed:?}") };
        assert_eq!(
            (one.node, one.interval, one.switch),
            (Some(NodeId(7)), every(300), Switch::Off)
        );
        assert_eq!((one.priority, one.key.as_str()), (Priority::default(), "discover"));
        assert_eq!(pushed.gone, [NodeId(8)], "the template no longer has it");
        let strangers = push(&base, &olt("Huawei"), &standing, &[], &catalogue::shipped());
        assert_eq!(strangers.gone, [], "nodes of other templates are left alone");
    }

    #[test]
    fn a_template_that_contradicts_itself_is_told_where() {
        let mut lost = template_node(1, "a", Space::Discovery);
        lost.master = Some(("nobody".to_owned(), After::Success));
        let mut own = template_node(2, "a", Space::Discovery);
        (own.job, own.space) = (JobType::Get, Some(Space::Discovery));
        let mut bare = template_node(3, "c", Space::Discovery);
        bare.space = None;
        let paths: Vec<_> = check(&[lost, own, bare]).into_iter().map(|(path, ..)| path).collect();
        assert_eq!(
            paths,
            ["nodos[0].maestro", "nodos[1].clave", "nodos[1].espacio", "nodos[2].oid"]
        );
        assert!(check(&[template_node(1, "a", Space::Discovery)]).is_empty());
    }
}
