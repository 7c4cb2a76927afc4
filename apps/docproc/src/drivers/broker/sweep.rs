//! Finds messages of which the broker has no letter: a process ended before it handed them over, the
//! queue was emptied, the broker came back with a new disk.

use std::time::Duration;

use jiff::SignedDuration;

use super::{Outbox, Post, depths};
use crate::{
    Context,
    decisions::{outside, queue},
    store::outbox,
};

const EVERY: Duration = Duration::from_secs(5);
/// All processes come back to a broker at the same moment: what one of them has just sent again, the
/// others leave alone.
const AT_ONCE: SignedDuration = SignedDuration::from_secs(1);

/// How somebody outside is called who consumes from a queue and has not said anything yet.
const CONSUMER: &str = "amqp";

pub(super) async fn run(context: &Context, outbox: &Outbox) {
    let mut seen = None;
    loop {
        let grace = tokio::select! {
            // A new connection may lead to an empty broker.
            () = outbox.broker.reconnected(&mut seen) => AT_ONCE,
            () = tokio::time::sleep(EVERY) => outbox::GRACE,
        };
        if !outbox.broker.is_up() {
            continue;
        }
        if let Err(error) = once(context, outbox, grace).await {
            tracing::warn!(%error, "lost letters are looked for later");
        }
    }
}

async fn once(context: &Context, outbox: &Outbox, grace: SignedDuration) -> Result<(), db::Error> {
    let now = context.clock.now();
    let waiting = outbox::waiting(&mut context.store.read().await?, now - grace).await?;
    if waiting.is_empty() {
        return Ok(());
    }
    let depths = depths(&outbox.broker, waiting.keys()).await;
    for (component, _) in waiting.iter().filter(|(_, outside)| **outside) {
        if depths.get(component).is_some_and(|depth| depth.consumers > 0) {
            outside::seen(context, component, CONSUMER).await?;
        }
    }
    let letters = depths.into_iter().map(|(component, depth)| (component, depth.ready)).collect();
    let again = queue::unheard(context, &letters, grace).await?;
    if !again.is_empty() {
        tracing::warn!(messages = again.len(), "the broker had lost letters; they are sent again");
    }
    for id in again {
        outbox.post(Post::Message(id));
    }
    Ok(())
}
