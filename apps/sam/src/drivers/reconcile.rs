//! Asks the Control Room what became of the runs we believe live.

use std::collections::HashSet;

use controlroom::{Activity, ActivityQuery, Client, Fault, Kind};
use db::{Error, settings::Values};

use crate::{
    Context,
    model::Run,
    rules::reconcile::{Answers, Seen},
    store::policy,
};

/// What it says, or why it did not answer.
pub async fn ask(
    context: &Context,
    values: &Values,
    believed: &[Run],
) -> Result<Result<Answers, String>, Error> {
    let batch = values.int(policy::RECONCILE_BATCH)?.unsigned_abs() as usize;
    Ok(match context.runtime.client(values)? {
        Ok(client) => look(&client, believed, batch).await.map_err(|fault| fault.to_string()),
        Err(bad) => Err(Fault::new(Kind::Unreachable, bad.to_string()).to_string()),
    })
}

/// Everything active first; what is not among it is asked for by name.
async fn look(client: &Client, believed: &[Run], batch: usize) -> Result<Answers, Fault> {
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
        let found = client.find_by_tag(run.runner.0, run.user_id, &run.tag(), since).await;
        if let Ok(found) = found {
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
