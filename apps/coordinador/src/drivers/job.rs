//! Carries a run out: probe, then walk or get.
//!
//! The effect only begins it: a walk may take minutes. Its answer counts as long as the run is live
//! when it comes; a run that was cut off, aborted or lost meanwhile changes nothing.

use std::time::Duration;

use db::{Error, effects::Claimed};
use host::Outcome;
use snmp::{CancellationToken, Fault};

use super::{credential, read};
use crate::{
    Context,
    decisions::polls::{self, Finding, Job, Trouble},
    model::RunId,
    store::{olts, runs},
};

pub async fn perform(context: Context, effect: Claimed) -> Outcome {
    let Some(id) = effect.payload["run"].as_i64() else {
        return Outcome::Refused("no run is named".into());
    };
    match begin(&context, RunId(id)).await {
        Ok(()) => Outcome::Done,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

async fn begin(context: &Context, id: RunId) -> Result<(), Error> {
    let Some(job) = polls::take(context, id).await? else { return Ok(()) };
    let cancel = context.runtime.carry(id, &context.stopping);
    let work = context.clone();
    context.carry_on(async move {
        carry_out(&work, job, &cancel).await;
        work.runtime.put_down(id);
    });
    Ok(())
}

async fn carry_out(context: &Context, job: Job, cancel: &CancellationToken) {
    let found = tokio::select! {
        biased;
        // Whoever cancelled it has ended it, unless the server stops.
        () = cancel.cancelled() => Err(Fault::Cancelled),
        found = ask(context, &job, cancel) => found,
    };
    if cancel.is_cancelled() && !context.stopping.is_cancelled() {
        return;
    }
    if let Err(error) = polls::conclude(context, &job, found.map_err(Trouble::from)).await {
        // It stays RUNNING and is cut off as stale; nothing of it was written.
        tracing::error!(run = job.task.run.id.0, %error, "the end of a run could not be recorded");
    }
}

async fn ask(context: &Context, job: &Job, cancel: &CancellationToken) -> Result<Finding, Fault> {
    let target = credential::target(&context.options.vault, &job.olt, &job.sealed);
    let target = target.ok_or_else(|| {
        tracing::error!(
            olt = job.olt.id.0,
            "its credential cannot be opened: sealed with another key"
        );
        Fault::Auth
    })?;
    let socket = context.runtime.socket().await.map_err(|error| {
        tracing::error!(%error, "no socket for SNMP");
        Fault::Unreachable
    })?;
    let timeout = Duration::try_from(job.snmp.timeout).unwrap_or(Duration::from_secs(5));
    let pulse = match socket.probe(&target, timeout, cancel).await {
        Err(Fault::Timeout) => {
            // Asked once when it falls silent; after that one packet for each try is enough.
            let first = job.olt.backoff.is_none();
            let there = first && socket.introduces_itself(&target, timeout, cancel).await;
            return Err(if there { Fault::Auth } else { Fault::Unreachable });
        }
        pulse => pulse?,
    };
    let response_us = i64::try_from(pulse.took.as_micros()).ok();
    let (learned, repetitions) = read::read(context, &socket, &target, job, cancel).await?;
    let repetitions = repetitions.map(i64::from);
    Ok(Finding { learned, heard: olts::Heard { response_us, repetitions } })
}

/// Woken by every run that ends.
pub const ENDED: &str = "coordinador.ended";

/// Learns which runs other processes ended, as soon as they say so, and stops their packets here.
pub async fn watch(context: Context) {
    const GLANCE: Duration = Duration::from_secs(5);
    /// Endings that follow each other closely are looked at together.
    const REST: Duration = Duration::from_millis(50);
    let runtime = &context.runtime;
    let mut endings = context.listen(ENDED);
    loop {
        tokio::select! {
            () = context.stopping.cancelled() => return,
            Some(_) = endings.next() => tokio::time::sleep(REST).await,
            () = tokio::time::sleep(GLANCE) => {}
        }
        // Asked before the database is: what is taken meanwhile is not in the older picture.
        let carried = runtime.carrying();
        if carried.is_empty() {
            continue;
        }
        let live = async {
            let mut tx = context.store.read().await?;
            runs::carried_by(&mut tx, &context.process.name).await
        };
        match live.await {
            Ok(live) => runtime.stop(carried.into_iter().filter(|run| !live.contains(run))),
            Err(error) => tracing::warn!(%error, "cannot see whether runs were ended elsewhere"),
        }
    }
}
