//! Sends a claimed run to the Control Room: once, and never blindly again.
//!
//! That a deploy is about to be posted is committed before it is. Whoever comes back to such a run
//! — after a crash, a time-out, an answer that was lost — looks it up by its tag first.

use controlroom::{Callback, Client, Deployment, Kind, Target};
use db::{Error, effects::Claimed, settings::Values};
use host::Outcome;

use super::{fault::fault, gateway, look::look};
use crate::{
    Context,
    decisions::deploy::{accepted, failed, later, not_found, posting},
    model::{Robot, Run, RunId, RunState},
    rules::{
        deploy::Fault,
        doubt::{self, Look},
    },
    store::{policy, robots, runners, runs},
    wire,
};

pub const KIND: &str = "sam.deploy";

pub async fn perform(context: Context, effect: Claimed) -> Outcome {
    let Some(id) = effect.payload["run"].as_i64() else {
        return Outcome::Refused("no run is named".into());
    };
    match attempt(&context, RunId(id)).await {
        Ok(outcome) => outcome,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

async fn attempt(context: &Context, id: RunId) -> Result<Outcome, Error> {
    let mut tx = context.store.read().await?;
    let run = runs::find(&mut tx, id).await?;
    let Some(run) = run.filter(|run| run.state == RunState::Pending) else {
        return Ok(Outcome::Done);
    };
    let values = context.settings.load(&mut tx, crate::NAME).await?;
    let robot = robots::find(&mut tx, run.robot).await?;
    let runner = runners::find(&mut tx, run.runner).await?;
    let target = match runner.filter(|runner| runner.licence.is_attended()) {
        Some(runner) => Target::Attended { device: runner.id.0 },
        None => Target::Unattended { user: run.user_id },
    };
    drop(tx);
    let client = match context.runtime.client(&values)? {
        Ok(client) => client,
        Err(bad) => return failed(context, &run, &unusable(&bad)).await,
    };
    let Some(robot) = robot else { return Ok(Outcome::Refused("the robot is gone".into())) };
    if run.posted_at.is_some() {
        return look_up(context, &client, &values, &run).await;
    }
    let deploys = context.runtime.deploys(values.int(policy::WORKERS)?);
    let Ok(_busy) = deploys.acquire().await else { return Ok(Outcome::Failed("stopping".into())) };
    let mut order = order(context, &values, &run, &robot, target)?;
    if let Some(callback) = &mut order.callback {
        callback.headers.extend(gateway::headers(context, &values).await?);
    }
    if !posting(context, &run).await? {
        return Ok(Outcome::Done);
    }
    match client.deploy(&order).await {
        Ok(deployment) => accepted(context, &run, &deployment, "LANZADOR").await,
        Err(told) => failed(context, &run, &fault(&told)).await,
    }
}

/// A client that cannot be made reaches nobody.
fn unusable(bad: &controlroom::BadConfig) -> Fault {
    fault(&controlroom::Fault::new(Kind::Unreachable, bad.to_string()))
}

fn order(
    context: &Context,
    values: &Values,
    run: &Run,
    robot: &Robot,
    on: Target,
) -> Result<Deployment, Error> {
    let url = values.text(policy::CALLBACK_URL)?.trim();
    let url = if url.is_empty() {
        format!("{}/api/callback", context.options.address())
    } else {
        url.to_owned()
    };
    let token = policy::callback_token(values, &context.options.vault)?;
    let headers = [("X-Authorization".to_owned(), token)];
    Ok(Deployment {
        bot_id: robot.id.0,
        on,
        tag: run.tag(),
        input: Some(wire::bot_input(robot, values.int(policy::REPETITIONS)?)),
        callback: Some(Callback { url, headers: headers.into() }),
    })
}

/// A deploy was posted and how it ended is not known.
async fn look_up(
    context: &Context,
    client: &Client,
    values: &Values,
    run: &Run,
) -> Result<Outcome, Error> {
    let by_device = doubt::needs_device(run, values.int(policy::MISSES)?);
    match look(context, client, run, by_device).await? {
        Ok(Look { tagged: Some(seen), .. }) => {
            accepted(context, run, &seen.deployment, "BUSQUEDA").await
        }
        Ok(look) => not_found(context, run, &look).await,
        Err(fault) => Ok(later(context, &fault.to_string(), 3)),
    }
}
