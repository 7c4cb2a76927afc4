//! What the broker hands over, for as long as it is wanted and whatever the connection does.

use std::{collections::BTreeMap, time::Duration};

use futures::StreamExt as _;
use lapin::{
    Acker, Channel, Consumer,
    message::Delivery as Raw,
    options::{
        BasicAckOptions, BasicCancelOptions, BasicConsumeOptions, BasicGetOptions, BasicQosOptions,
        BasicRejectOptions,
    },
    types::{AMQPValue, FieldTable},
};
use tokio::{
    sync::{mpsc::UnboundedSender, watch},
    time::timeout,
};

use crate::{
    Broker, Fault,
    connection::{ANSWER, Session},
};

/// A queue that cannot be consumed is tried again this soon.
const AGAIN: Duration = Duration::from_secs(2);
/// One that was missing and is declared again, this soon.
const RESTORED: Duration = Duration::from_millis(100);

/// A message in our hands. Until it is acknowledged it is the broker's.
#[derive(Debug)]
pub struct Delivery {
    /// The queue it was consumed from.
    pub queue: String,
    pub exchange: String,
    pub key: String,
    pub message_id: Option<String>,
    pub headers: BTreeMap<String, String>,
    /// Why it was sent to the dead letters, if it was.
    pub death: Option<Death>,
    pub redelivered: bool,
    pub body: Vec<u8>,
    acker: Acker,
}

/// Where and why a message was given up: `expired`, `rejected`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    pub queue: String,
    pub reason: String,
}

impl Delivery {
    /// Says that it is done with. A connection that is gone meanwhile makes the broker deliver it
    /// again: nobody relies on having been heard.
    pub async fn ack(self) {
        let _ = self.acker.ack(BasicAckOptions::default()).await;
    }

    /// Gives it up: the broker puts it among the dead letters.
    pub async fn reject(self) {
        let _ = self.acker.reject(BasicRejectOptions { requeue: false }).await;
    }

    /// Gives it back unread.
    pub async fn give_back(self) {
        let _ = self.acker.reject(BasicRejectOptions { requeue: true }).await;
    }

    fn new(queue: &str, raw: Raw) -> Self {
        let headers = raw.properties.headers().as_ref();
        let texts = headers.into_iter().flat_map(FieldTable::inner).filter_map(|(name, value)| {
            let text = text(value)?;
            Some((name.to_string(), text))
        });
        Self {
            queue: queue.to_owned(),
            exchange: raw.exchange.to_string(),
            key: raw.routing_key.to_string(),
            message_id: raw.properties.message_id().as_ref().map(ToString::to_string),
            headers: texts.collect(),
            death: headers.and_then(death),
            redelivered: raw.redelivered,
            body: raw.data,
            acker: raw.acker,
        }
    }
}

