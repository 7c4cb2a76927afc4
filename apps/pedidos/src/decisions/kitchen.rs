//! What concerns the whole kitchen: its pause, and its capacity by the hour.

use db::{Error, audit::Entry};
use host::{By, Context};
use serde_json::json;

use super::{Done, in_kitchen};
use crate::{
    policy::Pause,
    rules::timetable::{self, CapacityRule, RuleProblem},
    store::{events, kitchen, rules},
    wire::PauseView,
};

/// Stops automatic entry, or lets orders in again at once.
pub async fn pause(context: &Context, by: &By, pause: Option<&Pause>) -> Result<(), Error> {
    in_kitchen(context, async |decision, _| {
        kitchen::set_pause(decision, pause).await?;
        let view = pause.map(PauseView::from);
        events::automation(decision, view.as_ref());
        let action = if pause.is_some() { "pausar" } else { "reanudar" };
        decision.audit(Entry {
            after: Some(json!(view)),
            reason: pause.map(|pause| pause.reason.clone()),
            ..by.did(format!("automatizacion.{action}"), "cocina")
        });
        Ok(())
    })
    .await
}

/// Adds a rule, or changes the one with this id as it stands; with the version it has then.
pub async fn put_rule(
    context: &Context,
    by: &By,
    id: Option<i64>,
    expected: Option<i64>,
    change: impl FnOnce(CapacityRule) -> CapacityRule,
) -> Result<Done<(CapacityRule, i64), RuleProblem>, Error> {
    in_kitchen(context, async |decision, kitchen| {
        let known = rules::all_versions(&mut decision.tx).await?;
        let current = known.iter().find(|(known, _)| Some(known.id) == id);
        let standing = current.map_or_else(CapacityRule::default, |(rule, _)| rule.clone());
        let mut rule = change(standing);
        if id.is_some() && current.is_none() {
            return Ok(Done::Missing);
        }
        if let Some((_, version)) = current
            && expected.is_some_and(|expected| expected != *version)
        {
            return Ok(Done::Stale { current: *version });
        }
        let others: Vec<_> = known.iter().map(|(rule, _)| rule.clone()).collect();
        if let Err(problem) = timetable::check(&rule, &others, kitchen.policy.capacity_ceiling) {
            return Ok(Done::Refused(problem));
        }
        let (version, action) = if let Some((_, version)) = current {
            rules::update(&mut decision.tx, &rule, *version).await?;
            (version + 1, "capacidad.regla.editar")
        } else {
            rule.id = rules::insert(&mut decision.tx, &rule).await?;
            (1, "capacidad.regla.crear")
        };
        decision.audit(entry(by, action, current.map(|(rule, _)| rule), Some(&rule)));
        Ok(Done::Saved((rule, version)))
    })
    .await
}

/// Whether there was such a rule.
pub async fn remove_rule(context: &Context, by: &By, id: i64) -> Result<bool, Error> {
    in_kitchen(context, async |decision, _| {
        let known = rules::all(&mut decision.tx).await?;
        let Some(current) = known.iter().find(|rule| rule.id == id) else { return Ok(false) };
        decision.audit(entry(by, "capacidad.regla.borrar", Some(current), None));
        rules::delete(&mut decision.tx, id).await
    })
    .await
}

fn entry(
    by: &By,
    action: &str,
    before: Option<&CapacityRule>,
    after: Option<&CapacityRule>,
) -> Entry {
    let shown = |rule: &CapacityRule| {
        json!({ "dia_semana": rule.weekday, "desde": rule.from.to_string(),
                "hasta": rule.to.to_string(), "capacidad": rule.capacity,
                "personal": rule.staff })
    };
    let id = before.or(after).map_or(0, |rule| rule.id);
    Entry {
        before: before.map(shown),
        after: after.map(shown),
        ..by.did(action, format!("capacidad_horarios/{id}"))
    }
}
