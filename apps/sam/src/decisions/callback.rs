//! *Callback* (R-8): the Control Room says that a run is over.

use db::{Decision, Error};
use jiff::Timestamp;
use serde_json::Value as Json;

use super::{aftermath, runs::close};
use crate::{
    Context,
    model::{Closing, Run, RunState},
    rules::{aftermath::After, reason::Reason},
    store::{self, runs, runs::End, strays},
};

/// What a callback did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// It closed the run.
    Closed,
    /// It overruled what had only been concluded.
    Overruled,
    /// Said before, or too late to matter.
    Known,
    /// No run has that deployment yet: kept.
    Kept,
    /// Nor can it be kept: too many are.
    Full,
}

pub async fn hear(
    context: &Context,
    deployment: &str,
    status: &str,
    state: RunState,
    payload: &Json,
    now: Timestamp,
) -> Result<Heard, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let run = runs::by_deployment(&mut decision.tx, deployment).await?;
    let heard = match run {
        None => {
            let kept = strays::keep(&mut decision.tx, deployment, status, payload, now).await?;
            if kept { Heard::Kept } else { Heard::Full }
        }
        Some(run) => verdict(&mut decision, &run, status, state, payload).await?,
    };
    if heard == Heard::Closed {
        decision.wake(super::launch::TICK);
    }
    decision.commit().await?;
    let word = match heard {
        Heard::Closed => "closed",
        Heard::Overruled => "overruled",
        Heard::Known => "known",
        Heard::Kept => "kept",
        Heard::Full => "full",
    };
    metrics::counter!("sam_callbacks_total", "outcome" => word).increment(1);
    Ok(heard)
}

/// A slot that was thought to have failed ran well, or the other way round. What is over stays over:
/// nothing is tried again for an end that nobody saw coming.
async fn overruled(
    decision: &mut Decision,
    run: &Run,
    state: RunState,
    after: &After,
) -> Result<(), Error> {
    match after {
        After::Again { .. } => {
            let reason = Reason::RunFailed { run: run.id, state };
            let over = After::Over { reason, tell: true };
            aftermath::follow(decision, run, &over).await
        }
        after => aftermath::follow(decision, run, after).await,
    }
}

/// Applies a callback to a run, once.
pub async fn verdict(
    decision: &mut Decision,
    run: &Run,
    status: &str,
    state: RunState,
    payload: &Json,
) -> Result<Heard, Error> {
    let now = decision.now;
    if run.live {
        let end = End::new(state, Closing::Callback, now);
        let message = payload["message"].as_str();
        let end = End { raw: Some(status), callback: Some(payload), message, ..end };
        close(decision, run, &end).await?;
        return Ok(Heard::Closed);
    }
    if run.closing.is_some_and(Closing::yields_to_callback) {
        let end = End::new(state, Closing::Callback, now);
        let after = aftermath::of(decision, run, &end).await?;
        runs::overrule(&mut decision.tx, run, state, status, payload, now).await?;
        // One failure instead of another is no news to its slot.
        if state.succeeded() != run.state.succeeded() || run.state == RunState::Inferred {
            overruled(decision, run, state, &after).await?;
        }
        return Ok(Heard::Overruled);
    }
    if run.closing != Some(Closing::Callback) {
        runs::late(&mut decision.tx, run, status, payload, now).await?;
    }
    Ok(Heard::Known)
}