fn text(value: &AMQPValue) -> Option<String> {
    match value {
        AMQPValue::LongString(text) => Some(String::from_utf8_lossy(text.as_bytes()).into_owned()),
        AMQPValue::ShortString(text) => Some(text.to_string()),
        AMQPValue::LongInt(number) => Some(number.to_string()),
        AMQPValue::LongLongInt(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The latest entry of `x-death`, which the broker keeps in front.
fn death(headers: &FieldTable) -> Option<Death> {
    let AMQPValue::FieldArray(deaths) = headers.inner().get("x-death")? else { return None };
    let AMQPValue::FieldTable(latest) = deaths.as_slice().first()? else { return None };
    let word = |name: &str| latest.inner().get(name).and_then(text);
    Some(Death { queue: word("queue")?, reason: word("reason")? })
}

/// A queue is consumed for as long as this lives. Then the channel is closed in order: whoever ended
/// in the middle of beginning would leave a consumer that nobody reads.
#[derive(Debug)]
pub struct Consuming {
    prefetch: watch::Sender<u16>,
}

impl Consuming {
    /// How many may be unacknowledged at once from now on.
    pub fn prefetch(&self, prefetch: u16) {
        self.prefetch.send_if_modified(|now| std::mem::replace(now, prefetch) != prefetch);
    }
}

impl Broker {
    /// Hands what arrives in a queue to `sink`, at most `prefetch` unacknowledged at once, through
    /// every reconnection. What was not acknowledged when a connection ended comes again. A queue of
    /// the declared topology that somebody deletes is declared again.
    pub fn consume(
        &self,
        queue: &str,
        prefetch: u16,
        sink: UnboundedSender<Delivery>,
    ) -> Consuming {
        let (broker, queue) = (self.clone(), queue.to_owned());
        let (prefetch, mut wanted) = watch::channel(prefetch);
        tokio::spawn(async move {
            let mut said = None;
            while !sink.is_closed() {
                let session = tokio::select! {
                    session = broker.session() => session,
                    () = unwanted(&mut wanted) => return,
                };
                let mut restores = false;
                match forward(&session, &queue, &mut wanted, &sink).await {
                    // It was consumed until now: what hinders the next time is news.
                    Ok(()) => said = None,
                    Err(fault) => {
                        if said.replace(fault.clone()).as_ref() != Some(&fault) {
                            tracing::warn!(queue, %fault, "a queue is not consumed");
                        }
                        restores = fault.is_missing() && restored(&broker, &queue).await;
                    }
                }
                let pause = if restores { RESTORED } else { AGAIN.min(broker.pause()) };
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = unwanted(&mut wanted) => return,
                }
            }
        });
        Consuming { prefetch }
    }
}

/// Declares a missing queue again. Whoever cannot tries again with the next attempt to consume.
async fn restored(broker: &Broker, queue: &str) -> bool {
    match broker.restore(queue).await {
        Ok(true) => {
            tracing::info!(queue, "a missing queue is declared again");
            true
        }
        Ok(false) => false,
        Err(fault) => {
            tracing::debug!(queue, %fault, "a missing queue cannot be declared");
            false
        }
    }
}

/// Waits until nobody wants the queue any more.
async fn unwanted(prefetch: &mut watch::Receiver<u16>) {
    while prefetch.changed().await.is_ok() {}
}

/// Letters at the head of a queue, in hand until each is acknowledged or given back. Dropped, they
/// are the broker's again.
#[derive(Debug)]
pub struct Head {
    pub letters: Vec<Delivery>,
    /// What was taken on it is given back when it ends.
    _channel: Channel,
}

impl Broker {
    /// Takes the letters at the head of a queue that somebody had in hand and did not acknowledge, at
    /// most so many, and the one behind them.
    pub async fn returned(&self, queue: &str, most: usize) -> Result<Head, Fault> {
        let channel = self.now()?.channel().await?;
        let mut letters = Vec::new();
        while letters.len() < most {
            let got = channel.basic_get(queue.into(), BasicGetOptions::default());
            let got =
                timeout(ANSWER, got).await.map_err(|_| Fault::slow("looking into a queue"))?;
            let Some(got) = got? else { break };
            let delivery = Delivery::new(queue, got.delivery);
            let returned = delivery.redelivered;
            letters.push(delivery);
            if !returned {
                break;
            }
        }
        Ok(Head { letters, _channel: channel })
    }
}

/// Consumes a queue on a channel that may have consumed it before, with another prefetch: it holds
/// for whoever begins after it.
async fn begin(
    channel: &Channel,
    queue: &str,
    prefetch: u16,
    before: Option<Consumer>,
    sink: &UnboundedSender<Delivery>,
) -> Result<Consumer, Fault> {
    channel.basic_qos(prefetch, BasicQosOptions::default()).await?;
    if let Some(mut before) = before {
        channel.basic_cancel(before.tag(), BasicCancelOptions::default()).await?;
        // What was on its way is ours.
        while let Some(raw) = before.next().await {
            let _ = sink.send(Delivery::new(queue, raw?));
        }
    }
    let (options, table) = (BasicConsumeOptions::default(), FieldTable::default());
    Ok(channel.basic_consume(queue.into(), "".into(), options, table).await?)
}

async fn forward(
    session: &Session,
    queue: &str,
    prefetch: &mut watch::Receiver<u16>,
    sink: &UnboundedSender<Delivery>,
) -> Result<(), Fault> {
    let channel = session.channel().await?;
    let mut before = None::<Consumer>;
    loop {
        let wanted = *prefetch.borrow_and_update();
        let begun = begin(&channel, queue, wanted, before.take(), sink);
        let mut consumer =
            timeout(ANSWER, begun).await.map_err(|_| Fault::slow("consuming a queue"))??;
        loop {
            tokio::select! {
                raw = consumer.next() => {
                    let Some(raw) = raw else { return Ok(()) };
                    if sink.send(Delivery::new(queue, raw?)).is_err() {
                        return Ok(());
                    }
                }
                changed = prefetch.changed() => match changed {
                    Ok(()) => break,
                    Err(_) => return Ok(()),
                },
            }
        }
        before = Some(consumer);
    }
}
