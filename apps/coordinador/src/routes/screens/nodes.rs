//! Gathers what the pages of nodes show.

use engine::Roles as _;
use engine::Word as _;
use std::collections::HashMap;

use axum::response::Response;
use db::{Error, Tx};
use host::{Console, Failure, Listed, edit::Editable as _};
use web::{Page, Path, Query};

use super::{Desk, event, names, render};
use crate::{
    decisions::{
        catalogue::{filled, views as oids},
        nodes::Nodes,
    },
    model::{JobType, Node, NodeId, OltId},
    pages::{
        Asked, Names, Reads,
        nodes::{NodeLine, NodePage, NodesPage},
        runs::RunLine,
        words::{self, Used},
    },
    policy::Action,
    routes::{nodes::explain, settings::quota},
    rules::quota::Usage,
    store::{journal, nodes, policy, runs, world},
};

const SHOWN: usize = 100;
const HISTORY: i64 = 15;

#[derive(Debug)]
pub(super) struct List;

impl Reads for List {
    const NAMES: &'static [&'static str] = &["q", "olt_id", "tipo", "habilitado", "cursor"];
}

pub(super) async fn list(
    desk: Desk,
    console: Console,
    Query(Asked(wanted, _)): Query<Asked<List>>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Nodos", "Nodes"));
    let filter = nodes::Filter {
        olt: wanted.number("olt_id").map(OltId),
        job: JobType::from_word(wanted.of("tipo")),
        on: wanted.flag("habilitado"),
        part: wanted.part(),
        after: wanted.number("cursor").map(NodeId),
    };
    let mut tx = desk.context.store.read().await?;
    let found = nodes::list(&mut tx, &filter, SHOWN as i64 + 1).await?;
    let Listed { items: found, next } = Listed::page(found, SHOWN, |node| node.id.0);
    let names = names(&mut tx).await?;
    let used = used(&desk, &mut tx, &page, &found).await?;
    let line = |node: &Node| NodeLine::new(&page, &names, node, used.get(&node.id).cloned());
    let view = NodesPage {
        lines: found.iter().map(line).collect(),
        next: next.map(|cursor| wanted.after("/coordinador/nodos", &cursor.to_string())),
        oids: oids(&mut tx).await?,
        may_edit: desk.role.can(Action::Edit),
        may_operate: desk.role.can(Action::Operate),
        wanted,
        names,
        page,
    };
    render(&desk, &view)
}

/// How much of their hour these used.
pub(super) async fn used(
    desk: &Desk,
    tx: &mut Tx,
    page: &Page,
    of: &[Node],
) -> Result<HashMap<NodeId, Used>, Error> {
    let rules = policy::load(&desk.context, tx).await?.quota;
    let masters: Vec<&Node> = of.iter().filter(|node| node.role.cadence().is_some()).collect();
    let ids = masters.iter().map(|node| node.id);
    let starts = world::recent_starts(tx, ids, desk.now).await?;
    let used = |node: &Node| {
        let quota = quota(node, &starts, &rules, desk.now);
        let usage = Usage { used: quota.usados, max: quota.maximo };
        words::used(page, usage, &rules, quota.sobre_ritmo)
    };
    Ok(masters.iter().map(|node| (node.id, used(node))).collect())
}

pub(super) async fn one(
    desk: Desk,
    console: Console,
    Path(id): Path<i64>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut page = console.page(console.lang.t("Nodo", "Node"));
    let mut tx = desk.context.store.read().await?;
    let node = nodes::find(&mut tx, NodeId(id)).await?;
    let node = node.ok_or_else(|| Nodes::missing(&desk))?;
    let node = filled(&mut tx, vec![node]).await?.remove(0);
    drop(tx);
    let answer = explain(&desk, &node).await?;
    let mut tx = desk.context.store.read().await?;
    let names = names(&mut tx).await?;
    page.title = format!("{} {}", page.title, names.node(node.id));
    let used = used(&desk, &mut tx, &page, std::slice::from_ref(&node)).await?;
    let filter = runs::Filter { node: Some(node.id), ..runs::Filter::default() };
    let told = runs::list(&mut tx, &filter, HISTORY).await?;
    let filter = journal::Filter { node: Some(node.id), ..journal::Filter::default() };
    let kept = journal::list(&mut tx, &filter, HISTORY).await?;
    let view = NodePage {
        line: NodeLine::new(&page, &names, &node, used.get(&node.id).cloned()),
        answer,
        chain: chain(&mut tx, &names, node.id).await?,
        runs: told.iter().map(|told| RunLine::new(&page, &names, told)).collect(),
        events: kept.iter().map(|kept| event(&page, &names, kept)).collect(),
        oids: oids(&mut tx).await?,
        may_edit: desk.role.can(Action::Edit),
        may_operate: desk.role.can(Action::Operate),
        names,
        node,
        page,
    };
    render(&desk, &view)
}

async fn chain(tx: &mut Tx, names: &Names, master: NodeId) -> Result<Vec<(i64, String)>, Error> {
    let members = nodes::chain(tx, master).await?;
    Ok(members.iter().map(|node| (node.id.0, names.node(node.id))).collect())
}
