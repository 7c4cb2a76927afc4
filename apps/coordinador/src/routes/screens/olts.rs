//! Gathers what the pages of OLTs show.

use axum::response::Response;
use engine::Roles as _;
use engine::Word as _;
use host::{Console, Failure, Listed, edit::Editable as _};
use web::{Page, Path, Period, Query, svg::Trend};

use super::{Desk, event, names, nodes::used, render};
use crate::{
    decisions::{catalogue::views as oids, olts::Olts},
    model::{JobType, Node, OltId, OnuId, Presence},
    pages::{
        Asked, Reads, history as charts,
        nodes::NodeLine,
        olts::{OltPage, OltsPage, fits},
        runs::RunLine,
    },
    policy::Action,
    routes::onus::views,
    store::{journal, nodes, olts, onus, runs},
    wire::OltView,
};

const SHOWN: usize = 100;
const ONUS: usize = 50;
const HISTORY: i64 = 12;

#[derive(Debug)]
pub(super) struct List;

impl Reads for List {
    const NAMES: &'static [&'static str] = &["q", "habilitada", "salud", "cursor"];
}

#[derive(Debug)]
pub(super) struct One;

impl Reads for One {
    const NAMES: &'static [&'static str] = &["q", "presence", "periodo", "cursor"];
}

pub(super) async fn list(
    desk: Desk,
    console: Console,
    Query(Asked(wanted, _)): Query<Asked<List>>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page("OLT");
    let mut tx = desk.context.store.read().await?;
    let all = olts::all_with_health(&mut tx).await?;
    drop(tx);
    let ever = !all.is_empty();
    // They come by name, which is unique, so the last name shown is the cursor.
    let views = all.iter().map(|(olt, health)| OltView::new(olt, health));
    let mut lines: Vec<OltView> = views
        .filter(|olt| fits(&wanted, olt) && olt.abreviatura.as_str() > wanted.of("cursor"))
        .take(SHOWN + 1)
        .collect();
    let more = lines.len() > SHOWN;
    lines.truncate(SHOWN);
    let last = lines.last().map(|olt| olt.abreviatura.clone()).filter(|_| more);
    let view = OltsPage {
        next: last.map(|cursor| wanted.after("/coordinador/olts", &cursor)),
        lines,
        ever,
        may_edit: desk.role.can(Action::Edit),
        may_operate: desk.role.can(Action::Operate),
        wanted,
        page,
    };
    render(&desk, &view)
}

pub(super) async fn one(
    desk: Desk,
    console: Console,
    Path(id): Path<i64>,
    Query(Asked(wanted, _)): Query<Asked<One>>,
) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut page = console.page("OLT");
    let id = OltId(id);
    let filter = onus::Filter {
        olt: Some(id),
        presence: Presence::from_word(wanted.of("presence")),
        part: wanted.part(),
        after: wanted.number("cursor").map(OnuId),
    };
    let mut tx = desk.context.store.read().await?;
    let olt = olts::find(&mut tx, id).await?.ok_or_else(|| Olts::missing(&desk))?;
    page.title = format!("OLT {}", olt.name);
    let health = olts::health(&mut tx, id).await?;
    let (present, gone) = onus::count(&mut tx, id).await?;
    let found = onus::by_place(&mut tx, &filter, ONUS as i64 + 1).await?;
    let Listed { items: found, next } = Listed::page(found, ONUS, |onu| onu.id.0);
    drop(tx);
    let onus = views(&desk, &found).await?;
    let mut tx = desk.context.store.read().await?;
    let names = names(&mut tx).await?;
    let mine = nodes::of_olt(&mut tx, id).await?;
    let used = used(&desk, &mut tx, &page, &mine).await?;
    let period = Period::asked(Some(wanted.of("periodo")), Period::Week);
    let history = history(&desk, &mut tx, &page, &mine, period).await?;
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
        period,
        history,
        next: next
            .map(|cursor| wanted.after(&format!("/coordinador/olts/{id}"), &cursor.to_string())),
        onus,
        wanted,
        runs: told.iter().map(|told| RunLine::new(&page, &names, told)).collect(),
        events: kept.iter().map(|kept| event(&page, &names, kept)).collect(),
        oids: oids(&mut tx).await?,
        may_edit: desk.role.can(Action::Edit),
        may_operate: desk.role.can(Action::Operate),
        names,
        page,
    };
    render(&desk, &view)
}

/// Runs of one node that a chart is drawn from: a reading every five minutes for a month.
const DRAWN: i64 = 9_000;
/// Nodes whose numbers are drawn.
const MEASURED: usize = 4;

/// Presence, and what each node measured, from what its runs kept.
async fn history(
    desk: &Desk,
    tx: &mut db::Tx,
    page: &Page,
    mine: &[Node],
    period: Period,
) -> Result<Vec<(String, Trend)>, Failure> {
    let spans = period.spans(desk.now, &page.zone);
    let units = oids(tx).await?;
    let (mut walks, mut drawn) = (Vec::new(), Vec::new());
    for node in mine {
        if drawn.len() == MEASURED && node.job == JobType::Get {
            continue;
        }
        let mut told = runs::summaries(tx, node.id, spans.since(), DRAWN).await?;
        if node.job == JobType::Discovery {
            walks.append(&mut told);
            continue;
        }
        let oid = node.oid.as_ref().map(ToString::to_string);
        let unit = units.iter().find(|one| Some(&one.oid) == oid.as_ref());
        let unit = unit.and_then(|one| one.unidad);
        let chart = charts::measured(page, &spans, &node.name, unit, &told);
        drawn.extend(chart.map(|chart| (node.name.clone(), chart)));
    }
    let title = page.t("ONU a lo largo del tiempo", "ONUs over time").to_owned();
    let presence = charts::presence(page, &spans, &walks).map(|chart| (title, chart));
    Ok(presence.into_iter().chain(drawn).collect())
}
