//! The house's own index formulas: entered and removed.

use db::Error;
use host::By;
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{Changed, record};
use crate::{
    Context,
    model::{Formula, FormulaId},
    store::{self, formulas},
};

/// Enters a formula if its brand and model have none. `shown` is what the audit keeps.
pub async fn create(
    context: &Context,
    by: &By,
    formula: &Formula,
    shown: Json,
    now: Timestamp,
) -> Result<Changed<FormulaId>, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let own = formulas::own(&mut decision.tx).await?;
    let same = |other: &Formula| other.brand == formula.brand && other.model == formula.model;
    if own.iter().any(|(_, other)| same(other)) {
        return Ok(Changed::Duplicate);
    }
    let id = formulas::insert(&mut decision.tx, formula).await?;
    let after = json!({ "id": id.0, "formula": shown });
    record(&mut decision, by, "formula.crear", format!("formula/{id}"), None, Some(after));
    decision.commit().await?;
    Ok(Changed::Done(id))
}

pub async fn remove(
    context: &Context,
    by: &By,
    id: FormulaId,
    shown: impl Fn(&Formula) -> Json,
    now: Timestamp,
) -> Result<Changed<()>, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let own = formulas::own(&mut decision.tx).await?;
    let Some((_, formula)) = own.iter().find(|(own, _)| *own == id) else {
        return Ok(Changed::NotFound);
    };
    formulas::remove(&mut decision.tx, id).await?;
    let before = Some(shown(formula));
    record(&mut decision, by, "formula.borrar", format!("formula/{id}"), before, None);
    decision.commit().await?;
    Ok(Changed::Done(()))
}
