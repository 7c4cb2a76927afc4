//! Looks for a run in doubt: by its tag, and by its device and the time.

use controlroom::{Activity, ActivityQuery, Client, Fault};
use db::Error;
use jiff::Timestamp;

use crate::{
    Context,
    model::Run,
    rules::{
        doubt::{Look, Sight, since},
        reconcile::Seen,
    },
    store::{outcomes, runs},
};

/// Runs that certainly were; a list that shows none of them shows nothing.
const KNOWN: i64 = 5;

/// What the Control Room shows of it. By device and time it is asked only where that decides.
pub async fn look(
    context: &Context,
    client: &Client,
    run: &Run,
    by_device: bool,
) -> Result<Result<Look, Fault>, Error> {
    let since = since(run, context.clock.now());
    let tag = run.tag();
    let tagged = match client.find_by_tag(run.runner.0, run.user_id, &tag, since).await {
        Ok(found) => found.and_then(seen),
        Err(fault) => return Ok(Err(fault)),
    };
    if !by_device || tagged.is_some() {
        return Ok(Ok(Look { tagged, device: Sight::NotAsked }));
    }
    let device = on_device(context, client, run, since).await?;
    Ok(device.map(|device| Look { tagged, device }))
}

async fn on_device(
    context: &Context,
    client: &Client,
    run: &Run,
    since: Timestamp,
) -> Result<Result<Sight, Fault>, Error> {
    let known = outcomes::known(&mut context.store.read().await?, KNOWN).await?;
    if known.is_empty() {
        return Ok(Ok(Sight::Blind));
    }
    match client.activity(&ActivityQuery::Deployments(known)).await {
        Ok(shown) if shown.is_empty() => return Ok(Ok(Sight::Blind)),
        Ok(_) => {}
        Err(fault) => return Ok(Err(fault)),
    }
    let recent = match client.since(since).await {
        Ok(recent) => recent,
        Err(fault) => return Ok(Err(fault)),
    };
    let alike = |one: &Activity| {
        let same = |told: Option<i64>, ours: i64| told.is_none_or(|told| told == ours);
        same(one.device_id, run.runner.0) && same(one.bot_id, run.robot.0)
    };
    let mut tx = context.store.read().await?;
    for one in recent.into_iter().filter(alike).filter_map(seen) {
        if runs::by_deployment(&mut tx, &one.deployment).await?.is_none() {
            return Ok(Ok(Sight::Suspect(one)));
        }
    }
    Ok(Ok(Sight::Clear))
}

/// An execution as the rules see it; one without a deployment is nothing they could name.
pub fn seen(activity: Activity) -> Option<Seen> {
    Some(Seen {
        deployment: activity.deployment_id?,
        status: activity.status,
        started_at: activity.started_at,
        ended_at: activity.ended_at,
        message: activity.message,
    })
}
