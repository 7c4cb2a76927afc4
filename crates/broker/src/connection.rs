//! One connection that is kept: made again with patience when it breaks, with its topology declared
//! anew each time, for a broker may come back with an empty disk.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use futures::{StreamExt as _, future::join_all};
use lapin::{
    BasicProperties, Channel, Confirmation, Connection, ConnectionProperties, Event, ExchangeKind,
    options::{
        BasicConsumeOptions, BasicPublishOptions, ConfirmSelectOptions, ExchangeDeclareOptions,
        QueueBindOptions, QueueDeclareOptions,
    },
    types::FieldTable,
};
use tokio::{sync::watch, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{Address, Depth, Fault, Letter, Topology};

/// A broker that does not answer within this is away.
pub(crate) const ANSWER: Duration = Duration::from_secs(10);
/// Between two attempts to connect: from the first, doubled up to the last.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));
/// A broken connection that nobody told of is noticed by a look.
const LOOK: Duration = Duration::from_secs(5);

/// A broker, reached or not. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Broker(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    address: Address,
    name: String,
    topology: Mutex<Topology>,
    state: watch::Sender<State>,
    stopping: CancellationToken,
}

#[derive(Clone, Debug)]
enum State {
    Up(Arc<Session>),
    Down { fault: Fault, since: Instant },
}

/// How the connection is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    Up,
    Down { fault: Fault, lasts: Duration },
}

/// Hears of a broker's coming and going.
#[derive(Debug)]
pub struct Changes(watch::Receiver<State>);

