//! Gathers what the pages of OLTs show.

use axum::response::Response;
use engine::Roles as _;
use engine::Word as _;
use host::{Console, Failure};
use serde::Deserialize;
use web::{Path, Query};

use super::{Desk, event, names, nodes::used, render};
use crate::{
    decisions::catalogue::entries,
    model::{OltId, OnuId, Presence},
    pages::{
        nodes::NodeLine,
        olts::{Narrowed, OltPage, OltsPage, Onus},
        runs::RunLine,
    },
    policy::Action,
    routes::{missing, olts::OLT, onus::views},
    store::{journal, nodes, olts, onus, runs},
    wire::{OidView, OltView},
};

const SHOWN: usize = 100;
const ONUS: usize = 50;
const HISTORY: i64 = 12;

#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    q: Option<String>,
    habilitada: Option<String>,
    salud: Option<String>,
    cursor: Option<String>,
}

pub(super) async fn list(
    desk: Desk,
    console: Console,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page("OLT");
    let after = wanted.cursor.unwrap_or_default();
    let wanted = Narrowed {
        text: wanted.q.unwrap_or_default(),
        on: wanted.habilitada.unwrap_or_default(),
        health: wanted.salud.unwrap_or_default(),
    };
    let mut tx = desk.context.store.read().await?;
    let all = olts::all_with_health(&mut tx).await?;
    drop(tx);
    let ever = !all.is_empty();
    // They come by name, which is unique, so the last name shown is the cursor.
    let views = all.iter().map(|(olt, health)| OltView::new(olt, health));
    let mut lines: Vec<OltView> = views
        .filter(|olt| wanted.fits(olt) && (after.is_empty() || olt.abreviatura > after))
        .take(SHOWN + 1)
        .collect();
    let more = lines.len() > SHOWN;
    lines.truncate(SHOWN);
    let last = lines.last().map(|olt| olt.abreviatura.clone()).filter(|_| more);
    let view = OltsPage {
        next: last.map(|cursor| wanted.address(&cursor)),
        lines,
        ever,
        may_edit: desk.role.can(Action::Edit),
        may_operate: desk.role.can(Action::Operate),
        wanted,
        page,
    };
    render(&desk, &view)
}

#[derive(Debug, Deserialize)]
pub(super) struct WantedOnus {
    q: Option<String>,
    presence: Option<String>,
    cursor: Option<String>,
}

pub(super) async fn one(
    desk: Desk,
    console: Console,
    Path(id): Path<i64>,
    Query(wanted): Query<WantedOnus>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page("OLT");
    let id = OltId(id);
    let cursor = wanted.cursor.and_then(|cursor| cursor.parse().ok());
    let wanted =
        Onus { text: wanted.q.unwrap_or_default(), presence: wanted.presence.unwrap_or_default() };
    let filter = onus::Filter {
        olt: Some(id),
        presence: Presence::from_word(&wanted.presence),
        part: Some(wanted.text.trim().to_owned()).filter(|part| !part.is_empty()),
        after: cursor.map(OnuId),
    };
    let mut tx = desk.context.store.read().await?;
    let olt = olts::find(&mut tx, id).await?.ok_or_else(|| missing(desk.lang, OLT))?;
    let health = olts::health(&mut tx, id).await?;
    let (present, gone) = onus::count(&mut tx, id).await?;
    let mut found = onus::list(&mut tx, &filter, ONUS as i64 + 1).await?;
    let more = found.len() > ONUS;
    found.truncate(ONUS);
    let last = found.last().map(|onu| onu.id.to_string()).filter(|_| more);
    drop(tx);
    let onus = views(&desk, &found).await?;
    let mut tx = desk.context.store.read().await?;
    let names = names(&mut tx).await?;
    let mine = nodes::of_olt(&mut tx, id).await?;
    let used = used(&desk, &mut tx, &page, &mine).await?;
    let filter = runs::Filter { olt: Some(id), ..runs::Filter::default() };
    let told = runs::list(&mut tx, &filter, HISTORY).await?;
    let filter = journal::Filter { olt: Some(id), ..journal::Filter::default() };
    let kept = journal::list(&mut tx, &filter, HISTORY).await?;
    let lines =
        mine.iter().map(|node| NodeLine::new(&page, &names, node, used.get(&node.id).cloned()));
    let view = OltPage {
        nodes: lines.collect(),
        olt: OltView::new(&olt, &health),
        present,
        gone,
        next: last.map(|cursor| wanted.address(id.0, &cursor)),
        onus,
        wanted,
        runs: told.iter().map(|told| RunLine::new(&page, &names, told)).collect(),
        events: kept.iter().map(|kept| event(&page, &names, kept)).collect(),
        oids: entries(&mut tx).await?.iter().map(OidView::new).collect(),
        may_edit: desk.role.can(Action::Edit),
        may_operate: desk.role.can(Action::Operate),
        names,
        page,
    };
    render(&desk, &view)
}
