//! Signs of life, and what dead processes left behind.

use db::Error;
use host::Context;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::runs::{self as ending, Ended};
use crate::{
    fleet::{Fleet, stir},
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
    let fleet = context.shared::<Fleet>();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let tx = &mut decision.tx;
    pollers::beat(tx, &fleet.worker, now).await?;
    pollers::forget(tx, now - DEAD).await?;
    let dead = if context.clock.is_manual() { now } else { now - DEAD };
    let orphans = runs::orphans(tx, &fleet.worker, dead, now - UNTAKEN).await?;
    let policy = store::policy::load(&context.settings, &context.zone, tx).await?;
    for run in &orphans {
        let end = Ended::interrupted(Ending::Lost, json!({ "ultimo_latido_antes_de": dead }));
        ending::end(&mut decision, &policy, run, &end).await?;
        tracing::warn!(run = run.id.0, node = run.node.0, "a run was lost with its process");
    }
    decision.commit().await?;
    if !orphans.is_empty() {
        stir(&context);
    }
    Ok(())
}

/// Learns within half a second what other processes ended, and stops it here.
pub async fn watch(context: Context) {
    const GLANCE: std::time::Duration = std::time::Duration::from_millis(500);
    let fleet = context.shared::<Fleet>();
    let mut glance = tokio::time::interval(GLANCE);
    loop {
        tokio::select! {
            () = context.stopping.cancelled() => return,
            _ = glance.tick() => {}
        }
        // Asked before the database is: what is taken meanwhile is not in the older picture.
        let carried = fleet.carrying();
        if carried.is_empty() {
            continue;
        }
        let live = async {
            let mut tx = context.store.read().await?;
            runs::carried_by(&mut tx, &fleet.worker).await
        };
        match live.await {
            Ok(live) => fleet.stop(carried.into_iter().filter(|run| !live.contains(run))),
            Err(error) => tracing::warn!(%error, "cannot see whether runs were ended elsewhere"),
        }
    }
}
