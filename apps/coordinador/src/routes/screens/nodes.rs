//! Gathers what the pages of nodes show.

use engine::Roles as _;
use engine::Word as _;
use std::collections::HashMap;

use axum::response::Response;
use db::{Error, Tx};
use host::{Console, Failure};
use jiff::Timestamp;
use serde::Deserialize;
use web::{Page, Path, Query};

use super::{Desk, event, names, render};
use crate::{
    decisions::catalogue::entries,
    model::{JobType, Node, NodeId, OltId},
    pages::{
        Names,
        nodes::{Narrowed, NodeLine, NodePage, NodesPage},
        runs::RunLine,
        words::{self, Used},
    },
    policy::{Action, QuotaPolicy},
    routes::{
        missing,
        nodes::{NODE, explain},
        settings::quota,
    },
    store::{journal, nodes, policy, runs, world},
    wire::OidView,
};

const SHOWN: usize = 100;
const HISTORY: i64 = 15;

#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    q: Option<String>,
    olt_id: Option<String>,
    tipo: Option<String>,
    habilitado: Option<String>,
    cursor: Option<String>,
}

pub(super) async fn list(
    desk: Desk,
    console: Console,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Nodos", "Nodes"));
    let cursor = wanted.cursor.and_then(|cursor| cursor.parse().ok());
    let wanted = Narrowed {
        text: wanted.q.unwrap_or_default(),
        olt: wanted.olt_id.unwrap_or_default(),
        job: wanted.tipo.unwrap_or_default(),
        on: wanted.habilitado.unwrap_or_default(),
    };
    let filter = nodes::Filter {
        olt: wanted.olt.parse().ok().map(OltId),
        job: JobType::from_word(&wanted.job),
        on: match wanted.on.as_str() {
            "si" => Some(true),
            "no" => Some(false),
            _ => None,
        },
        part: Some(wanted.text.trim().to_owned()).filter(|part| !part.is_empty()),
        after: cursor.map(NodeId),
    };
    let mut tx = desk.context.store.read().await?;
    let mut found = nodes::list(&mut tx, &filter, SHOWN as i64 + 1).await?;
    let more = found.len() > SHOWN;
    found.truncate(SHOWN);
    let last = found.last().map(|node| node.id.to_string()).filter(|_| more);
    let names = names(&mut tx).await?;
    let used = used(&desk, &mut tx, &page, &found).await?;
    let oids = entries(&mut tx).await?.iter().map(OidView::new).collect();
    let line = |node: &Node| NodeLine::new(&page, &names, node, used.get(&node.id).cloned());
    let view = NodesPage {
        lines: found.iter().map(line).collect(),
        next: last.map(|cursor| wanted.address(&cursor)),
        oids,
        may_edit: desk.role.can(Action::Edit),
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
    let each = masters.iter().map(|node| (node.id, used_by(page, node, &starts, &rules, desk.now)));
    Ok(each.collect())
}

fn used_by(
    page: &Page,
    node: &Node,
    starts: &HashMap<NodeId, Vec<Timestamp>>,
    rules: &QuotaPolicy,
    now: Timestamp,
) -> Used {
    words::used(page, &quota(node, starts, rules, now))
}

pub(super) async fn one(
    desk: Desk,
    console: Console,
    Path(id): Path<i64>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Nodo", "Node"));
    let mut tx = desk.context.store.read().await?;
    let node = nodes::find(&mut tx, NodeId(id)).await?;
    let node = node.ok_or_else(|| missing(desk.lang, NODE))?;
    drop(tx);
    let answer = explain(&desk, &node).await?;
    let mut tx = desk.context.store.read().await?;
    let names = names(&mut tx).await?;
    let used = used(&desk, &mut tx, &page, std::slice::from_ref(&node)).await?;
    let filter = runs::Filter { node: Some(node.id), ..runs::Filter::default() };
    let told = runs::list(&mut tx, &filter, HISTORY).await?;
    let filter = journal::Filter { node: Some(node.id), ..journal::Filter::default() };
    let kept = journal::list(&mut tx, &filter, HISTORY).await?;
    let oids = entries(&mut tx).await?.iter().map(OidView::new).collect();
    let view = NodePage {
        line: NodeLine::new(&page, &names, &node, used.get(&node.id).cloned()),
        answer,
        chain: chain(&mut tx, &names, node.id).await?,
        runs: told.iter().map(|told| RunLine::new(&page, &names, told)).collect(),
        events: kept.iter().map(|kept| event(&page, &names, kept)).collect(),
        oids,
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
