//! The house's own index formulas: entered and removed.

use host::{Failure, conflict, unknown};
use serde_json::{Value as Json, json};
use web::{Lang, Problem};

use super::record;
use crate::{
    Desk,
    model::{Formula, FormulaId},
    store::{self, formulas},
};

pub fn missing(lang: Lang) -> Problem {
    let (es, en) = ("No existe esa fórmula propia.", "There is no such formula of your own.");
    unknown(lang, "FORMULA_INEXISTENTE", es, en)
}

/// Enters a formula if its brand and model have none. `shown` is what the audit keeps.
pub async fn create(desk: &Desk, formula: &Formula, shown: Json) -> Result<FormulaId, Failure> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let own = formulas::own(&mut decision.tx).await?;
    let same = |other: &Formula| other.brand == formula.brand && other.model == formula.model;
    if own.iter().any(|(_, other)| same(other)) {
        let es = "Ya hay una fórmula de esa marca y modelo.";
        let en = "There is a formula of that brand and model.";
        return Err(conflict(desk.lang, "NOMBRE_REPETIDO", es, en).into());
    }
    let id = formulas::insert(&mut decision.tx, formula).await?;
    let after = json!({ "id": id.0, "formula": shown });
    record(&mut decision, &desk.by(), "formula.crear", format!("formula/{id}"), None, Some(after));
    decision.commit().await?;
    Ok(id)
}

pub async fn remove(
    desk: &Desk,
    id: FormulaId,
    shown: impl Fn(&Formula) -> Json,
) -> Result<(), Failure> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let own = formulas::own(&mut decision.tx).await?;
    let found = own.iter().find(|(own, _)| *own == id);
    let (_, formula) = found.ok_or_else(|| missing(desk.lang))?;
    formulas::remove(&mut decision.tx, id).await?;
    let before = Some(shown(formula));
    record(&mut decision, &desk.by(), "formula.borrar", format!("formula/{id}"), before, None);
    decision.commit().await?;
    Ok(())
}
