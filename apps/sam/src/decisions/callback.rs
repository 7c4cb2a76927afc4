//! *Callback* (R-8): the Control Room says that a run is over.

use db::{Decision, Error};
use jiff::Timestamp;
use serde_json::Value as Json;

use super::runs::close;
use crate::{
    Context,
    model::{Closing, Run, RunState},
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
        let end = End { raw: Some(status), callback: Some(payload), ..end };
        close(decision, run, &end).await?;
        return Ok(Heard::Closed);
    }
    if run.closing.is_some_and(Closing::yields_to_callback) {
        runs::overrule(&mut decision.tx, run, state, status, payload, now).await?;
        return Ok(Heard::Overruled);
    }
    if run.closing != Some(Closing::Callback) {
        runs::late(&mut decision.tx, run, status, payload, now).await?;
    }
    Ok(Heard::Known)
}
