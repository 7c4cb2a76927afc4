//! Exchanges, queues and bindings: declared as often as one likes, refused where they differ.

use std::time::Duration;

use lapin::{
    Channel, ExchangeKind,
    options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions},
    types::{AMQPValue, FieldTable},
};

use crate::Fault;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Direct,
    Fanout,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    pub name: String,
    pub kind: Kind,
}

/// A durable queue. It has no argument but these two, so that queues which another system declared
/// so are the same queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    pub name: String,
    /// The exchange that gets what is refused or expires.
    pub dead_letters: Option<String>,
    /// How long a message may wait there.
    pub ttl: Option<Duration>,
    /// Exchange and routing key.
    pub bindings: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    pub exchanges: Vec<Exchange>,
    pub queues: Vec<Queue>,
}

/// How much waits in a queue, and for how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth {
    pub ready: u32,
    pub consumers: u32,
}

impl Topology {
    /// Declares everything that is not there yet.
    pub(crate) async fn declare(&self, channel: &Channel) -> Result<(), Fault> {
        for exchange in &self.exchanges {
            let kind = match exchange.kind {
                Kind::Direct => ExchangeKind::Direct,
                Kind::Fanout => ExchangeKind::Fanout,
            };
            let options = ExchangeDeclareOptions { durable: true, ..Default::default() };
            let name = exchange.name.as_str().into();
            channel.exchange_declare(name, kind, options, FieldTable::default()).await?;
        }
        for queue in &self.queues {
            let options = QueueDeclareOptions { durable: true, ..Default::default() };
            let name = queue.name.as_str();
            channel.queue_declare(name.into(), options, queue.arguments()).await?;
            for (exchange, key) in &queue.bindings {
                let (exchange, key) = (exchange.as_str().into(), key.as_str().into());
                let options = QueueBindOptions::default();
                let table = FieldTable::default();
                channel.queue_bind(name.into(), exchange, key, options, table).await?;
            }
        }
        Ok(())
    }
}

impl Queue {
    fn arguments(&self) -> FieldTable {
        let mut table = FieldTable::default();
        if let Some(exchange) = &self.dead_letters {
            let exchange = AMQPValue::LongString(exchange.as_str().into());
            table.insert("x-dead-letter-exchange".into(), exchange);
        }
        if let Some(ttl) = self.ttl {
            let ttl = i32::try_from(ttl.as_millis()).unwrap_or(i32::MAX);
            table.insert("x-message-ttl".into(), AMQPValue::LongInt(ttl));
        }
        table
    }
}
