//! What a device says, and what of it is kept.

use engine::Word as _;
use std::{collections::HashMap, time::Duration};

use db::{Decision, Error};
use host::Context;
use serde_json::json;
use snmp::{CancellationToken, Fault, Kind, Missing, Target, Value};

use super::{job::Job, runs::Ended};
use crate::{
    model::{Column, Ending, JobType, OnuId, RunState, SnmpVersion, Space},
    policy::Policy,
    rules::{
        catalogue, formula,
        inventory::{self, Answer, Got, Raw, Sighting, Trust, Verdict, Walk, after_discovery},
    },
    store::{
        formulas,
        journal::{self, Entry, Level},
        olts, onus,
        onus::Reading,
    },
};

/// What came back, before anything is believed.
pub(super) enum Learned {
    Walk(Walk),
    Column { column: Option<Column>, asked: Vec<Asked>, answers: Vec<snmp::Answer> },
}

/// An ONU that is asked about, and what is known.
pub(super) struct Asked {
    onu: OnuId,
    previous: Option<String>,
}

/// The word the house has for a fault.
pub(super) const fn ending(fault: Fault) -> Ending {
    match fault {
        Fault::Timeout => Ending::Timeout,
        Fault::Unreachable => Ending::Unreachable,
        Fault::Auth => Ending::Auth,
        Fault::NoSuch => Ending::NoSuch,
        Fault::TooBig => Ending::TooBig,
        Fault::NotIncreasing => Ending::NotIncreasing,
        Fault::Partial { .. } => Ending::Partial,
        Fault::Decode | Fault::TooMany { .. } | Fault::Refused { .. } | Fault::Invalid => {
            Ending::Decode
        }
        Fault::Cancelled => Ending::Cancelled,
    }
}

/// Walks or gets. With it what GETBULK turned out to bear.
pub(super) async fn read(
    context: &Context,
    socket: &snmp::Fleet,
    target: &Target,
    job: &Job,
    cancel: &CancellationToken,
) -> Result<(Learned, Option<u32>), Fault> {
    match job.node.job {
        JobType::Discovery => walk(socket, target, job, cancel).await,
        JobType::Get => {
            let learned = get(context, socket, target, job, cancel).await?;
            Ok((learned, None))
        }
    }
}

fn root(job: &Job) -> Result<snmp::Oid, Fault> {
    let oid = job.node.oid.as_ref().ok_or(Fault::Invalid)?;
    Ok(snmp::Oid::new(oid.numbers()))
}

fn seconds(duration: jiff::SignedDuration) -> Duration {
    Duration::try_from(duration).unwrap_or(Duration::from_secs(5))
}

async fn walk(
    socket: &snmp::Fleet,
    target: &Target,
    job: &Job,
    cancel: &CancellationToken,
) -> Result<(Learned, Option<u32>), Fault> {
    let most = job.snmp.repetitions;
    let question = snmp::Walk {
        repetitions: job.repetitions.unwrap_or(most).clamp(1, most.max(1)),
        timeout: seconds(job.snmp.timeout),
        retries: job.snmp.discovery_retries,
        patience: job.patience,
        expect: Some(Kind::Number),
        ..snmp::Walk::new(root(job)?)
    };
    let walked = socket.walk(target, &question, cancel).await?;
    let rows = walked.rows.iter().filter_map(|row| {
        // The last two numbers name the ONU, whatever comes before them.
        let numbers = row.index.arcs();
        let index = numbers.get(numbers.len().saturating_sub(2)..)?;
        let index: Vec<String> = index.iter().map(ToString::to_string).collect();
        Some(Sighting { raw_index: index.join("."), state: row.value.number()? })
    });
    let walk = Walk { rows: rows.collect(), complete: true };
    // Version 1 asks row by row, which says nothing about what the device would bear.
    let borne = (job.olt.version != SnmpVersion::V1).then_some(walked.repetitions);
    Ok((Learned::Walk(walk), borne))
}

