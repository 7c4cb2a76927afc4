//! The Control Room is tried again at once: by hand, after a sync that went well, with new credentials.

use db::{Decision, Error};
use engine::Word as _;

use super::launch;
use crate::{
    Desk,
    rules::deploy::{Cause, relent},
    store::{self, circuit, suspensions},
};

/// What is told of everybody when it is the connection's fault.
pub const OF_THE_CONNECTION: [Cause; 2] = [Cause::Forbidden, Cause::NotFound];

/// Lets one run try the Control Room now; whether it was being left alone.
pub async fn try_again(decision: &mut Decision, insists: bool) -> Result<bool, Error> {
    let (breaker, _) = circuit::load(&mut decision.tx, true).await?;
    let Some(tried) = relent(&breaker, insists, decision.now) else { return Ok(false) };
    circuit::save(&mut decision.tx, &tried).await?;
    decision.wake(launch::TICK);
    Ok(true)
}

/// Settings changed, perhaps those of the connection.
pub async fn mended(decision: &mut Decision) -> Result<(), Error> {
    if try_again(decision, false).await? {
        lift(decision).await?;
    }
    Ok(())
}

async fn lift(decision: &mut Decision) -> Result<u64, Error> {
    let mut lifted = 0;
    for cause in OF_THE_CONNECTION {
        lifted += suspensions::lift_all(&mut decision.tx, cause.word()).await?;
    }
    Ok(lifted)
}

/// A person insists; whether there was anything to try again.
pub async fn insist(desk: &Desk) -> Result<bool, Error> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let open = try_again(&mut decision, true).await?;
    if lift(&mut decision).await? == 0 && !open {
        return Ok(false);
    }
    decision.audit(desk.by().did("a360.probar", "a360"));
    decision.wake(launch::TICK);
    decision.commit().await?;
    Ok(true)
}