impl Changes {
    pub async fn next(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// A connection while it lasts.
#[derive(Debug)]
pub(crate) struct Session {
    connection: Connection,
    /// Everything handed over here is confirmed.
    confirmed: Channel,
    /// What may get lost.
    careless: Channel,
    /// Tells one connection from the next.
    opened: Instant,
}

impl Session {
    async fn open(address: &Address, name: &str, topology: &Topology) -> Result<Self, Fault> {
        let properties = ConnectionProperties::default().with_connection_name(name.into());
        let runtime = lapin::runtime::default_runtime()?;
        let (uri, tls) = (address.uri(), address.tls());
        let connecting = Connection::connect_uri_with_config(uri, properties, tls, runtime);
        let connection =
            timeout(ANSWER, connecting).await.map_err(|_| Fault::slow("connecting"))??;
        let prepared = async {
            let confirmed = connection.create_channel().await?;
            confirmed.confirm_select(ConfirmSelectOptions::default()).await?;
            let careless = connection.create_channel().await?;
            let declaring = connection.create_channel().await?;
            topology.declare(&declaring).await?;
            declaring.close(200, "done".into()).await?;
            Ok::<_, Fault>((confirmed, careless))
        };
        let prepared = timeout(ANSWER, prepared).await.map_err(|_| Fault::slow("declaring"))?;
        let (confirmed, careless) = prepared?;
        Ok(Self { connection, confirmed, careless, opened: Instant::now() })
    }

    pub(crate) async fn channel(&self) -> Result<Channel, Fault> {
        let made = timeout(ANSWER, self.connection.create_channel()).await;
        Ok(made.map_err(|_| Fault::slow("opening a channel"))??)
    }

    /// Says goodbye in order, so that the broker's log has nothing to tell.
    async fn close(&self) {
        let farewell = async {
            let _ = self.confirmed.close(200, "done".into()).await;
            let _ = self.careless.close(200, "done".into()).await;
            let _ = self.connection.close(200, "done".into()).await;
        };
        let _ = timeout(ANSWER, farewell).await;
    }

    /// Waits until it is broken, and says why.
    async fn broken(&self) -> Fault {
        let mut events = Box::pin(self.connection.events_listener());
        loop {
            tokio::select! {
                event = events.next() => match event {
                    Some(Event::Error(error)) => return error.into(),
                    Some(_) => {}
                    None => return Fault::Away("the connection ended".into()),
                },
                () = tokio::time::sleep(LOOK) => {}
            }
            if !self.connection.status().connected() || !self.confirmed.status().connected() {
                return Fault::Away("the connection ended".into());
            }
        }
    }
}

/// Connects once and declares what is wanted: for a start that has to know, and for `doctor`.
pub async fn reach(address: &Address, name: &str, topology: &Topology) -> Result<(), Fault> {
    Session::open(address, name, topology).await?.close().await;
    Ok(())
}

impl Broker {
    /// Begins to connect, and never gives up. `name` is how the broker's screens call us.
    pub fn open(address: Address, name: &str, topology: Topology) -> Self {
        let fault = Fault::Away("not connected yet".into());
        let inner = Inner {
            address,
            name: name.to_owned(),
            topology: Mutex::new(topology),
            state: watch::Sender::new(State::Down { fault, since: Instant::now() }),
            stopping: CancellationToken::new(),
        };
        let broker = Self(Arc::new(inner));
        tokio::spawn(broker.clone().keep());
        broker
    }

    async fn keep(self) {
        let (mut pause, mut said) = (PAUSES.0, None);
        loop {
            let topology = self.topology();
            match Session::open(&self.0.address, &self.0.name, &topology).await {
                Ok(session) => {
                    (pause, said) = (PAUSES.0, None);
                    let session = Arc::new(session);
                    self.0.state.send_replace(State::Up(session.clone()));
                    tracing::info!(broker = %self.0.address, "connected to the broker");
                    let fault = tokio::select! {
                        fault = session.broken() => fault,
                        () = self.0.stopping.cancelled() => {
                            session.close().await;
                            self.down(Fault::Away("closed".into()));
                            return;
                        }
                    };
                    tracing::warn!(broker = %self.0.address, %fault, "the broker is gone");
                    self.down(fault);
                    // Where only a channel ended, whoever consumes through the rest has to begin anew.
                    tokio::spawn(async move { session.close().await });
                }
                Err(fault) => {
                    // Once per reason: the same one again is nothing new.
                    if said.replace(fault.clone()).as_ref() != Some(&fault) {
                        tracing::warn!(broker = %self.0.address, %fault, "no connection to the broker");
                    }
                    self.down(fault);
                }
            }
            tokio::select! {
                () = self.0.stopping.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    fn down(&self, fault: Fault) {
        self.0.state.send_modify(|state| {
            let since = match state {
                State::Up(_) => Instant::now(),
                State::Down { since, .. } => *since,
            };
            *state = State::Down { fault, since };
        });
    }

    fn topology(&self) -> Topology {
        self.0.topology.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn pause(&self) -> Duration {
        // While the connection is gone, `session` waits for the next one.
        if self.is_up() { PAUSES.1 } else { PAUSES.0 }
    }

    pub fn address(&self) -> &Address {
        &self.0.address
    }

    pub fn is_up(&self) -> bool {
        matches!(&*self.0.state.borrow(), State::Up(_))
    }

    pub fn health(&self) -> Health {
        match &*self.0.state.borrow() {
            State::Up(_) => Health::Up,
            State::Down { fault, since } => {
                Health::Down { fault: fault.clone(), lasts: since.elapsed() }
            }
        }
    }

    /// Tells when the broker comes or goes, from now on.
    pub fn changes(&self) -> Changes {
        let mut state = self.0.state.subscribe();
        state.mark_unchanged();
        Changes(state)
    }

    /// Waits for the next connection; for the first, if there was none yet.
    pub async fn reconnected(&self, seen: &mut Option<Instant>) {
        let mut state = self.0.state.subscribe();
        loop {
            let now = match &*state.borrow_and_update() {
                State::Up(session) => Some(session.opened),
                State::Down { .. } => None,
            };
            if now.is_some() && now != *seen {
                *seen = now;
                return;
            }
            if state.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// The connection, as soon as there is one.
    pub(crate) async fn session(&self) -> Arc<Session> {
        let mut state = self.0.state.subscribe();
        loop {
            if let State::Up(session) = &*state.borrow_and_update() {
                return session.clone();
            }
            if state.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    pub(crate) fn now(&self) -> Result<Arc<Session>, Fault> {
        match &*self.0.state.borrow() {
            State::Up(session) => Ok(session.clone()),
            State::Down { fault, .. } => Err(fault.clone()),
        }
    }

    /// Declares this, now if there is a connection and again with every new one.
    pub async fn declare(&self, topology: Topology) -> Result<(), Fault> {
        *self.0.topology.lock().unwrap_or_else(PoisonError::into_inner) = topology.clone();
        self.declare_now(&topology).await
    }

    /// Declares everything once more if this queue is part of it: somebody has taken it away.
    /// Answers whether it is.
    pub(crate) async fn restore(&self, queue: &str) -> Result<bool, Fault> {
        let topology = self.topology();
        if !topology.queues.iter().any(|one| one.name == queue) {
            return Ok(false);
        }
        self.declare_now(&topology).await.map(|()| true)
    }

    async fn declare_now(&self, topology: &Topology) -> Result<(), Fault> {
        let session = self.now()?;
        let declared = async { topology.declare(&session.channel().await?).await };
        timeout(ANSWER, declared).await.map_err(|_| Fault::slow("declaring"))?
    }

    /// Hands letters over. One that is `Ok` is on the broker's disk and in a queue.
    pub async fn publish(&self, letters: &[Letter]) -> Vec<Result<(), Fault>> {
        let session = match self.now() {
            Ok(session) => session,
            Err(fault) => return vec![Err(fault); letters.len()],
        };
        let all = async {
            let mut sent = Vec::with_capacity(letters.len());
            for letter in letters {
                let options = BasicPublishOptions { mandatory: true, ..Default::default() };
                let (exchange, key) = (letter.exchange.as_str().into(), letter.key.as_str().into());
                let (body, properties) = (&letter.body, letter.properties());
                let confirmed = &session.confirmed;
                sent.push(confirmed.basic_publish(exchange, key, options, body, properties).await);
            }
            let confirmed =
                letters.iter().zip(sent).map(async |(letter, sent)| match sent?.await? {
                    Confirmation::Ack(None) | Confirmation::NotRequested => Ok(()),
                    Confirmation::Ack(Some(_)) => Err(Fault::Unroutable {
                        exchange: letter.exchange.clone(),
                        key: letter.key.clone(),
                    }),
                    Confirmation::Nack(_) => Err(Fault::Away("it did not keep a message".into())),
                });
            join_all(confirmed).await
        };
        let late = || vec![Err(Fault::slow("confirming")); letters.len()];
        timeout(ANSWER, all).await.unwrap_or_else(|_| late())
    }

    /// How much waits in a queue; `None` where there is none of that name.
    pub async fn depth(&self, queue: &str) -> Result<Option<Depth>, Fault> {
        let session = self.now()?;
        let asked = async {
            let options = QueueDeclareOptions { passive: true, ..Default::default() };
            // What is not there closes the channel that asked.
            let channel = session.channel().await?;
            let found = channel.queue_declare(queue.into(), options, FieldTable::default()).await?;
            let (ready, consumers) = (found.message_count(), found.consumer_count());
            let _ = channel.close(200, "done".into()).await;
            Ok::<_, Fault>(Some(Depth { ready, consumers }))
        };
        match timeout(ANSWER, asked).await.map_err(|_| Fault::slow("asking for a queue"))? {
            Err(fault) if fault.is_missing() => Ok(None),
            answer => answer,
        }
    }

    /// Tells everyone who listens to a fanout exchange, if there is a connection: nothing is kept.
    pub async fn tell(&self, exchange: &str, body: &[u8]) -> Result<(), Fault> {
        let session = self.now()?;
        let (options, properties) = (BasicPublishOptions::default(), BasicProperties::default());
        let careless = &session.careless;
        careless.basic_publish(exchange.into(), "".into(), options, body, properties).await?;
        Ok(())
    }

    /// Hears what is told at a fanout exchange, until this connection ends.
    pub async fn hear(&self, exchange: &str, mut hear: impl FnMut(&[u8])) -> Result<(), Fault> {
        let session = self.session().await;
        let channel = session.channel().await?;
        let name = exchange.into();
        let kept = ExchangeDeclareOptions { durable: true, ..Default::default() };
        channel.exchange_declare(name, ExchangeKind::Fanout, kept, FieldTable::default()).await?;
        let own = QueueDeclareOptions { exclusive: true, auto_delete: true, ..Default::default() };
        let queue = channel.queue_declare("".into(), own, FieldTable::default()).await?;
        let (name, table) = (queue.name().clone(), FieldTable::default());
        let options = QueueBindOptions::default();
        channel.queue_bind(name.clone(), exchange.into(), "".into(), options, table).await?;
        let options = BasicConsumeOptions { no_ack: true, ..Default::default() };
        let table = FieldTable::default();
        let mut consumer = channel.basic_consume(name, "".into(), options, table).await?;
        // Whoever waits to be told knows from here on that it will be.
        hear(&[]);
        while let Some(delivery) = consumer.next().await {
            hear(&delivery?.data);
        }
        Ok(())
    }

    pub fn close(&self) {
        self.0.stopping.cancel();
    }
}