async fn get(
    context: &Context,
    socket: &snmp::Fleet,
    target: &Target,
    job: &Job,
    cancel: &CancellationToken,
) -> Result<Learned, Fault> {
    let column = column(job);
    let known = async {
        let mut tx = context.store.read().await?;
        onus::asked(&mut tx, job.olt.id, column.unwrap_or(Column::Description)).await
    };
    let known = known.await.map_err(|error| {
        tracing::error!(%error, "the inventory cannot be read");
        Fault::Cancelled
    })?;
    let root = root(job)?;
    let mut asked = Vec::with_capacity(known.len());
    let mut oids = Vec::with_capacity(known.len());
    for (onu, index, previous) in known {
        let suffix: Vec<u32> = index.split('.').filter_map(|part| part.parse().ok()).collect();
        oids.push(snmp::Oid::new([root.arcs(), &suffix].concat()));
        asked.push(Asked { onu, previous });
    }
    let question = snmp::Get {
        per_packet: job.snmp.varbinds as usize,
        timeout: seconds(job.snmp.timeout),
        retries: job.snmp.get_retries,
        patience: job.patience,
        ..snmp::Get::new(oids)
    };
    if asked.is_empty() {
        return Ok(Learned::Column { column, asked, answers: Vec::new() });
    }
    let got = socket.get(target, &question, cancel).await?;
    Ok(Learned::Column { column, asked, answers: got.answers })
}

/// What a get fills in: the node says it, or the catalogue by the OID.
fn column(job: &Job) -> Option<Column> {
    job.node.column.or_else(|| {
        let shipped = catalogue::shipped();
        let entry = shipped.iter().find(|entry| Some(&entry.oid) == job.node.oid.as_ref())?;
        match entry.space {
            Space::Column(column) => Some(column),
            Space::Discovery => None,
        }
    })
}

/// Believes what can be believed and says how the run ended.
pub(super) async fn keep(
    decision: &mut Decision,
    policy: &Policy,
    job: &Job,
    learned: &Learned,
) -> Result<Ended, Error> {
    match learned {
        Learned::Walk(walk) => keep_walk(decision, policy, job, walk).await,
        Learned::Column { column, asked, answers } => {
            keep_column(decision, job, *column, asked, answers).await
        }
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
            Ok(Ended::failed(Ending::Partial, Fault::Partial { rows: walk.rows.len() }))
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
        level: Level::Alert,
        kind: "RECORRIDO_RETENIDO",
        reason: Some("HELD"),
        olt: Some(job.olt.id),
        node: Some(job.node.id),
        run: Some(job.run.id),
        data: data.clone(),
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
    asked: &[Asked],
    answers: &[snmp::Answer],
) -> Result<Ended, Error> {
    let now = decision.now;
    let Some(column) = column else {
        let read = answers.iter().filter(|one| matches!(one, snmp::Answer::Value(_))).count();
        return Ok(Ended::success(json!({ "total_onus": asked.len(), "success_onus": read })));
    };
    let target = catalogue_target(decision, job, column).await?;
    let previous: HashMap<OnuId, &Option<String>> =
        asked.iter().map(|one| (one.onu, &one.previous)).collect();
    let answers: Vec<Answer> = asked
        .iter()
        .zip(answers)
        .map(|(asked, answer)| Answer {
            onu: asked.onu,
            previous: asked.previous.clone(),
            got: got(answer),
        })
        .collect();
    let written = inventory::after_get(target, &answers);
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
            "total_onus": asked.len(), "success_onus": values, "changed": news.len(),
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
    let entries = super::templates::entries(&mut decision.tx).await?;
    let own = entries.iter().find(|entry| Some(&entry.oid) == job.node.oid.as_ref());
    Ok(inventory::Target {
        column,
        keep_previous: own.is_some_and(|entry| entry.keep_previous),
        format_mac: own.map_or(column == Column::Mac, |entry| entry.format_mac),
    })
}

fn got(answer: &snmp::Answer) -> Got {
    match answer {
        snmp::Answer::Value(value) => match raw(value) {
            Some(raw) => Got::Value(raw),
            None => Got::Failed(Ending::Decode),
        },
        snmp::Answer::Missing(Missing::Object | Missing::Instance | Missing::EndOfView) => {
            Got::NoSuch
        }
        snmp::Answer::Fault(fault) => Got::Failed(ending(*fault)),
    }
}

fn raw(value: &Value) -> Option<Raw> {
    match value {
        Value::Bytes(bytes) | Value::Opaque(bytes) => Some(Raw::Bytes(bytes.clone())),
        Value::Oid(oid) => Some(Raw::Text(oid.to_string())),
        Value::Address([a, b, c, d]) => Some(Raw::Text(format!("{a}.{b}.{c}.{d}"))),
        Value::Integer(_)
        | Value::Counter(_)
        | Value::Gauge(_)
        | Value::Ticks(_)
        | Value::Counter64(_) => value.number().map(Raw::Integer),
    }
}
