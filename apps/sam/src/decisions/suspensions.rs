//! A person lifts what an error suspended.

use db::Error;

use super::launch;
use crate::{
    Desk,
    rules::world::Suspended,
    store::{self, suspensions},
    wire,
};

/// Whether there was one to lift.
pub async fn lift(desk: &Desk, what: Suspended) -> Result<bool, Error> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    if !suspensions::lift(&mut decision.tx, what).await? {
        return Ok(false);
    }
    decision.audit(desk.by().did("suspension.levantar", wire::suspended_word(what)));
    decision.wake(launch::TICK);
    decision.commit().await?;
    Ok(true)
}
