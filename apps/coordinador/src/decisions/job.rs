//! Carries a run out: probe, walk or get, and what is learned from it.
//!
//! The effect only begins it: a walk may take minutes. Its answer counts as long as the run is live
//! when it comes; a run that was cut off, aborted or lost meanwhile changes nothing.

use std::time::Duration;

use db::{Error, effects::Claimed};
use host::{Context, Driver, Outcome};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use snmp::{CancellationToken, Fault, Target};

use super::{
    learn,
    runs::{self as ending, Ended},
};
use crate::{
    credential,
    fleet::{Fleet, stir},
    model::{Ending, Node, Olt, Run, RunId, RunState},
    policy::SnmpPolicy,
    store::{self, nodes, olts, policy, runs},
};

pub const KIND: &str = "coordinador.corrida";

pub fn driver() -> Driver {
    Driver::new(KIND, perform)
}

/// A run that is begun later than this after its start was left by a process that died.
const FRESH: SignedDuration = SignedDuration::from_secs(5);

async fn perform(context: Context, effect: Claimed) -> Outcome {
    let Some(id) = effect.payload["run"].as_i64() else {
        return Outcome::Refused("no run is named".into());
    };
    match begin(&context, RunId(id)).await {
        Ok(()) => Outcome::Done,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

/// What a run needs to be carried out.
pub(super) struct Job {
    pub run: Run,
    pub node: Node,
    pub olt: Olt,
    pub target: Option<Target>,
    pub repetitions: Option<u32>,
    pub snmp: SnmpPolicy,
    pub patience: Duration,
}

async fn begin(context: &Context, id: RunId) -> Result<(), Error> {
    let fleet = context.shared::<Fleet>();
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let tx = &mut decision.tx;
    let Some(run) = runs::find(tx, id).await?.filter(|run| run.state == RunState::Running) else {
        return Ok(());
    };
    let late = run.started_at.is_none_or(|start| now.duration_since(start) > FRESH);
    // A process that died may still hold it; its silence will tell.
    if late || !runs::take(tx, id, &fleet.worker).await? {
        return Ok(());
    }
    let job = load(context, &mut decision.tx, run).await?;
    decision.commit().await?;
    let Some(job) = job else { return Ok(()) };
    let cancel = fleet.carry(id, &context.stopping);
    let context = context.clone();
    let work = context.clone();
    context.carry_on(async move {
        carry_out(&work, job, &cancel).await;
        work.shared::<Fleet>().put_down(id);
    });
    Ok(())
}

async fn load(context: &Context, tx: &mut db::Tx, run: Run) -> Result<Option<Job>, Error> {
    let policy = policy::load(&context.settings, &context.zone, tx).await?;
    let node = nodes::find(tx, run.node).await?;
    let Some((node, olt)) = node.zip(olts::find(tx, run.olt).await?) else { return Ok(None) };
    let sealed = olts::sealed(tx, olt.id).await?;
    let kept = olts::health(tx, olt.id).await?.repetitions;
    Ok(Some(Job {
        target: credential::target(&context.options.vault, &olt, &sealed),
        repetitions: kept.and_then(|kept| u32::try_from(kept).ok()),
        snmp: policy.snmp,
        patience: Duration::try_from(policy.stale).unwrap_or_default(),
        run,
        node,
        olt,
    }))
}

/// What a run found out.
pub(super) struct Finding {
    pub learned: learn::Learned,
    pub heard: olts::Heard,
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
    if let Err(error) = conclude(context, &job, found).await {
        // It stays RUNNING and is cut off as stale; nothing of it was written.
        tracing::error!(run = job.run.id.0, %error, "the end of a run could not be recorded");
    }
    stir(context);
}

async fn ask(context: &Context, job: &Job, cancel: &CancellationToken) -> Result<Finding, Fault> {
    let target = job.target.as_ref().ok_or_else(|| {
        tracing::error!(
            olt = job.olt.id.0,
            "its credential cannot be opened: sealed with another key"
        );
        Fault::Auth
    })?;
    let socket = context.shared::<Fleet>().socket().await.map_err(|error| {
        tracing::error!(%error, "no socket for SNMP");
        Fault::Unreachable
    })?;
    let timeout = Duration::try_from(job.snmp.timeout).unwrap_or(Duration::from_secs(5));
    let pulse = socket.probe(target, timeout, cancel).await.map_err(|fault| match fault {
        // One question without an answer: the device is away.
        Fault::Timeout => Fault::Unreachable,
        fault => fault,
    })?;
    let response_us = i64::try_from(pulse.took.as_micros()).ok();
    let (learned, repetitions) = learn::read(context, &socket, target, job, cancel).await?;
    let repetitions = repetitions.map(i64::from);
    Ok(Finding { learned, heard: olts::Heard { response_us, repetitions } })
}

/// Records what was found, all of it in one commit with the end of the run.
async fn conclude(
    context: &Context,
    job: &Job,
    found: Result<Finding, Fault>,
) -> Result<(), Error> {
    let now: Timestamp = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let tx = &mut decision.tx;
    // Ended by somebody else meanwhile: the answer comes too late.
    let current = runs::find(tx, job.run.id).await?;
    let Some(run) = current.filter(|run| run.state == RunState::Running) else { return Ok(()) };
    let policy = policy::load(&context.settings, &context.zone, tx).await?;
    let end = match found {
        Ok(finding) => {
            let end = learn::keep(&mut decision, &policy, job, &finding.learned).await?;
            ending::heard(&mut decision, &job.olt, finding.heard).await?;
            end
        }
        Err(Fault::Cancelled) => Ended::interrupted(Ending::Lost, json!({ "motivo": "parada" })),
        Err(fault) => {
            if fault == Fault::Unreachable {
                let began = run.started_at.unwrap_or(now);
                ending::unheard(&mut decision, &policy, &job.olt, began).await?;
            }
            Ended::failed(learn::ending(fault), fault)
        }
    };
    ending::end(&mut decision, &policy, &run, &end).await?;
    decision.commit().await.map(drop)
}
