//! What of a device's answer is believed and kept, in the commit that ends its run.

use db::{Decided, Decision, Error, Slice, Tx};
use engine::Word as _;
use jiff::Timestamp;
use serde_json::json;

use super::polls::{Job, Learned};
use crate::{
    model::{Column, Ending, Formula, OnuId, RunState},
    policy::Policy,
    rules::{
        formula,
        inventory::{self, Answer, Change, Got, Known, Trust, Verdict, Walk, after_discovery},
    },
    store::{
        formulas,
        journal::{self, Entry, Level},
        olts, onus,
        onus::Reading,
        runs::Ended,
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

/// What is known of the ONUs of an OLT.
struct Onus<'a>(&'a Job);

struct Table {
    known: Vec<Known>,
    formula: Option<Formula>,
    trust: Trust,
    /// The walk before this one was held.
    held: bool,
}

impl Slice for Onus<'_> {
    type Snapshot = Table;
    type Change = Change;

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<Table, Error> {
        let olt = &self.0.olt;
        let formulas = formulas::all(tx).await?;
        let accepted = olts::loss_accepted(tx, olt.id).await?;
        Ok(Table {
            known: onus::known(tx, olt.id).await?,
            formula: formula::find(&formulas, &olt.brand, olt.model.as_deref()).cloned(),
            trust: if accepted { Trust::Accepted } else { Trust::Guarded },
            held: olts::health(tx, olt.id).await?.held_run.is_some(),
        })
    }

    async fn apply_all(
        &self,
        to: &mut Decision,
        _: &Table,
        changes: &[Change],
    ) -> Result<(), Error> {
        onus::apply(&mut to.tx, self.0.olt.id, self.0.run.id, changes, to.now).await
    }
}

async fn keep_walk(
    decision: &mut Decision,
    policy: &Policy,
    job: &Job,
    walk: &Walk,
) -> Result<Ended, Error> {
    let planner = |table: &Table| {
        let formula = table.formula.as_ref();
        after_discovery(&table.known, walk, formula, policy.inventory, table.trust)
    };
    let Decided { snapshot: table, plan } = decision.plan(&Onus(job), planner).await?;
    match plan {
        Verdict::Truncated => {
            let rows = walk.rows.len();
            let detail = format!("The table was cut off after {rows} rows; none is used.");
            Ok(Ended::failed(Ending::Partial, detail))
        }
        Verdict::Empty => Ok(Ended::success(json!({ "walk_successful": true, "total_found": 0 }))),
        Verdict::Held { missing, present } => {
            hold(decision, job, missing, present, !table.held).await
        }
        Verdict::Believed { count, .. } => {
            olts::walked(&mut decision.tx, job.olt.id, None, decision.now).await?;
            metrics::counter!("coordinador_rows_total").increment(walk.rows.len() as u64);
            let unread = table.formula.as_ref().is_none_or(|formula| {
                walk.rows.iter().any(|row| formula::decode(formula, &row.raw_index).is_err())
            });
            Ok(Ended::success(json!({
                "walk_successful": true, "total_found": count.found,
                "enabled_count": count.active, "disabled_count": count.suspended,
                "new_index_created": count.new, "reappeared": count.back, "gone": count.gone,
                "formula": table.formula.map(|formula| formula.brand),
                "index_not_understood": unread,
            })))
        }
    }
}

/// Too many are missing: nothing changes, and the OLT may be walked once more at once.
async fn hold(
    decision: &mut Decision,
    job: &Job,
    missing: usize,
    present: usize,
    again: bool,
) -> Result<Ended, Error> {
    let now = decision.now;
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
        again,
    })
}

/// A column of the inventory of an OLT.
struct Cells<'a>(&'a Job, Column);

impl Slice for Cells<'_> {
    type Snapshot = inventory::Target;
    type Change = (OnuId, Option<String>);

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<inventory::Target, Error> {
        let Self(job, column) = *self;
        let entries = super::catalogue::entries(tx).await?;
        let own = entries.iter().find(|entry| Some(&entry.oid) == job.node.oid.as_ref());
        Ok(inventory::Target {
            column,
            keep_previous: own.is_some_and(|entry| entry.keep_previous),
            format_mac: own.map_or(column == Column::Mac, |entry| entry.format_mac),
        })
    }

    async fn apply_all(
        &self,
        to: &mut Decision,
        _: &inventory::Target,
        changed: &[Self::Change],
    ) -> Result<(), Error> {
        onus::write(&mut to.tx, self.1, changed).await
    }
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
    let planner = |target: &inventory::Target| inventory::after_get(*target, answers);
    let written = decision.plan(&Cells(job, column), planner).await?.plan;
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
            "total_onus": answers.len(), "success_onus": values, "changed": written.changed.len(),
            "absent_onus": written.absent.len(), "error_onus": errors, "errors": listed,
            "espacio": column.word(),
        })),
        again: false,
    })
}
