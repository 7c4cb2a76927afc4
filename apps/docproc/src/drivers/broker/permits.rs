//! Deliveries as permits: each allows to take one message of its component, the most urgent one, and
//! is acknowledged when what came of that message is recorded.

use std::collections::{HashMap, VecDeque};

use broker::{Changes, Consuming, Delivery};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::{Context, rules::topology};

pub(crate) struct Permits {
    arriving: UnboundedReceiver<Delivery>,
    /// By component.
    free: HashMap<&'static str, VecDeque<Delivery>>,
    /// By the message that was taken with it.
    spent: HashMap<i64, Delivery>,
    queues: HashMap<String, &'static str>,
    changes: Changes,
    /// By component, with how many may be in hand.
    consuming: HashMap<&'static str, (Consuming, u16)>,
}

impl Permits {
    /// Consumes the queues of these components, each with as many deliveries in hand as are given.
    /// `None` where there is no broker.
    pub(crate) fn open(context: &Context, components: &[(&'static str, u16)]) -> Option<Self> {
        let outbox = context.runtime.outbox.as_ref()?;
        let (sink, arriving) = unbounded_channel();
        let consume = |(component, prefetch): &(&'static str, u16)| {
            let queue = topology::queue_of(component);
            (*component, (outbox.broker.consume(&queue, *prefetch, sink.clone()), *prefetch))
        };
        let consuming = components.iter().map(consume).collect();
        let queue =
            |(component, _): &(&'static str, u16)| (topology::queue_of(component), *component);
        Some(Self {
            arriving,
            free: HashMap::new(),
            spent: HashMap::new(),
            queues: components.iter().map(queue).collect(),
            changes: outbox.broker.changes(),
            consuming,
        })
    }

    /// Waits for the next delivery and takes what came with it, or until the broker comes or goes.
    pub(crate) async fn arrive(&mut self) {
        tokio::select! {
            delivery = self.arriving.recv() => match delivery {
                Some(delivery) => self.put(delivery),
                None => std::future::pending().await,
            },
            () = self.changes.next() => {}
        }
        self.collect();
    }

    /// Takes what has arrived.
    pub(crate) fn collect(&mut self) {
        while let Ok(delivery) = self.arriving.try_recv() {
            self.put(delivery);
        }
    }

    fn put(&mut self, delivery: Delivery) {
        let ours = delivery.message_id.as_deref().is_some_and(|id| id.parse::<i64>().is_ok());
        match self.queues.get(&delivery.queue) {
            Some(component) if ours => {
                self.free.entry(component).or_default().push_back(delivery);
            }
            // Somebody else's letter goes where it is kept and listed.
            _ => drop(tokio::spawn(delivery.reject())),
        }
    }

    /// Changes how many of a component may be in hand, if that is twice or half as many. What is
    /// too much goes back, for others to take.
    pub(crate) async fn resize(&mut self, component: &str, wanted: u16) {
        let Some((consuming, now)) = self.consuming.get_mut(component) else { return };
        if wanted < now.saturating_mul(2) && wanted > *now / 2 {
            return;
        }
        *now = wanted;
        consuming.prefetch(wanted);
        let Some(free) = self.free.get_mut(component) else { return };
        while free.len() > usize::from(wanted)
            && let Some(delivery) = free.pop_back()
        {
            delivery.give_back().await;
        }
    }

    /// How many messages of a component may be taken.
    pub(crate) fn free(&self, component: &str) -> usize {
        self.free.get(component).map_or(0, VecDeque::len)
    }

    pub(crate) fn any(&self) -> bool {
        self.free.values().any(|free| !free.is_empty())
    }

    /// Without a connection they mean nothing: the broker delivers again.
    pub(crate) fn forget(&mut self) {
        self.free.clear();
    }

    /// Spends one on each message that was taken. What was given away and taken again by the same
    /// process needs only one.
    pub(crate) async fn spend(&mut self, component: &str, messages: impl Iterator<Item = i64>) {
        let Some(free) = self.free.get_mut(component) else { return };
        for message in messages {
            let Some(delivery) = free.pop_front() else { return };
            if let Some(before) = self.spent.insert(message, delivery) {
                before.ack().await;
            }
        }
    }

    /// Acknowledges those that found nothing to take.
    pub(crate) async fn vain(&mut self, component: &str, count: usize) {
        let Some(free) = self.free.get_mut(component) else { return };
        for _ in 0..count {
            let Some(delivery) = free.pop_front() else { return };
            delivery.ack().await;
        }
    }

    /// What came of a message is recorded. One that is dead goes to the dead letters.
    pub(crate) async fn settle(&mut self, message: i64, dead: bool) {
        match self.spent.remove(&message) {
            Some(delivery) if dead => delivery.reject().await,
            Some(delivery) => delivery.ack().await,
            None => {}
        }
    }

    /// Gives everything back that was not settled.
    pub(crate) async fn give_back(mut self) {
        self.collect();
        let free = self.free.into_values().flatten();
        for delivery in free.chain(self.spent.into_values()) {
            delivery.give_back().await;
        }
    }
}
