//! Reads what the pages of mappings, configuration and audit show.

use axum::response::Response;
use db::{audit, settings::Effective};
use host::{Console, Failure};
use serde::Deserialize;
use web::{Page, Query};

use super::{Desk, names, render};
use crate::{
    pages::{self, AuditPage, ConfigurationPage, MappingsPage, settings::AuditLine},
    policy::{Action, can},
    store::mappings,
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

/// The subjects in the order in which somebody sets SAM up, by how the keys begin; the first that
/// fits counts.
fn subjects(page: &Page) -> [(&'static str, &'static [&'static str]); 8] {
    [
        ("Control Room", &["A360_"]),
        (page.t("Avisos de fin", "Callbacks"), &["CALLBACK_", "JWT_"]),
        (page.t("Conciliador", "Reconciler"), &["LANZADOR_CONCILIACION_"]),
        (page.t("Sincronización", "Sync"), &["LANZADOR_SYNC_", "SYNC_"]),
        (page.t("Lanzador", "Launcher"), &["LANZADOR_"]),
        (page.t("Balanceador", "Balancer"), &["BALANCEADOR_"]),
        (page.t("Proveedores de tickets", "Ticket providers"), &["CLOUDERS_", "SQL_"]),
        (page.t("Lo demás", "The rest"), &[""]),
    ]
}

pub(super) async fn configuration(desk: Desk, console: Console) -> Result<Response, Failure> {
    desk.require(Action::ReadConfiguration)?;
    let page = console.page(console.lang.t("Configuración", "Configuration"));
    let mut tx = desk.context.store.read().await?;
    let values = desk.context.settings.load(&mut tx, crate::NAME).await?;
    let mut groups: Vec<(&'static str, Vec<Effective>)> =
        subjects(&page).iter().map(|(title, _)| (*title, Vec::new())).collect();
    for one in values.iter() {
        let fits = |(_, begins): &(&str, &[&str])| {
            begins.iter().any(|begin| one.spec.key.starts_with(begin))
        };
        let at = subjects(&page).iter().position(fits);
        if let Some((_, settings)) = at.and_then(|at| groups.get_mut(at)) {
            settings.push(one.clone());
        }
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
