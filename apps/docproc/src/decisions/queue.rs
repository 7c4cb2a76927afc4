//! What falls due in the queue by time alone, and what is left behind by a process that is gone.

use std::collections::BTreeMap;

use db::{Decision, Error};
use host::Next;
use jiff::{SignedDuration, Timestamp};

use super::course;
use crate::{
    Context,
    drivers::reading,
    rules::sweep,
    store::{
        messages,
        outbox::{self, Foreign, Unheard},
        outside, policy, progress, queue_scope, scope,
        sweep::{InHands, Waiting},
    },
};

/// The tick of the queue.
pub const TICK: &str = "docproc.cola";
/// A request of which nothing is queued for so long stands still.
const STANDS_STILL: SignedDuration = SignedDuration::from_secs(5);

/// There may be messages to take, once this is committed. A manual clock stops for them.
pub fn wake(context: &Context, decision: &mut Decision) {
    decision.wake(reading::WORK);
    decision.wake(messages::OUTSIDE);
    if context.clock.is_manual() {
        decision.wake(TICK);
    }
}

/// Frees what gone processes held, gives up what waited too long, and settles requests that stand
/// still although they could go on.
pub async fn tick(context: Context, now: Timestamp) -> Next {
    free_lost(&context, now).await?;
    let expires = expire(&context, now).await?;
    let before = now - STANDS_STILL;
    let stuck = progress::standing_still(&mut context.store.read().await?, before).await?;
    for id in stuck {
        let mut decision = context.store.decide(&scope(&id), now).await?;
        course::settle(&context, &mut decision, &id, None).await?;
        decision.commit().await?;
    }
    let lease = outside::next_expiry(&mut context.store.read().await?).await?;
    let expires = [expires, lease].into_iter().flatten().min();
    if !context.clock.is_manual() {
        return Ok(expires);
    }
    // By the real clock the dispatcher waits for tries that are due later; a manual one stops here.
    reading::idle(&context).await?;
    let due = messages::next_due(&mut context.store.read().await?, &[]).await?;
    Ok([due, expires].into_iter().flatten().min())
}

/// Which messages the broker is told of again, given how many letters it has of each component.
pub async fn unheard(
    context: &Context,
    letters: &BTreeMap<String, u32>,
    grace: SignedDuration,
) -> Result<Vec<sweep::Lost>, Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&queue_scope(), now).await?;
    let slice = Unheard { before: now - grace, workflows: &context.runtime.workflows };
    let wait = outbox::GRACE;
    let plan = decision.plan(&slice, |all| sweep::unheard(all, letters, wait.min(grace), now));
    let plan = plan.await?.plan;
    decision.commit().await?;
    Ok(plan.changes)
}

/// Keeps a letter that is none of ours, for somebody to look at.
pub async fn keep_foreign(context: &Context, letter: &Foreign) -> Result<(), Error> {
    let mut decision = context.store.decide(&queue_scope(), context.clock.now()).await?;
    outbox::keep(&mut decision, letter).await?;
    decision.commit().await.map(drop)
}

/// Whoever has no row among the processes is gone, and what it held is free.
async fn free_lost(context: &Context, now: Timestamp) -> Result<(), Error> {
    if !messages::any_lost(&mut context.store.read().await?, now).await? {
        return Ok(());
    }
    let mut decision = context.store.decide(&queue_scope(), now).await?;
    let plan = decision.plan(&InHands, |(held, living)| sweep::left_behind(held, living, now));
    let plan = plan.await?.plan;
    wake(context, &mut decision);
    decision.commit().await?;
    let messages = plan.changes.len();
    tracing::warn!(messages, "messages of workers that are gone are free again");
    Ok(())
}

/// Gives up messages that waited longer than the house allows (§5.3): dead letters, to be
/// replayed when the cause is mended. Answers when the next one is.
async fn expire(context: &Context, now: Timestamp) -> Next {
    // With a broker letters expire there, and what only expired is sent again.
    if context.runtime.outbox.is_some() {
        return Ok(None);
    }
    let mut tx = context.store.read().await?;
    let Some(ttl) = policy::load(&context.settings, &mut tx).await?.message_ttl else {
        return Ok(None);
    };
    let before = now.checked_sub(ttl).unwrap_or(Timestamp::MIN);
    let requests = messages::outdated(&mut tx, before).await?;
    drop(tx);
    let lasts = SignedDuration::try_from(ttl).unwrap_or(SignedDuration::MAX);
    let error = format!("nobody took it within {ttl:?}");
    for request in requests {
        let mut decision = context.store.decide(&scope(&request), now).await?;
        decision.hold(&queue_scope()).await?;
        let waiting = Waiting { request: &request, error: &error };
        let plan = decision.plan(&waiting, |all| sweep::expired(all, lasts, now)).await?.plan;
        decision.commit().await?;
        if !plan.is_settled() {
            tracing::warn!(request_id = request, "a message expired");
        }
    }
    let mut tx = context.store.read().await?;
    let ours = messages::next_due(&mut tx, &[]).await?;
    let oldest = [ours, outside::oldest(&mut tx).await?].into_iter().flatten().min();
    Ok(oldest.and_then(|oldest| oldest.checked_add(ttl).ok()))
}
