//! What of a device's answer is believed and kept, in the commit that ends its run.

use std::collections::HashMap;

use db::{Decided, Decision, Error, Slice, Tx};
use engine::{Planned as _, Word as _};
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{
    emit,
    polls::{Job, Task},
};
use crate::{
    model::{Column, Ending, Formula, Olt, OnuId, RunState, Space},
    policy::Policy,
    rules::{
        formula,
        inventory::{self, Answer, Change, Known, Trust, Verdict, Walk, after_discovery},
    },
    store::{
        formulas,
        journal::{self, Entry, Kind, Level},
        olts, onus,
        readings::{self, Reading},
        runs::Ended,
    },
};

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
        onus::apply(&mut to.tx, self.0.olt.id, self.0.task.run.id, changes, to.now).await
    }
}

/// Believes what can be believed of a walk and says how the run ended.
pub(super) async fn walk(
    decision: &mut Decision,
    policy: &Policy,
    job: &Job,
    walk: &Walk,
) -> Result<Ended, Error> {
    let planner = |table: &Table| {
        let formula = table.formula.as_ref();
        let oid = job.task.node.oid.as_ref().map(ToString::to_string);
        let states = inventory::states(oid.as_deref(), &job.olt.brand);
        after_discovery(&table.known, walk, formula, states, policy.inventory, table.trust)
    };
    let Decided { snapshot: table, plan } = decision.plan(&Onus(job), planner).await?;
    presence(decision, job, &table.known, plan.changes()).await?;
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
            let oid = job.task.node.oid.as_ref();
            let lost = count.mass_loss();
            olts::walked(&mut decision.tx, job.olt.id, oid, lost, decision.now).await?;
            if let Some(lost) = lost {
                let data = json!({ "perdidas": lost, "presentes": count.present });
                note(decision, job, Level::Alert, Kind::MassLoss, None, data).await?;
            }
            metrics::counter!("coordinador_rows_total").increment(walk.rows.len() as u64);
            let unread = table.formula.as_ref().is_none_or(|formula| {
                walk.rows.iter().any(|row| formula::decode(formula, &row.raw_index).is_err())
            });
            Ok(Ended::success(json!({
                "walk_successful": true, "total_found": count.found,
                "enabled_count": count.active, "disabled_count": count.inactive,
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
    olts::held(&mut decision.tx, job.olt.id, job.task.run.id).await?;
    let data = json!({ "faltan": missing, "presentes": present });
    let kind = Kind::WalkHeld;
    note(decision, job, Level::Alert, kind, Some("HELD"), data.clone()).await?;
    tracing::warn!(olt = job.olt.id.0, missing, present, "a walk lost too many ONUs: held");
    Ok(Ended {
        state: RunState::Failed,
        ending: Some(Ending::Held),
        detail: None,
        summary: Some(data),
        again,
    })
}

async fn note(
    decision: &mut Decision,
    job: &Job,
    level: Level,
    kind: Kind,
    reason: Option<&'static str>,
    data: Json,
) -> Result<(), Error> {
    let entry = Entry {
        olt: Some(job.olt.id),
        node: Some(job.task.node.id),
        run: Some(job.task.run.id),
        ..Entry::new(level, kind, reason, data)
    };
    journal::write(&mut decision.tx, &entry, decision.now).await
}

/// A journal is read by people: of many the first are told one by one, then how many more.
const TOLD: usize = 100;

/// Each ONU that vanished or came back leaves an event.
async fn presence(
    decision: &mut Decision,
    job: &Job,
    known: &[Known],
    changes: &[Change],
) -> Result<(), Error> {
    let names: HashMap<OnuId, &str> =
        known.iter().map(|one| (one.onu, one.raw_index.as_str())).collect();
    let of = |kind: fn(&Change) -> Option<OnuId>| changes.iter().filter_map(kind).collect();
    let gone: Vec<OnuId> = of(|change| match change {
        Change::Gone { onu, .. } => Some(*onu),
        _ => None,
    });
    let back: Vec<OnuId> = of(|change| match change {
        Change::Back { onu, .. } => Some(*onu),
        _ => None,
    });
    if gone.is_empty() && back.is_empty() {
        return Ok(());
    }
    for (kind, onus) in [(Kind::OnuGone, &gone), (Kind::OnuBack, &back)] {
        for onu in onus.iter().take(TOLD) {
            let data = json!({ "onu_id": onu.0, "raw_index_key": names.get(onu) });
            note(decision, job, Level::Info, kind, None, data).await?;
        }
        if let Some(more) = onus.len().checked_sub(TOLD).filter(|more| *more > 0) {
            note(decision, job, Level::Info, kind, None, json!({ "cantidad": more })).await?;
        }
    }
    let data = json!({
        "olt_id": job.olt.id.0, "desaparecidas": gone.len(), "reaparecidas": back.len(),
    });
    emit(decision, "olt:onus", format!("olt/{}", job.olt.id), data);
    Ok(())
}

/// What was read of the ONUs of an OLT.
struct Cells<'a>(&'a Task);

impl Slice for Cells<'_> {
    type Snapshot = inventory::Target;
    type Change = (OnuId, Option<String>);

    async fn load(&self, _: &mut Tx, _: Timestamp) -> Result<inventory::Target, Error> {
        Ok(self.0.target)
    }

    async fn apply_all(
        &self,
        to: &mut Decision,
        target: &inventory::Target,
        changed: &[Self::Change],
    ) -> Result<(), Error> {
        match target.column {
            Some(column) => onus::write(&mut to.tx, column, changed).await,
            None => Ok(()),
        }
    }
}

/// Keeps what a get read, and says how its run ended.
pub(super) async fn values(
    decision: &mut Decision,
    olt: &Olt,
    task: &Task,
    answers: &[Answer],
) -> Result<Ended, Error> {
    let now = decision.now;
    let planner = |target: &inventory::Target| inventory::after_get(*target, answers);
    let written = decision.plan(&Cells(task), planner).await?.plan;
    let (values, errors) = (&written.values, written.errors.len());
    if let Some(oid) = &task.node.oid {
        let (olt, run) = (olt.id, task.run.id);
        readings::keep(&mut decision.tx, &Reading { olt, oid, run, values, errors }, now).await?;
    }
    metrics::counter!("coordinador_rows_total").increment(values.len() as u64);
    let listed: Vec<_> = written
        .errors
        .iter()
        .take(50)
        .map(|fault| json!({ "onu_id": fault.onu.0, "reason": fault.ending.word() }))
        .collect();
    let column = task.target.column;
    let numbers = inventory::numbers(values);
    Ok(Ended {
        state: written.state,
        ending: written.ending,
        detail: None,
        summary: Some(json!({
            "total_onus": answers.len(), "success_onus": values.len(),
            "changed": written.changed.len(), "absent_onus": written.absent.len(),
            "error_onus": errors, "errors": listed,
            "espacio": column.map_or(Space::Reading.word(), Column::word),
            "least_value": numbers.map(|one| one.least), "mean_value": numbers.map(|one| one.mean),
            "most_value": numbers.map(|one| one.most),
        })),
        again: false,
    })
}
