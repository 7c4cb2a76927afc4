//! Forgets what ended long ago.

use db::Error;
use host::Context;
use jiff::Timestamp;

use crate::store::{self, journal, policy, runs};

pub const TICK: &str = "coordinador.limpieza";

pub async fn tick(context: Context, now: Timestamp) -> Result<(), Error> {
    let mut tx = context.store.read().await?;
    let policy = policy::load(&context.settings, &context.zone, &mut tx).await?;
    drop(tx);
    let before = now - policy.history;
    let mut decision = context.store.decide(&store::scope(), now).await?;
    runs::forget(&mut decision.tx, before).await?;
    journal::forget(&mut decision.tx, before).await?;
    decision.commit().await.map(drop)
}
