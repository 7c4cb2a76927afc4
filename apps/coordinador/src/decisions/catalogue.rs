//! The house's own OIDs: entered, changed, removed.

use db::{Error, Tx};
use host::By;
use jiff::Timestamp;
use serde_json::json;

use super::{Changed, record};
use crate::{
    Context,
    model::{CatalogueEntry, CatalogueId},
    rules,
    store::{self, catalogue},
    wire::OidView,
};

/// The house's OIDs before the shipped ones.
pub async fn entries(tx: &mut Tx) -> Result<Vec<CatalogueEntry>, Error> {
    let mut entries = catalogue::all(tx).await?;
    entries.extend(rules::catalogue::shipped());
    Ok(entries)
}

/// Writes an entry, new (number 0) or changed, if its name is free.
pub async fn save(
    context: &Context,
    by: &By,
    mut entry: CatalogueEntry,
    now: Timestamp,
) -> Result<Changed<CatalogueEntry>, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let standing = catalogue::all(&mut decision.tx).await?;
    if standing.iter().any(|other| other.name == entry.name && other.id != entry.id) {
        return Ok(Changed::Duplicate);
    }
    let before = standing.iter().find(|other| other.id == entry.id);
    let action = if before.is_some() {
        catalogue::update(&mut decision.tx, &entry).await?;
        "oid.cambiar"
    } else if entry.id == CatalogueId(0) {
        entry.id = catalogue::insert(&mut decision.tx, &entry).await?;
        "oid.crear"
    } else {
        return Ok(Changed::NotFound);
    };
    let shown = |entry: &CatalogueEntry| json!(OidView::new(entry));
    let subject = format!("oid/{}", entry.id);
    record(&mut decision, by, action, subject, before.map(shown), Some(shown(&entry)));
    decision.commit().await?;
    Ok(Changed::Done(entry))
}

pub async fn remove(
    context: &Context,
    by: &By,
    id: CatalogueId,
    now: Timestamp,
) -> Result<Changed<()>, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let standing = catalogue::all(&mut decision.tx).await?;
    let Some(entry) = standing.iter().find(|entry| entry.id == id) else {
        return Ok(Changed::NotFound);
    };
    catalogue::remove(&mut decision.tx, id).await?;
    let before = Some(json!(OidView::new(entry)));
    record(&mut decision, by, "oid.borrar", format!("oid/{id}"), before, None);
    decision.commit().await?;
    Ok(Changed::Done(()))
}
