//! Forgets what ended long ago.

use db::{Decision, Error, Slice, Tx};
use engine::Plan;
use host::Next;
use jiff::{SignedDuration, Timestamp};

use super::alarms;
use crate::{
    Context,
    policy::CallbackAuth,
    rules::sweep::{self, Forget},
    store::{self, moves, policy, robots, runs, slots},
};

pub const TICK: &str = "sam.limpieza";

const EVERY: SignedDuration = SignedDuration::from_hours(1);

/// How long history is kept, and the oldest that there is.
struct Sweeping<'a> {
    context: &'a Context,
}

impl Slice for Sweeping<'_> {
    type Snapshot = (SignedDuration, Option<Timestamp>);
    type Change = Forget;

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<Self::Snapshot, Error> {
        let policy = policy::load(&self.context.settings, &self.context.zone, tx).await?;
        let oldest = [runs::oldest(tx).await?, slots::oldest(tx).await?, moves::oldest(tx).await?];
        Ok((policy.history, oldest.into_iter().flatten().min()))
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        _: &Self::Snapshot,
        change: &Forget,
    ) -> Result<(), Error> {
        runs::prune(&mut decision.tx, change.before).await?;
        slots::prune(&mut decision.tx, change.before).await?;
        moves::prune(&mut decision.tx, change.before).await
    }
}

fn plan(
    (history, oldest): &(SignedDuration, Option<Timestamp>),
    now: Timestamp,
) -> Plan<Forget, ()> {
    sweep::plan(*history, *oldest, now)
}

pub async fn tick(context: Context, now: Timestamp) -> Next {
    let slice = Sweeping { context: &context };
    let door = policy::callback_door(&super::settings(&context).await?, &context.options.vault)?;
    alarms::callbacks(&context, door.mode == CallbackAuth::None).await?;
    let mut tx = context.store.read().await?;
    if robots::all(&mut tx).await?.is_empty() {
        return Ok(None);
    }
    let snapshot = slice.load(&mut tx, now).await?;
    drop(tx);
    if !plan(&snapshot, now).is_settled() {
        let mut decision = context.store.decide(&store::scope(), now).await?;
        decision.plan(&slice, |snapshot| plan(snapshot, now)).await?;
        decision.commit().await?;
    }
    Ok(Some(now + EVERY))
}
