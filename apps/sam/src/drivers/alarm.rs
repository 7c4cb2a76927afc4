//! Tells people what became of a run, and asks the Control Room what it has to say about one that failed.

use controlroom::ActivityQuery;
use db::{Error, effects::Claimed};
use host::Outcome;

use crate::{
    Context,
    decisions::{aftermath as what, alarms, settings},
    model::{Run, RunId},
    store::{self, outcomes, runs},
};

/// A Control Room that does not say it now is not asked for ever.
const ASKED: i64 = 4;

pub async fn perform(context: Context, effect: Claimed) -> Outcome {
    let id = effect.payload["run"].as_i64().unwrap_or_default();
    let word = effect.payload["what"].as_str().unwrap_or_default();
    match tell(&context, RunId(id), word).await {
        Ok(Some(fault)) if effect.attempt < ASKED => Outcome::Failed(fault),
        Ok(_) => Outcome::Done,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

/// Why the Control Room did not say what it knows, if it did not.
async fn tell(context: &Context, id: RunId, word: &str) -> Result<Option<String>, Error> {
    let run = runs::find(&mut context.store.read().await?, id).await?;
    let Some(run) = run else { return Ok(None) };
    match word {
        what::OVERDUE => alarms::not_begun(context, &run).await?,
        what::BEGUN => alarms::begun(context, &run).await?,
        what::WELL => alarms::slot_well(context, &run).await?,
        what::FAILED => {
            alarms::slot_failed(context, &run).await?;
            return message(context, &run).await;
        }
        _ => return message(context, &run).await,
    }
    Ok(None)
}

/// A callback says that a run failed, not why: the list of activities does.
async fn message(context: &Context, run: &Run) -> Result<Option<String>, Error> {
    let (None, Some(deployment)) = (&run.message, &run.deployment) else { return Ok(None) };
    let Ok(client) = context.runtime.client(&settings(context).await?)? else { return Ok(None) };
    let asked = ActivityQuery::Deployments(vec![deployment.clone()]);
    let found = match client.activity(&asked).await {
        Ok(found) => found,
        Err(fault) => return Ok(Some(fault.to_string())),
    };
    let Some(said) = found.into_iter().find_map(|one| one.message) else { return Ok(None) };
    let mut decision = context.store.decide(&store::scope(), context.clock.now()).await?;
    outcomes::message(&mut decision.tx, run.id, &said).await?;
    decision.commit().await?;
    Ok(None)
}
