//! Signs of life, and what dead processes left behind.

use db::Error;
use host::Context;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::runs::{self as ending, Ended};
use crate::{
    drivers::{Runtime, wake},
    model::Ending,
    store::{self, pollers, runs},
};

pub const TICK: &str = "coordinador.latido";

const PERIOD: SignedDuration = SignedDuration::from_secs(2);
/// A process that has been silent for so long is no more.
pub const DEAD: SignedDuration = SignedDuration::from_secs(6);
/// A run that nobody took in that time was left by a process that died on the way.
const UNTAKEN: SignedDuration = SignedDuration::from_secs(5);

/// A clock that is moved by hand has one process, and moves in leaps.
pub fn period(context: &Context) -> SignedDuration {
    if context.clock.is_manual() { SignedDuration::from_mins(10) } else { PERIOD }
}

pub async fn tick(context: Context, now: Timestamp) -> Result<(), Error> {
    let runtime = context.shared::<Runtime>();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let tx = &mut decision.tx;
    pollers::heartbeat(tx, &runtime.worker, now).await?;
    pollers::forget(tx, now - DEAD).await?;
    let dead = if context.clock.is_manual() { now } else { now - DEAD };
    let orphans = runs::orphans(tx, &runtime.worker, dead, now - UNTAKEN).await?;
    let policy = store::policy::load(&context.settings, &context.zone, tx).await?;
    for run in &orphans {
        let end = Ended::interrupted(Ending::Lost, json!({ "ultimo_latido_antes_de": dead }));
        ending::end(&mut decision, &policy, run, &end).await?;
        tracing::warn!(run = run.id.0, node = run.node.0, "a run was lost with its process");
    }
    decision.commit().await?;
    if !orphans.is_empty() {
        wake(&context);
    }
    Ok(())
}
