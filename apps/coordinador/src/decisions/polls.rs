//! A run and its device: who carries it out, and what is recorded when it is over.

use db::{Decision, Error, Tx};
use jiff::SignedDuration;
use serde_json::json;

use super::{
    catalogue::{self, entries},
    learn, runs as ending,
};
use crate::{
    Context,
    model::{Column, Ending, Node, Olt, Run, RunId, RunState},
    policy::{Policy, SnmpPolicy},
    rules::inventory::{Answer, Target, Walk},
    store::{self, nodes, olts, policy, runs, runs::Ended},
};

/// The effect that begins a run.
pub const KIND: &str = "coordinador.corrida";

/// A run that is begun later than this after its start was left by a process that died.
const FRESH: SignedDuration = SignedDuration::from_secs(5);

/// What a run needs to be carried out.
#[derive(Debug)]
pub struct Job {
    pub task: Task,
    /// What is asked together with it.
    pub also: Vec<Task>,
    pub olt: Olt,
    /// How the device lets us in, as it is kept.
    pub sealed: Vec<u8>,
    pub repetitions: Option<u32>,
    pub snmp: SnmpPolicy,
    /// It may take no longer.
    pub stale: SignedDuration,
}

/// A run, its node, and how what a get reads is kept.
#[derive(Debug)]
pub struct Task {
    pub run: Run,
    pub node: Node,
    pub target: Target,
}

/// What came back, before anything is believed.
#[derive(Debug)]
pub enum Learned {
    Walk(Walk),
    /// Of the task, then of those that are asked with it.
    Values(Vec<Vec<Answer>>),
}

/// What a run found out.
#[derive(Debug)]
pub struct Finding {
    pub learned: Learned,
    pub heard: olts::Heard,
}

/// Why a run found out nothing. `Ending::Cancelled`: this process stops.
#[derive(Debug)]
pub struct Trouble {
    pub ending: Ending,
    pub detail: String,
}

/// This process carries the run out from here on. None: it is over, or somebody else does.
pub async fn take(context: &Context, id: RunId) -> Result<Option<Job>, Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let tx = &mut decision.tx;
    let Some(run) = runs::find(tx, id).await?.filter(|run| run.state == RunState::Running) else {
        return Ok(None);
    };
    // A process that died may still hold it; that it is gone will tell.
    if !runs::take(tx, id, &context.process.name).await? {
        return Ok(None);
    }
    let late = run.started_at.is_none_or(|start| now.duration_since(start) > FRESH);
    let job = if late {
        let policy = policy::load(context, tx).await?;
        let end = Ended::interrupted(Ending::Lost, json!({ "motivo": "nadie la llevó a cabo" }));
        ending::end(context, &mut decision, &policy, &run, &end).await?;
        None
    } else {
        load(context, tx, run).await?
    };
    decision.commit().await?;
    Ok(job)
}

async fn load(context: &Context, tx: &mut Tx, run: Run) -> Result<Option<Job>, Error> {
    let policy = policy::load(context, tx).await?;
    let node = nodes::find(tx, run.node).await?;
    let Some((node, olt)) = node.zip(olts::find(tx, run.olt).await?) else { return Ok(None) };
    let kept = olts::health(tx, olt.id).await?.repetitions;
    let target = target(tx, &node, &olt).await?;
    let mut also = Vec::new();
    for run in runs::riders(tx, run.id).await? {
        if let Some(node) = nodes::find(tx, run.node).await? {
            also.push(Task { target: self::target(tx, &node, &olt).await?, run, node });
        }
    }
    Ok(Some(Job {
        also,
        sealed: olts::sealed(tx, olt.id).await?,
        repetitions: kept.and_then(|kept| u32::try_from(kept).ok()),
        snmp: policy.snmp,
        stale: policy.stale,
        task: Task { run, node, target },
        olt,
    }))
}

async fn target(tx: &mut Tx, node: &Node, olt: &Olt) -> Result<Target, Error> {
    let entries = entries(tx).await?;
    let entry = catalogue::entry(&entries, node, &olt.brand);
    let column = catalogue::column(node, entry);
    Ok(Target {
        column,
        keep_previous: entry.is_some_and(|entry| entry.keep_previous),
        format_mac: entry.map_or(column == Some(Column::Mac), |entry| entry.format_mac),
        unit: entry.and_then(|entry| entry.unit),
    })
}

/// What was read for a run that was asked with another, unless somebody ended it meanwhile.
async fn share(
    context: &Context,
    decision: &mut Decision,
    policy: &Policy,
    job: &Job,
    task: &Task,
    answers: &[Answer],
) -> Result<(), Error> {
    let current = runs::find(&mut decision.tx, task.run.id).await?;
    let Some(run) = current.filter(|run| run.state == RunState::Running) else { return Ok(()) };
    let end = learn::values(decision, &job.olt, task, answers).await?;
    ending::end(context, decision, policy, &run, &end).await.map(drop)
}

/// Records what was found, all of it in one commit with the end of the run.
pub async fn conclude(
    context: &Context,
    job: &Job,
    found: Result<Finding, Trouble>,
) -> Result<(), Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let tx = &mut decision.tx;
    // Ended by somebody else meanwhile: the answer comes too late.
    let current = runs::find(tx, job.task.run.id).await?;
    let Some(run) = current.filter(|run| run.state == RunState::Running) else { return Ok(()) };
    let policy = policy::load(context, tx).await?;
    let end = match found {
        Ok(finding) => {
            let end = match &finding.learned {
                Learned::Walk(walk) => learn::walk(&mut decision, &policy, job, walk).await?,
                Learned::Values(values) => {
                    for (task, answers) in job.also.iter().zip(values.iter().skip(1)) {
                        share(context, &mut decision, &policy, job, task, answers).await?;
                    }
                    let answers = values.first().map_or(&[][..], Vec::as_slice);
                    learn::values(&mut decision, &job.olt, &job.task, answers).await?
                }
            };
            ending::heard(&mut decision, &job.olt, finding.heard).await?;
            end
        }
        Err(Trouble { ending: Ending::Cancelled, .. }) => {
            Ended::interrupted(Ending::Lost, json!({ "motivo": "parada" }))
        }
        Err(trouble) => {
            if trouble.ending == Ending::Unreachable {
                let began = run.started_at.unwrap_or(now);
                ending::unheard(&mut decision, &policy, &job.olt, began).await?;
            }
            Ended::failed(trouble.ending, trouble.detail)
        }
    };
    ending::end(context, &mut decision, &policy, &run, &end).await?;
    decision.commit().await.map(drop)
}
