//! The bus between processes: what all transports have in common.
//!
//! One task holds the connection. Hints that are announced while a letter is on its way go together
//! in the next one. What this process says comes back to it like to everyone: that is how the task
//! knows that the line works in both directions, and it is not heard a second time.

use std::{
    collections::BTreeSet,
    fmt::Debug,
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::Duration,
};

use broker::Broker;
use tokio::{
    sync::{Notify, watch},
    time::{Instant, sleep, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{
    Bus, Listener, LocalBus,
    letter::{self, Hints},
};

/// Whoever does not answer within this is away.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// What is told has to come back within this: a pool in between that does not pass `LISTEN` on, and
/// a network that swallows, look like an idle house otherwise.
const ECHO: Duration = Duration::from_secs(5);
/// An idle line is tried out this often.
const IDLE: Duration = Duration::from_secs(30);
/// Between two attempts to connect: from the first, doubled up to the last.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));
/// Commits that follow each other closely are told together.
const GAP: Duration = Duration::from_millis(3);

/// A way to the other processes.
pub trait Transport: Debug + Send + Sync + 'static {
    type Wire: Wire;

    /// A new connection. Once it is there, everything told by anyone is heard on it.
    fn connect(&self) -> impl Future<Output = Result<Self::Wire, String>> + Send;

    /// Lets go of what all connections share.
    fn close(&self);
}

/// A connection while it lasts. An error ends it.
pub trait Wire: Send {
    fn tell(&mut self, letter: &str) -> impl Future<Output = Result<(), String>> + Send;

    /// The next letter; its own ones come too. May be dropped while it waits and loses nothing.
    fn hear(&mut self) -> impl Future<Output = Result<String, String>> + Send;
}

/// The bus between processes.
#[derive(Debug)]
pub struct RemoteBus {
    hub: Arc<Hub>,
    broker: Option<Broker>,
}

#[derive(Debug)]
struct Hub {
    me: String,
    everyone: LocalBus,
    /// Hears only what this process announces.
    here: LocalBus,
    /// What the others were not told yet. Topics are few and named in code.
    pending: Mutex<Hints>,
    /// What the others are never told.
    kept: RwLock<BTreeSet<&'static str>>,
    more: Notify,
    connected: watch::Sender<bool>,
    closed: CancellationToken,
}

impl RemoteBus {
    /// Begins to connect, and never gives up.
    pub(crate) fn new(transport: impl Transport, broker: Option<Broker>) -> Self {
        let hub = Arc::new(Hub {
            me: format!("{:016x}", rand::random::<u64>()),
            everyone: LocalBus::new(),
            here: LocalBus::new(),
            pending: Mutex::default(),
            kept: RwLock::default(),
            more: Notify::new(),
            connected: watch::Sender::new(false),
            closed: CancellationToken::new(),
        });
        tokio::spawn(hub.clone().keep(transport));
        Self { hub, broker }
    }

    pub fn is_connected(&self) -> bool {
        *self.hub.connected.borrow()
    }

    /// Waits for the connection, at most so long, and says whether it is there.
    pub async fn connected(&self, within: Duration) -> bool {
        let mut connected = self.hub.connected.subscribe();
        matches!(timeout(within, connected.wait_for(|up| *up)).await, Ok(Ok(_)))
    }
}

impl Drop for RemoteBus {
    fn drop(&mut self) {
        self.hub.closed.cancel();
    }
}

impl Bus for RemoteBus {
    fn announce(&self, topic: &str, mark: i64) {
        let hub = &self.hub;
        hub.everyone.announce(topic, mark);
        hub.here.announce(topic, mark);
        if hub.kept.read().unwrap_or_else(PoisonError::into_inner).contains(topic) {
            return;
        }
        hub.with(|pending| put(pending, topic, mark));
        hub.more.notify_one();
    }

    fn keep_here(&self, topic: &'static str) {
        self.hub.kept.write().unwrap_or_else(PoisonError::into_inner).insert(topic);
    }

    fn listen(&self, topic: &str) -> Listener {
        self.hub.everyone.listen(topic)
    }

    fn listen_here(&self, topic: &str) -> Listener {
        self.hub.here.listen(topic)
    }

    fn wake_everyone(&self) {
        self.hub.everyone.wake_everyone();
        self.hub.here.wake_everyone();
    }

    fn broker(&self) -> Option<&Broker> {
        self.broker.as_ref()
    }

    fn close(&self) {
        self.hub.everyone.close();
        self.hub.here.close();
        self.hub.closed.cancel();
    }
}

fn put(hints: &mut Hints, topic: &str, mark: i64) {
    match hints.get_mut(topic) {
        Some(known) => *known = mark.max(*known),
        None => drop(hints.insert(topic.to_owned(), mark)),
    }
}

impl Hub {
    fn with<T>(&self, act: impl FnOnce(&mut Hints) -> T) -> T {
        act(&mut self.pending.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn keep(self: Arc<Self>, transport: impl Transport) {
        let (mut pause, mut quiet) = (PAUSES.0, false);
        let closed = self.closed.clone();
        loop {
            let ended = tokio::select! {
                () = closed.cancelled() => break,
                ended = self.once(&transport) => ended,
            };
            if self.connected.send_replace(false) {
                (pause, quiet) = (PAUSES.0, false);
            }
            // Once per outage: until it is over there is nothing new to say.
            if !std::mem::replace(&mut quiet, true) {
                let reason = ended.err().unwrap_or_default();
                tracing::warn!(reason, "other processes are not woken; they find work by polls");
            }
            tokio::select! {
                () = closed.cancelled() => break,
                () = sleep(pause) => {}
            }
            pause = (pause * 2).min(PAUSES.1);
        }
        transport.close();
    }

    /// One connection, from its beginning to its end.
    async fn once(&self, transport: &impl Transport) -> Result<(), String> {
        let slow = |_| "no answer".to_owned();
        let mut wire = timeout(ANSWER_TIMEOUT, transport.connect()).await.map_err(slow)??;
        self.prove(&mut wire).await?;
        // Whatever was said meanwhile is lost.
        self.everyone.wake_everyone();
        self.connected.send_replace(true);
        tracing::info!("other processes are woken");
        self.carry(wire).await
    }

    /// Hears itself, or the line is none.
    async fn prove(&self, wire: &mut impl Wire) -> Result<(), String> {
        tell(wire, &self.me).await?;
        let echo = async {
            while !self.take(&wire.hear().await?) {}
            Ok(())
        };
        timeout(ECHO, echo).await.unwrap_or_else(|_| {
            Err("what is told does not come back; is there a pool in between?".to_owned())
        })
    }

    async fn carry(&self, mut wire: impl Wire) -> Result<(), String> {
        let (mut told, mut unanswered) = (Instant::now(), None);
        loop {
            let look = unanswered.map_or(told + IDLE, |since: Instant| since + ECHO);
            tokio::select! {
                letter = wire.hear() => if self.take(&letter?) {
                    unanswered = None;
                },
                () = self.something_to_tell(told + GAP) => {
                    self.tell_others(&mut wire).await?;
                    told = Instant::now();
                    unanswered.get_or_insert(told);
                }
                () = sleep_until(look) => {
                    if unanswered.is_some() {
                        return Err("what is told does not come back".to_owned());
                    }
                    tell(&mut wire, &self.me).await?;
                    told = Instant::now();
                    unanswered = Some(told);
                }
            }
        }
    }

    /// Wakes whom a letter of another process names; answers whether it is our own.
    fn take(&self, letter: &str) -> bool {
        let (from, hints) = letter::read(letter);
        if from == self.me {
            return true;
        }
        for (topic, mark) in hints {
            self.everyone.announce(topic, mark);
        }
        false
    }

    async fn something_to_tell(&self, not_before: Instant) {
        loop {
            if !self.with(|pending| pending.is_empty()) {
                return sleep_until(not_before).await;
            }
            self.more.notified().await;
        }
    }

    /// Tells what is pending; what could not be told stays pending for the next connection.
    async fn tell_others(&self, wire: &mut impl Wire) -> Result<(), String> {
        let hints = self.with(std::mem::take);
        for letter in letter::write(&self.me, &hints) {
            if let Err(error) = tell(wire, &letter).await {
                self.with(|pending| {
                    for (topic, mark) in &hints {
                        put(pending, topic, *mark);
                    }
                });
                return Err(error);
            }
        }
        Ok(())
    }
}

async fn tell(wire: &mut impl Wire, letter: &str) -> Result<(), String> {
    timeout(ANSWER_TIMEOUT, wire.tell(letter)).await.unwrap_or_else(|_| Err("no answer".to_owned()))
}
