//! Hints between the processes around one `RabbitMQ`: a fanout exchange, and a queue of its own for
//! each process that ends with its connection. Nothing is confirmed and nothing is kept.

use broker::{Address, Broker, Fault, Topology};
use tokio::{sync::mpsc, task::JoinHandle};

use crate::{RemoteBus, Transport, Wire};

pub const EXCHANGE: &str = "turno.hints";
/// Letters that may wait to be read. Whoever is further behind connects anew, which wakes everyone.
const WAITING: usize = 1_024;

/// The bus of processes that share a broker.
#[derive(Debug)]
pub struct AmqpBus;

impl AmqpBus {
    /// Begins to connect, and never gives up.
    pub fn open(address: Address) -> RemoteBus {
        let broker = Broker::open(address, "turno hints", Topology::default());
        RemoteBus::new(Amqp(broker.clone()), Some(broker))
    }
}

#[derive(Debug)]
struct Amqp(Broker);

#[derive(Debug)]
struct Ear {
    broker: Broker,
    letters: mpsc::Receiver<String>,
    listening: JoinHandle<Result<(), Fault>>,
}

impl Transport for Amqp {
    type Wire = Ear;

    async fn connect(&self) -> Result<Ear, String> {
        let (sender, letters) = mpsc::channel(WAITING);
        let broker = self.0.clone();
        let listening = tokio::spawn(async move {
            let mut sender = Some(sender);
            let heard = |bytes: &[u8]| {
                let letter = String::from_utf8_lossy(bytes).into_owned();
                if sender.as_ref().is_some_and(|sender| sender.try_send(letter).is_err()) {
                    sender = None;
                }
            };
            broker.hear(EXCHANGE, heard).await
        });
        let mut ear = Ear { broker: self.0.clone(), letters, listening };
        // The first one is empty and says that the queue is bound.
        ear.hear().await.map(|_| ear)
    }

    fn close(&self) {
        self.0.close();
    }
}

impl Wire for Ear {
    async fn tell(&mut self, letter: &str) -> Result<(), String> {
        self.broker.tell(EXCHANGE, letter.as_bytes()).await.map_err(|fault| fault.to_string())
    }

    async fn hear(&mut self) -> Result<String, String> {
        match self.letters.recv().await {
            Some(letter) => Ok(letter),
            None if self.listening.is_finished() => match (&mut self.listening).await {
                Ok(Err(fault)) => Err(fault.to_string()),
                _ => Err("the connection ended".to_owned()),
            },
            None => Err("hints came faster than they were read".to_owned()),
        }
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.listening.abort();
    }
}
