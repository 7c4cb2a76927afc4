//! Stops a bot in the Control Room, which knows it by the id of its activity, not of its deployment.

use controlroom::{Activity, ActivityQuery, Client, Fault, Kind};
use db::{Error, effects::Claimed};
use host::Outcome;

use crate::{
    Context,
    decisions::{alarms, reconcile, settings},
    drivers::look::seen,
    model::{Run, RunId, RunState},
    rules::reconcile::Seen,
    store::{self, outcomes, runs},
};

pub const KIND: &str = "sam.detener";

/// After so many failures people are told; it is still tried.
const TOLD: i64 = 3;

pub async fn perform(context: Context, effect: Claimed) -> Outcome {
    let id = RunId(effect.payload["run"].as_i64().unwrap_or_default());
    match stop(&context, id, effect.attempt).await {
        Ok(outcome) => outcome,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

async fn stop(context: &Context, id: RunId, attempt: i64) -> Result<Outcome, Error> {
    let run = runs::find(&mut context.store.read().await?, id).await?;
    let Some(run) = run else { return Ok(Outcome::Done) };
    match ask(context, &run).await? {
        Ok(ended) => {
            alarms::stopped(context, &run).await?;
            if let Some(seen) = ended {
                reconcile::ended(context, run.id, &seen).await?;
            }
            Ok(Outcome::Done)
        }
        Err(fault) if fault.kind == Kind::Rejected => {
            note(context, &run, &fault).await?;
            Ok(Outcome::Refused(fault.to_string()))
        }
        Err(fault) => {
            if attempt == TOLD {
                note(context, &run, &fault).await?;
            }
            Ok(Outcome::Failed(fault.to_string()))
        }
    }
}

/// Has it stopped, and says how it ended as soon as the Control Room does. What is not there any more, or
/// has ended, needs no stopping.
async fn ask(context: &Context, run: &Run) -> Result<Result<Option<Seen>, Fault>, Error> {
    let Some(deployment) = &run.deployment else { return Ok(Ok(None)) };
    let client = match context.runtime.client(&settings(context).await?)? {
        Ok(client) => client,
        Err(bad) => return Ok(Err(Fault::new(Kind::Unreachable, bad.to_string()))),
    };
    Ok(stopped(&client, deployment).await)
}

async fn stopped(client: &Client, deployment: &str) -> Result<Option<Seen>, Fault> {
    let asked = ActivityQuery::Deployments(vec![deployment.to_owned()]);
    let over = |one: &Activity| RunState::told(&one.status).is_some_and(RunState::is_final);
    let found = client.activity(&asked).await?;
    let ids: Vec<String> = found.into_iter().filter(|one| !over(one)).map(|one| one.id).collect();
    client.stop(&ids).await?;
    // Its callback says the same, if it comes.
    let found = client.activity(&asked).await.unwrap_or_default();
    Ok(found.into_iter().find(over).and_then(seen))
}

/// It goes on: its page says so, and people are told.
async fn note(context: &Context, run: &Run, fault: &Fault) -> Result<(), Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let detail = format!("no se pudo detener: {fault}");
    outcomes::note(&mut decision.tx, run, &detail, now).await?;
    decision.commit().await?;
    alarms::not_stopped(context, run, &fault.to_string()).await
}
