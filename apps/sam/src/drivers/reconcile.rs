//! Asks the Control Room what became of the runs we believe live.

use std::collections::{BTreeMap, HashSet};

use controlroom::{Activity, ActivityQuery, Client, Fault, Kind};
use db::{Error, settings::Values};

use super::look::{look, seen};
use crate::{
    Context,
    model::{Run, RunnerId},
    rules::{
        doubt,
        reconcile::{Answers, Stranger},
    },
    store::{policy, runners, runs},
};

/// What it says, or why it did not answer.
pub async fn ask(
    context: &Context,
    values: &Values,
    believed: &[Run],
) -> Result<Result<Answers, String>, Error> {
    let client = match context.runtime.client(values)? {
        Ok(client) => client,
        Err(bad) => return Ok(Err(Fault::new(Kind::Unreachable, bad.to_string()).to_string())),
    };
    let batch = values.int(policy::RECONCILE_BATCH)?.unsigned_abs() as usize;
    let (mut answers, active) = match known(&client, believed, batch).await {
        Ok(told) => told,
        Err(fault) => return Ok(Err(fault.to_string())),
    };
    let allowed = values.int(policy::MISSES)?;
    for run in believed.iter().filter(|run| run.deployment.is_none() && run.posted_at.is_some()) {
        let by_device = doubt::needs_device(run, allowed);
        if let Ok(told) = look(context, &client, run, by_device).await? {
            answers.looks.insert(run.id, told);
        }
    }
    answers.strangers = strangers(context, active).await?;
    answers.listed = true;
    Ok(Ok(answers))
}

/// Everything active first; what is not among it is asked for by name.
async fn known(
    client: &Client,
    believed: &[Run],
    batch: usize,
) -> Result<(Answers, Vec<Activity>), Fault> {
    let mut answers = Answers::default();
    let known: HashSet<&str> =
        believed.iter().filter_map(|run| run.deployment.as_deref()).collect();
    let active = client.activity(&ActivityQuery::active()).await?;
    take(&mut answers, active.clone(), &known);
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
    Ok((answers, active))
}

/// What runs on runners of ours and was not started by us. What is looked for as ours is left out.
async fn strangers(
    context: &Context,
    active: Vec<Activity>,
) -> Result<BTreeMap<RunnerId, Stranger>, Error> {
    let mut tx = context.store.read().await?;
    let all = runners::all(&mut tx).await?;
    let ours: HashSet<RunnerId> = all.into_iter().map(|one| one.id).collect();
    // Read after the list: what was posted meanwhile is ours too.
    let live = runs::live(&mut tx).await?;
    let sought: Vec<String> =
        live.iter().filter(|run| run.posted_at.is_some()).map(Run::tag).collect();
    let sought = |one: &Activity| sought.iter().any(|tag| one.is_tagged(tag));
    let live: HashSet<&str> = live.iter().filter_map(|run| run.deployment.as_deref()).collect();
    let mut found = BTreeMap::new();
    for one in active {
        let (Some(device), Some(deployment)) = (one.device_id, one.deployment_id.clone()) else {
            continue;
        };
        let runner = RunnerId(device);
        if !ours.contains(&runner) || live.contains(deployment.as_str()) || sought(&one) {
            continue;
        }
        if runs::by_deployment(&mut tx, &deployment).await?.is_none() {
            let bot = one.automation_name.or_else(|| one.bot_id.map(|id| id.to_string()));
            let bot = bot.unwrap_or_default().chars().take(200).collect();
            found.entry(runner).or_insert(Stranger { deployment, bot });
        }
    }
    Ok(found)
}

fn take(answers: &mut Answers, found: Vec<Activity>, known: &HashSet<&str>) {
    for one in found.into_iter().filter_map(seen) {
        if known.contains(one.deployment.as_str()) {
            answers.seen.insert(one.deployment.clone(), one);
        }
    }
}
