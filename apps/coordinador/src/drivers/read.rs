//! What a device says: a walk of a table, or one value of each ONU, in the house's words.

use std::time::Duration;

use snmp::{CancellationToken, Fault, Kind, Missing, Target, Value};

use super::ending;
use crate::{
    Context,
    decisions::polls::{Job, Learned, Task},
    model::{Ending, JobType, SnmpVersion},
    rules::inventory::{Answer, Got, Raw, Sighting, Walk},
    store::onus,
};

/// Walks or gets. With it what GETBULK turned out to bear.
pub(super) async fn read(
    context: &Context,
    socket: &snmp::Fleet,
    target: &Target,
    job: &Job,
    cancel: &CancellationToken,
) -> Result<(Learned, Option<u32>), Fault> {
    match job.task.node.job {
        JobType::Discovery => walk(socket, target, job, cancel).await,
        JobType::Get => {
            let learned = get(context, socket, target, job, cancel).await?;
            Ok((learned, None))
        }
    }
}

fn root(task: &Task) -> Result<snmp::Oid, Fault> {
    let oid = task.node.oid.as_ref().ok_or(Fault::Invalid)?;
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
        least: job.snmp.least_repetitions,
        timeout: seconds(job.snmp.timeout),
        retries: job.snmp.discovery_retries,
        time_limit: seconds(job.stale),
        expect: Some(Kind::Number),
        ..snmp::Walk::new(root(&job.task)?)
    };
    let walked = socket.walk(target, &question, cancel).await?;
    let rows = walked.rows.iter().filter_map(|row| {
        // All of it names the ONU, as many numbers as it has: cut short, two would be one.
        Some(Sighting { raw_index: row.index.to_string(), state: row.value.number()? })
    });
    let walk = Walk { rows: rows.collect(), complete: true };
    // Version 1 asks row by row, which says nothing about what the device would bear.
    let borne = (job.olt.version != SnmpVersion::V1).then_some(walked.repetitions);
    Ok((Learned::Walk(walk), borne))
}

/// One question about every ONU for the task and for each that is asked with it.
async fn get(
    context: &Context,
    socket: &snmp::Fleet,
    target: &Target,
    job: &Job,
    cancel: &CancellationToken,
) -> Result<Learned, Fault> {
    let tasks: Vec<&Task> = std::iter::once(&job.task).chain(&job.also).collect();
    let known = async {
        let mut tx = context.store.read().await?;
        let mut known = Vec::with_capacity(tasks.len());
        for task in &tasks {
            known.push(onus::asked(&mut tx, job.olt.id, task.target.column).await?);
        }
        Ok::<_, db::Error>(known)
    };
    let known = known.await.map_err(|error| {
        tracing::error!(%error, "the inventory cannot be read");
        Fault::Cancelled
    })?;
    let mut oids = Vec::new();
    for (task, onus) in tasks.iter().zip(&known) {
        let root = root(task)?;
        oids.extend(onus.iter().map(|(_, index, _)| {
            let suffix: Vec<u32> = index.split('.').filter_map(|part| part.parse().ok()).collect();
            snmp::Oid::new([root.arcs(), &suffix].concat())
        }));
    }
    if oids.is_empty() {
        return Ok(Learned::Values(vec![Vec::new(); tasks.len()]));
    }
    let question = snmp::Get {
        per_packet: job.snmp.varbinds as usize,
        in_flight: job.snmp.in_flight as usize,
        timeout: seconds(job.snmp.timeout),
        retries: job.snmp.get_retries,
        value_retries: job.snmp.onu_retries,
        time_limit: seconds(job.stale),
        ..snmp::Get::new(oids)
    };
    let mut told = socket.get(target, &question, cancel).await?.answers.into_iter();
    let values = known.into_iter().map(|onus| {
        let pairs = onus.into_iter().zip(told.by_ref());
        pairs.map(|((onu, _, previous), told)| Answer { onu, previous, got: got(&told) }).collect()
    });
    Ok(Learned::Values(values.collect()))
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
