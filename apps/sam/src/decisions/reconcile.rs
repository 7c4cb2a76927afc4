//! The reconciler's tick: ask the Control Room, then decide on its answers.

use std::collections::HashSet;

use controlroom::{Activity, ActivityQuery, Client, Fault, RunsOn};
use db::{Decision, Error};
use host::Context;
use jiff::{SignedDuration, Timestamp};

use super::{deploy, runs as closing};
use crate::{
    alarms,
    model::{Closing, Run, RunState},
    room::{Room, stir},
    rules::reconcile::{self, Answers, Change, Patience, Seen},
    store::{self, policy, runs, runs::End},
};

pub const TICK: &str = "sam.conciliador";

pub async fn tick(context: Context, now: Timestamp) -> Result<(), Error> {
    let mut tx = context.store.read().await?;
    let believed = runs::live(&mut tx).await?;
    let values = context.settings.load(&mut tx, crate::NAME).await?;
    drop(tx);
    if believed.is_empty() || !policy::is_configured(&values)? {
        return Ok(());
    }
    let batch = values.int(policy::RECONCILE_BATCH)?.unsigned_abs() as usize;
    let answers = match context.shared::<Room>().client(&values)? {
        Ok(client) => ask(&client, &believed, batch).await,
        Err(bad) => Err(Fault::Unreachable { reason: bad.to_string() }),
    };
    let answers = match answers {
        Ok(answers) => {
            alarms::reconciled(&context).await?;
            answers
        }
        Err(fault) => {
            // A failed question is not a miss: age alone is judged.
            tracing::warn!(fault = %fault, "not reconciled");
            alarms::unreconciled(&context, &fault).await?;
            Answers::default()
        }
    };
    settle(&context, &answers, now).await
}

/// Everything active first; what is not among it is asked for by name.
async fn ask(client: &Client, believed: &[Run], batch: usize) -> Result<Answers, Fault> {
    let mut answers = Answers::default();
    let known: HashSet<&str> =
        believed.iter().filter_map(|run| run.deployment.as_deref()).collect();
    let active = client.activity(&ActivityQuery::active()).await?;
    take(&mut answers, active, &known);
    let absent: Vec<String> = known
        .iter()
        .filter(|id| !answers.seen.contains_key(**id))
        .map(|id| (*id).to_owned())
        .collect();
    for ids in absent.chunks(batch.max(1)) {
        match client.activity(&ActivityQuery::Deployments(ids.to_vec())).await {
            Ok(found) => {
                take(&mut answers, found, &known);
                answers.asked.extend(ids.iter().cloned());
            }
            Err(fault) => tracing::warn!(fault = %fault, runs = ids.len(), "not asked about"),
        }
    }
    for run in believed.iter().filter(|run| run.deployment.is_none() && run.posted_at.is_some()) {
        let since = run.posted_at.unwrap_or(run.claimed_at);
        if let Ok(found) = client
            .find_by_tag(
                RunsOn::Runner { device: run.runner.0, user: run.user_id },
                &run.tag(),
                since,
            )
            .await
        {
            answers.tags.insert(run.id, found.and_then(seen));
        }
    }
    Ok(answers)
}

fn take(answers: &mut Answers, found: Vec<Activity>, known: &HashSet<&str>) {
    for one in found.into_iter().filter_map(seen) {
        if known.contains(one.deployment.as_str()) {
            answers.seen.insert(one.deployment.clone(), one);
        }
    }
}

fn seen(activity: Activity) -> Option<Seen> {
    Some(Seen {
        deployment: activity.deployment_id?,
        status: activity.status,
        started_at: activity.started_at,
        ended_at: activity.ended_at,
    })
}

/// Decides on the answers against the runs as they are by now.
async fn settle(context: &Context, answers: &Answers, now: Timestamp) -> Result<(), Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let live = runs::live(&mut decision.tx).await?;
    let policy = policy::load(&context.settings, &context.zone, &mut decision.tx).await?;
    let patience = Patience { misses: policy.misses_allowed, age: policy.age_limit };
    let changes = reconcile::plan(&live, answers, patience, now);
    let mut strange = Vec::new();
    for change in &changes {
        let of = |id| live.iter().find(|run| run.id == id);
        let id = match change {
            Change::Adopt { run, .. }
            | Change::Withdraw { run }
            | Change::Told { run, .. }
            | Change::Strange { run, .. }
            | Change::Miss { run, .. }
            | Change::Infer { run, .. }
            | Change::Age { run } => *run,
        };
        let run = of(id).ok_or_else(|| Error::corrupt("a change without its run"))?;
        apply(&mut decision, run, change).await?;
        if let Change::Strange { status, .. } = change {
            strange.push((run.id, status.clone()));
        }
    }
    decision.commit().await?;
    if !changes.is_empty() {
        stir(context);
    }
    alarms::strange(context, &strange).await
}

async fn apply(decision: &mut Decision, run: &Run, change: &Change) -> Result<(), Error> {
    let now = decision.now;
    match change {
        Change::Adopt { seen, .. } => {
            deploy::take_in(decision, run, &seen.deployment, "CONCILIADOR").await.map(drop)
        }
        Change::Withdraw { .. } => {
            deploy::withdraw(decision, run, "el Control Room no la recibió").await
        }
        Change::Told { state, seen, .. } => told(decision, run, *state, seen).await,
        Change::Strange { status, .. } => {
            let news = runs::News {
                state: run.state,
                raw: status,
                started_at: None,
                source: "CONCILIADOR",
            };
            runs::told(&mut decision.tx, run, &news, now).await
        }
        Change::Miss { misses, .. } => runs::missed(&mut decision.tx, run, *misses, now).await,
        Change::Infer { misses, .. } => {
            let cause = format!("ausente en {misses} conciliaciones seguidas");
            let end = ended(RunState::Inferred, Closing::Inferred, &cause, now);
            closing::close(decision, run, &end).await
        }
        Change::Age { .. } => {
            let end =
                ended(RunState::Unknown, Closing::Aged, "sin noticias por demasiado tiempo", now);
            closing::close(decision, run, &end).await
        }
    }
}

async fn told(
    decision: &mut Decision,
    run: &Run,
    state: RunState,
    seen: &Seen,
) -> Result<(), Error> {
    let now = decision.now;
    if state.is_final() {
        let end = End {
            state,
            closing: Closing::Reconciler,
            raw: Some(&seen.status),
            started_at: seen.started_at,
            finished_at: seen.ended_at.filter(|at| *at <= now).unwrap_or(now),
            cause: None,
            callback: None,
            keeps_slot: true,
        };
        return closing::close(decision, run, &end).await;
    }
    let news =
        runs::News { state, raw: &seen.status, started_at: seen.started_at, source: "CONCILIADOR" };
    runs::told(&mut decision.tx, run, &news, now).await?;
    if state != run.state {
        closing::went_on(decision, run, state);
    }
    Ok(())
}

fn ended(state: RunState, closing: Closing, cause: &str, now: Timestamp) -> End<'_> {
    End {
        state,
        closing,
        raw: None,
        started_at: None,
        finished_at: now,
        cause: Some(cause),
        callback: None,
        keeps_slot: true,
    }
}

pub async fn period(context: Context) -> Result<SignedDuration, Error> {
    let mut tx = context.store.read().await?;
    let values = context.settings.load(&mut tx, crate::NAME).await?;
    Ok(SignedDuration::from_secs(values.int(policy::RECONCILE_EVERY)?))
}
