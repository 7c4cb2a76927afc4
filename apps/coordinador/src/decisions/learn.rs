//! What of a device's answer is believed and kept, in the commit that ends its run.

use std::collections::HashMap;

use db::{Decision, Error};
use engine::Word as _;
use serde_json::json;

use super::{
    polls::{Job, Learned},
    runs::Ended,
};
use crate::{
    model::{Column, Ending, OnuId, RunState},
    policy::Policy,
    rules::{
        formula,
        inventory::{self, Answer, Got, Trust, Verdict, Walk, after_discovery},
    },
    store::{
        formulas,
        journal::{self, Entry, Level},
        olts, onus,
        onus::Reading,
    },
};

/// Believes what can be believed and says how the run ended.
pub(super) async fn keep(
    decision: &mut Decision,
    policy: &Policy,
    job: &Job,
    learned: &Learned,
) -> Result<Ended, Error> {
    match learned {
        Learned::Walk(walk) => keep_walk(decision, policy, job, walk).await,
        Learned::Column { column, answers } => keep_column(decision, job, *column, answers).await,
    }
}

async fn keep_walk(
    decision: &mut Decision,
    policy: &Policy,
    job: &Job,
    walk: &Walk,
) -> Result<Ended, Error> {
    let (olt, now) = (&job.olt, decision.now);
    let known = onus::known(&mut decision.tx, olt.id).await?;
    let formulas = formulas::all(&mut decision.tx).await?;
    let formula = formula::find(&formulas, &olt.brand, olt.model.as_deref());
    let accepted = olts::loss_accepted(&mut decision.tx, olt.id).await?;
    let trust = if accepted { Trust::Accepted } else { Trust::Guarded };
    let verdict = after_discovery(&known, walk, formula, policy.inventory, trust);
    match verdict {
        Verdict::Truncated => {
            let rows = walk.rows.len();
            let detail = format!("The table was cut off after {rows} rows; none is used.");
            Ok(Ended::failed(Ending::Partial, detail))
        }
        Verdict::Empty => Ok(Ended::success(json!({ "walk_successful": true, "total_found": 0 }))),
        Verdict::Held { missing, present } => hold(decision, job, missing, present).await,
        Verdict::Believed { changes, count } => {
            onus::apply(&mut decision.tx, olt.id, job.run.id, &changes, now).await?;
            olts::walked(&mut decision.tx, olt.id, None, now).await?;
            metrics::counter!("coordinador_rows_total").increment(walk.rows.len() as u64);
            let unread = formula.is_none_or(|formula| {
                walk.rows.iter().any(|row| formula::decode(formula, &row.raw_index).is_err())
            });
            Ok(Ended::success(json!({
                "walk_successful": true, "total_found": count.found,
                "enabled_count": count.active, "disabled_count": count.suspended,
                "new_index_created": count.new, "reappeared": count.back, "gone": count.gone,
                "formula": formula.map(|formula| formula.brand.clone()),
                "index_not_understood": unread,
            })))
        }
    }
}

/// Too many are missing: nothing changes, and the OLT is walked once more at once.
async fn hold(
    decision: &mut Decision,
    job: &Job,
    missing: usize,
    present: usize,
) -> Result<Ended, Error> {
    let now = decision.now;
    let before = olts::health(&mut decision.tx, job.olt.id).await?.held_run;
    olts::walked(&mut decision.tx, job.olt.id, Some(job.run.id), now).await?;
    let data = json!({ "faltan": missing, "presentes": present });
    let entry = Entry {
        olt: Some(job.olt.id),
        node: Some(job.node.id),
        run: Some(job.run.id),
        ..Entry::new(Level::Alert, "RECORRIDO_RETENIDO", Some("HELD"), data.clone())
    };
    journal::write(&mut decision.tx, &entry, now).await?;
    tracing::warn!(olt = job.olt.id.0, missing, present, "a walk lost too many ONUs: held");
    Ok(Ended {
        state: RunState::Failed,
        ending: Some(Ending::Held),
        detail: None,
        summary: Some(data),
        again: before.is_none(),
    })
}

async fn keep_column(
    decision: &mut Decision,
    job: &Job,
    column: Option<Column>,
    answers: &[Answer],
) -> Result<Ended, Error> {
    let now = decision.now;
    let Some(column) = column else {
        let read = answers.iter().filter(|one| matches!(one.got, Got::Value(_))).count();
        return Ok(Ended::success(json!({ "total_onus": answers.len(), "success_onus": read })));
    };
    let target = catalogue_target(decision, job, column).await?;
    let written = inventory::after_get(target, answers);
    let previous: HashMap<OnuId, &Option<String>> =
        answers.iter().map(|one| (one.onu, &one.previous)).collect();
    let news: Vec<_> = written
        .values
        .iter()
        .filter(|(onu, value)| previous.get(onu).is_none_or(|known| *known != value))
        .cloned()
        .collect();
    onus::write(&mut decision.tx, column, &news).await?;
    let (values, errors) = (written.values.len() as i64, written.errors.len() as i64);
    let (olt, run) = (job.olt.id, job.run.id);
    onus::was_read(&mut decision.tx, Reading { olt, column, run, values, errors }, now).await?;
    metrics::counter!("coordinador_rows_total").increment(written.values.len() as u64);
    let listed: Vec<_> = written
        .errors
        .iter()
        .take(50)
        .map(|fault| json!({ "onu_id": fault.onu.0, "reason": fault.ending.word() }))
        .collect();
    Ok(Ended {
        state: written.state,
        ending: written.ending,
        detail: None,
        summary: Some(json!({
            "total_onus": answers.len(), "success_onus": values, "changed": news.len(),
            "absent_onus": written.absent.len(), "error_onus": errors, "errors": listed,
            "espacio": column.word(),
        })),
        again: false,
    })
}

async fn catalogue_target(
    decision: &mut Decision,
    job: &Job,
    column: Column,
) -> Result<inventory::Target, Error> {
    let entries = super::catalogue::entries(&mut decision.tx).await?;
    let own = entries.iter().find(|entry| Some(&entry.oid) == job.node.oid.as_ref());
    Ok(inventory::Target {
        column,
        keep_previous: own.is_some_and(|entry| entry.keep_previous),
        format_mac: own.map_or(column == Column::Mac, |entry| entry.format_mac),
    })
}
