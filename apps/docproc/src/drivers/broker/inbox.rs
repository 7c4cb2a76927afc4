//! What comes from the broker beside permits: dead letters, results of components outside, questions
//! to people, and whatever is none of ours.

use std::{collections::BTreeMap, time::Duration};

use broker::{Consuming, Delivery};
use engine::Word as _;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{Outbox, Post};
use crate::{
    Context, Part,
    decisions::{outside, queue},
    model::Component,
    rules::topology::{self, Topology},
    store::{outbox, outbox::Foreign, reviews},
};

/// Deliveries in hand per queue.
const PREFETCH: u16 = 16;
const EXPIRED: &str = "expired";
/// After a letter that could not be recorded.
const AGAIN: Duration = Duration::from_secs(1);

/// What this process's part is responsible for. Queues that a workflow adds are consumed as soon as
/// they are declared.
pub(super) struct Inbox {
    deliveries: UnboundedReceiver<Delivery>,
    sink: UnboundedSender<Delivery>,
    consuming: BTreeMap<String, Consuming>,
}

impl Inbox {
    pub(super) fn open() -> Self {
        let (sink, deliveries) = unbounded_channel();
        Self { deliveries, sink, consuming: BTreeMap::new() }
    }

    pub(super) async fn run(mut self, context: &Context, outbox: &Outbox) {
        let mut topology = outbox.topology.subscribe();
        topology.mark_changed();
        let mut waits = false;
        loop {
            tokio::select! {
                _ = topology.changed() => self.consume(context.runtime.config.part, outbox),
                Some(delivery) = self.deliveries.recv() => {
                    waits = read(context, outbox, delivery, waits).await;
                }
            }
        }
    }

    fn consume(&mut self, part: Part, outbox: &Outbox) {
        for queue in queues(part, &outbox.topology()) {
            self.consuming.entry(queue).or_insert_with_key(|queue| {
                outbox.broker.consume(queue, PREFETCH, self.sink.clone())
            });
        }
    }
}

/// Whether results of components outside are this process's to hear.
pub(super) fn hears_results(context: &Context) -> bool {
    matches!(context.runtime.config.part, Part::Everything | Part::Router)
}

fn queues(part: Part, topology: &Topology) -> Vec<String> {
    let joins = Component::ALL.iter().filter(|one| one.is_join() && part.hosts(**one));
    let mut queues: Vec<_> = joins.map(|one| topology::queue_of(one.word())).collect();
    let everything = part == Part::Everything;
    if everything || part == Part::Router {
        queues.extend([topology::DEAD_LETTERS, topology::STAGE_RESULTS].map(str::to_owned));
    }
    if everything || part == Part::Backoffice {
        let people = topology.queues.values().filter(|one| one.exchange == topology::BACKOFFICE);
        queues.extend(people.map(|queue| queue.name.clone()));
    }
    queues
}

/// Answers whether letters wait to be read again, which is said once.
async fn read(context: &Context, outbox: &Outbox, delivery: Delivery, waits: bool) -> bool {
    let heard = heard(context, outbox, &delivery).await;
    match &heard {
        Ok(()) => delivery.ack().await,
        Err(error) => {
            if !waits {
                tracing::warn!(queue = delivery.queue, %error, "letters are read again later");
            }
            delivery.give_back().await;
            tokio::time::sleep(AGAIN).await;
        }
    }
    heard.is_err()
}

async fn heard(context: &Context, outbox: &Outbox, delivery: &Delivery) -> Result<(), db::Error> {
    match delivery.queue.as_str() {
        topology::DEAD_LETTERS => dead(context, outbox, delivery).await,
        topology::STAGE_RESULTS => match outside::receive(context, &delivery.body).await? {
            outside::Receipt::Recorded | outside::Receipt::Stale => Ok(()),
            outside::Receipt::Foreign(reason) => keep(context, delivery, &reason).await,
        },
        queue if is_peoples(queue) => asked(context, delivery).await,
        // Joins happen in the commit of the last arrival: nobody has to be told.
        _ => keep(context, delivery, "a join takes no messages").await,
    }
}

fn is_peoples(queue: &str) -> bool {
    queue.starts_with("q.backoffice.")
}

/// A question to people is heard when its task is there.
async fn asked(context: &Context, delivery: &Delivery) -> Result<(), db::Error> {
    let id = delivery.message_id.as_deref().unwrap_or_default();
    let task = reviews::find(&mut context.store.read().await?, id).await?;
    match task {
        Some(_) => Ok(()),
        None => keep(context, delivery, "there is no such task").await,
    }
}

/// A letter that expired while its message still waits is sent again; one of a dead message has
/// its row; everything else is somebody else's.
async fn dead(context: &Context, outbox: &Outbox, delivery: &Delivery) -> Result<(), db::Error> {
    let reason = delivery.death.as_ref().map_or("unknown", |death| death.reason.as_str());
    let from = delivery.death.as_ref().map_or("", |death| death.queue.as_str());
    let id = delivery.message_id.as_deref().and_then(|id| id.parse::<i64>().ok());
    let ours = match id {
        Some(id) => {
            let state = outbox::state(&mut context.store.read().await?, id).await?;
            state.map(|state| (id, state))
        }
        None => None,
    };
    metrics::counter!("docproc_dead_letters_total", "reason" => reason.to_owned()).increment(1);
    match ours {
        Some((id, state)) if state == "READY" => {
            let expired = reason == EXPIRED;
            tracing::warn!(
                message_id = id,
                queue = from,
                reason,
                expired,
                "a letter died while \
                its message waits; it is sent again"
            );
            outbox.post(Post::Message(id));
            Ok(())
        }
        Some((id, state)) => {
            tracing::info!(message_id = id, queue = from, reason, state, "a dead letter");
            Ok(())
        }
        // Tasks never expire: the row is what people see.
        None if is_peoples(from) => asked(context, delivery).await,
        None => keep(context, delivery, &format!("dead in {from}: {reason}; not ours")).await,
    }
}

async fn keep(context: &Context, delivery: &Delivery, reason: &str) -> Result<(), db::Error> {
    tracing::warn!(queue = delivery.queue, key = delivery.key, reason, "a foreign letter is kept");
    let letter = Foreign {
        queue: delivery.queue.clone(),
        exchange: delivery.exchange.clone(),
        key: delivery.key.clone(),
        message_id: delivery.message_id.clone(),
        reason: reason.to_owned(),
        body: Foreign::beginning(&delivery.body),
        bytes: delivery.body.len() as i64,
        received_at: context.clock.now(),
    };
    queue::keep_foreign(context, &letter).await
}
