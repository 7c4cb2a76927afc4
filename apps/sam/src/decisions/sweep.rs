//! Forgets what ended long ago.

use db::Error;
use host::Context;
use jiff::Timestamp;

use crate::store::{self, moves, policy, runs, slots};

pub const TICK: &str = "sam.limpieza";

pub async fn tick(context: Context, now: Timestamp) -> Result<(), Error> {
    let mut tx = context.store.read().await?;
    let policy = policy::load(&context.settings, &context.zone, &mut tx).await?;
    drop(tx);
    let before = now - policy.history;
    let mut decision = context.store.decide(&store::scope(), now).await?;
    runs::prune(&mut decision.tx, before).await?;
    slots::prune(&mut decision.tx, before).await?;
    moves::prune(&mut decision.tx, before).await?;
    decision.commit().await.map(drop)
}
