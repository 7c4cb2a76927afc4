//! Finds messages of which the broker has no letter: a process ended before it handed them over, the
//! queue was emptied or deleted, the broker came back with a new disk.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use broker::Depth;
use jiff::SignedDuration;

use super::{Outbox, Post, depths, inbox};
use crate::{
    Context,
    decisions::{
        outside::{self, Returned, Unanswered},
        queue,
    },
    rules::{
        sweep::{Lost, counted},
        topology,
    },
    store::outbox,
};

const EVERY: Duration = Duration::from_secs(5);
/// While workers outside end with letters in hand: each one costs all that wait behind it.
const SOON: Duration = Duration::from_secs(1);
/// All processes come back to a broker at the same moment: what one of them has just sent again, the
/// others leave alone.
const AT_ONCE: SignedDuration = SignedDuration::from_secs(1);

/// How somebody outside is called who consumes from a queue and has not said anything yet.
const CONSUMER: &str = "amqp";

/// Letters of a component outside that are looked at in one sweep.
const RETURNED: usize = 64;
/// Missing letters that the log names.
const NAMED: usize = 10;
/// Workers that were there so lately are missed.
const MISSED: Duration = Duration::from_mins(1);

pub(super) async fn run(context: &Context, outbox: &Outbox) {
    let (mut seen, mut waits, mut crews) = (None, false, Crews::default());
    loop {
        let next = if std::mem::take(&mut crews.dying) { SOON } else { EVERY };
        let grace = tokio::select! {
            // A new connection may lead to an empty broker.
            () = outbox.broker.reconnected(&mut seen) => AT_ONCE,
            () = tokio::time::sleep(next) => outbox::GRACE,
        };
        if !outbox.broker.is_up() {
            continue;
        }
        match once(context, outbox, grace, &mut crews).await {
            Ok(()) => waits = false,
            // Once per outage.
            Err(_) if waits => {}
            Err(error) => {
                waits = true;
                tracing::warn!(%error, "lost letters are looked for later");
            }
        }
    }
}

async fn once(
    context: &Context,
    outbox: &Outbox,
    grace: SignedDuration,
    crews: &mut Crews,
) -> Result<(), db::Error> {
    let now = context.clock.now();
    let waiting = outbox::waiting(&mut context.store.read().await?, now - grace).await?;
    if waiting.is_empty() {
        return Ok(());
    }
    let mut depths = depths(&outbox.broker, waiting.keys()).await;
    restore(context, outbox, &mut depths).await;
    let mut consumed = BTreeSet::new();
    for (component, _) in waiting.iter().filter(|(_, outside)| **outside) {
        let Some(Some(depth)) = depths.get(component) else { continue };
        if depth.consumers > 0 {
            outside::seen(context, component, CONSUMER).await?;
            consumed.insert(component.clone());
        }
        if crews.is_suspect(component, *depth) && inbox::hears_results(context) {
            crews.dying |= look_over(context, outbox, component).await?;
        }
    }
    let ready = |(component, depth): (String, Option<Depth>)| (component, depth.map(|d| d.ready));
    let letters = counted(depths.into_iter().map(ready));
    let again = queue::unheard(context, &letters, grace).await?;
    if !again.is_empty() {
        let ids: Vec<i64> = again.iter().take(NAMED).map(|lost| lost.id).collect();
        let messages = again.len();
        tracing::warn!(messages, first = ?ids, "letters are missing; they are sent again");
    }
    for Lost { id, component } in again {
        // Where somebody consumes, a letter that is not in the queue is in their hands.
        let dead = consumed.contains(&component)
            && outside::unanswered(context, id, Unanswered::Silent).await? == Returned::Dead;
        if !dead {
            metrics::counter!("docproc_letters_again_total", "component" => component).increment(1);
            outbox.post(Post::Message(id));
        }
    }
    Ok(())
}

/// Declares queues again that somebody deleted. One that cannot be declared is left out like one that
/// could not be asked: its letters would have no way.
async fn restore(context: &Context, outbox: &Outbox, depths: &mut BTreeMap<String, Option<Depth>>) {
    let gone = depths.iter().filter(|(_, depth)| depth.is_none());
    let gone: Vec<String> = gone.map(|(component, _)| topology::queue_of(component)).collect();
    let wanted = outbox.topology();
    // Of a workflow that is no longer in force nobody declares the queue.
    let ours: Vec<&str> =
        gone.iter().map(String::as_str).filter(|name| wanted.queues.contains_key(*name)).collect();
    let there = !ours.is_empty()
        && outbox.mend(context, format!("there is no queue {}", ours.join(", "))).await;
    depths.retain(|component, depth| {
        depth.is_some() || there && wanted.queues.contains_key(&topology::queue_of(component))
    });
}

/// Letters that somebody outside had in hand and that are in the queue again. Each has cost a try
/// and goes to the end of its queue as a new letter, the last ones first: what came with a letter that
/// ends its readers is read before it, and others are not kept waiting. What its message no longer
/// waits for is taken away. Answers whether there were any.
async fn look_over(context: &Context, outbox: &Outbox, component: &str) -> Result<bool, db::Error> {
    let head = match outbox.broker.returned(&topology::queue_of(component), RETURNED).await {
        Ok(head) => head,
        Err(fault) => {
            tracing::warn!(component, %fault, "returned letters are looked for later");
            return Ok(false);
        }
    };
    let returned = head.letters.iter().any(|letter| letter.redelivered);
    for letter in head.letters.into_iter().rev() {
        let Some(id) = letter.message_id.as_deref().and_then(|id| id.parse::<i64>().ok()) else {
            // Somebody else's goes where it is kept and listed.
            letter.reject().await;
            continue;
        };
        let verdict = if letter.redelivered {
            outside::unanswered(context, id, Unanswered::GivenBack).await?
        } else {
            // Nobody had it; given back by us it would look as if.
            Returned::Again
        };
        match verdict {
            Returned::Again => {
                outbox.post(Post::Message(id));
                letter.ack().await;
            }
            Returned::Dead => letter.reject().await,
            Returned::Over => letter.ack().await,
        }
    }
    Ok(returned)
}

/// How many work for each component outside, as far as the broker knows.
#[derive(Debug, Default)]
struct Crews {
    /// The most of late, and when.
    most: BTreeMap<String, (u32, Instant)>,
    /// Letters came back from somebody in the last sweep.
    dying: bool,
}

impl Crews {
    /// Whether workers of a component may have ended with a letter in hand: fewer are there than
    /// before, or none.
    fn is_suspect(&mut self, component: &str, depth: Depth) -> bool {
        let now = Instant::now();
        let most = self.most.entry(component.to_owned()).or_insert((depth.consumers, now));
        if depth.consumers >= most.0 || now.duration_since(most.1) > MISSED {
            *most = (depth.consumers, now);
        }
        depth.ready > 0 && (depth.consumers == 0 || depth.consumers < most.0)
    }
}
