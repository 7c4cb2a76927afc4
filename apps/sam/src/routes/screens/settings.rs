//! Reads what the pages of mappings, configuration and audit show.

use axum::response::Response;
use db::{audit, settings::Effective};
use host::{Console, Failure};
use serde::Deserialize;
use web::Query;

use super::{Desk, names, render};
use crate::{
    pages::{self, AuditPage, ConfigurationPage, MappingsPage, settings::AuditLine},
    policy::{Action, can},
    store::{mappings, policy::SECTIONS},
};

const SHOWN: i64 = 50;

pub(super) async fn mappings(desk: Desk, console: Console) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let page = console.page(console.lang.t("Mapeos", "Mappings"));
    let mut tx = desk.context.store.read().await?;
    let lines = mappings::all(&mut tx).await?;
    let names = names(&mut tx).await?;
    let may_edit = can(desk.role, Action::Edit);
    render(&desk, &MappingsPage { page, names, lines, may_edit })
}

pub(super) async fn configuration(desk: Desk, console: Console) -> Result<Response, Failure> {
    desk.require(Action::ReadConfiguration)?;
    let page = console.page(console.lang.t("Configuración", "Configuration"));
    let mut tx = desk.context.store.read().await?;
    let values = desk.context.settings.load(&mut tx, crate::NAME).await?;
    let title = |(es, en): (&'static str, &'static str)| page.t(es, en);
    let mut groups: Vec<(&'static str, Vec<Effective>)> =
        SECTIONS.iter().map(|one| (title(one.title), Vec::new())).collect();
    groups.push((page.t("Lo demás", "The rest"), Vec::new()));
    for one in values.iter() {
        let at = SECTIONS.iter().position(|section| section.holds(one.spec.key));
        groups[at.unwrap_or(SECTIONS.len())].1.push(one.clone());
    }
    groups.retain(|(_, settings)| !settings.is_empty());
    let may_configure = can(desk.role, Action::Configure);
    render(&desk, &ConfigurationPage { page, groups, may_configure })
}

#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    actor: Option<String>,
    cursor: Option<i64>,
}

pub(super) async fn audit(
    desk: Desk,
    console: Console,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    desk.require(Action::ReadAudit)?;
    let page = console.page(console.lang.t("Auditoría de SAM", "Audit of SAM"));
    let actor = wanted.actor.unwrap_or_default().trim().to_owned();
    let who = Some(actor.as_str()).filter(|actor| !actor.is_empty());
    let before = wanted.cursor.unwrap_or(i64::MAX);
    let mut tx = desk.context.store.read().await?;
    let mut records = audit::latest(&mut tx, before, Some(crate::NAME), who, SHOWN + 1).await?;
    let more = records.len() as i64 > SHOWN;
    records.truncate(SHOWN as usize);
    let last = records.last().map(|one| one.id.to_string()).filter(|_| more);
    let view = AuditPage {
        next: last.map(|cursor| {
            pages::address("/sam/auditoria", &[("actor", &actor), ("cursor", &cursor)])
        }),
        lines: records.into_iter().map(AuditLine::new).collect(),
        house: desk.actor.is_admin(),
        actor,
        page,
    };
    render(&desk, &view)
}
