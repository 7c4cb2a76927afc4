//! RabbitMQ carries the messages (§5): every message that waits in the table has a letter in the
//! queue of its component, and a delivery is a permit to take one. The table is the truth: a letter
//! that is lost, late or doubled costs time and nothing else.

mod inbox;
mod permits;
mod publisher;
mod sweep;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use broker::{Address, Broker, Depth, Exchange, Fault, Kind, Queue};
use db::Note;
pub(crate) use permits::Permits;
use tokio::sync::{
    mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    watch,
};

use crate::{
    Context,
    rules::topology::{self, Topology},
    store::{messages, reviews},
    wire::message::Sent,
};

/// How long a letter may wait unless `DOCPROC_MESSAGE_TTL_MS` says otherwise (§5.3).
pub const TTL: Duration = Duration::from_mins(5);
/// Who watches over the letters.
const LETTERS: &str = "letters";
/// How often somebody looks whether the workflows still need what is declared.
const LOOK: Duration = Duration::from_secs(5);

/// What goes to the broker, and how it is reached.
#[derive(Debug)]
pub struct Outbox {
    pub broker: Broker,
    ttl: Duration,
    topology: watch::Sender<Arc<Topology>>,
    posts: UnboundedSender<Post>,
    posted: Mutex<Option<UnboundedReceiver<Post>>>,
    /// One at a time declares again what somebody took away.
    mending: tokio::sync::Mutex<Mending>,
}

/// How the queues and bindings stand that were found missing.
#[derive(Debug, Default)]
struct Mending {
    /// When the last declaration began that succeeded.
    mended: Option<Instant>,
    /// What is still missing, and why it could not be declared.
    missing: Option<(String, Fault)>,
}

/// What has to be handed over.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Post {
    /// A message of this process's own commit, with all that its letter says.
    Sent(Box<Sent>),
    /// One that waits in the table.
    Message(i64),
    /// A question to people.
    Task(String),
}

impl Outbox {
    /// Begins to connect. `name` is how the broker's screens call this process.
    pub fn open(address: Address, name: &str, ttl: Duration) -> Self {
        let topology = topology::topology([]);
        let broker = Broker::open(address, name, declared(&topology, ttl));
        let (posts, posted) = unbounded_channel();
        let (topology, posted) = (watch::Sender::new(Arc::new(topology)), Mutex::new(Some(posted)));
        let mending = tokio::sync::Mutex::default();
        Self { broker, ttl, topology, posts, posted, mending }
    }

    pub(crate) fn topology(&self) -> Arc<Topology> {
        self.topology.borrow().clone()
    }

    pub(crate) fn post(&self, post: Post) {
        let _ = self.posts.send(post);
    }

    fn note(&self, note: &Note) {
        let post = match note.topic {
            messages::SENT => serde_json::from_str(&note.text).ok().map(Post::Sent),
            messages::WAITS => note.text.parse().ok().map(Post::Message),
            reviews::ASKED => Some(Post::Task(note.text.clone())),
            _ => None,
        };
        if let Some(post) = post {
            self.post(post);
        }
    }

    /// Declares what the workflows in force need, if that changed.
    async fn redeclare(&self, context: &Context) {
        let workflows = context.runtime.workflows.active();
        let wanted = topology::topology(workflows.values().map(AsRef::as_ref));
        if *self.topology() == wanted {
            return;
        }
        for dispute in &wanted.disputed {
            tracing::warn!(
                workflow = dispute.workflow,
                stage = dispute.stage,
                routing_key = dispute.key,
                leads_to = dispute.leads_to,
                "a routing key leads to another queue; the stage uses its component's own key"
            );
        }
        if let Err(fault) = self.broker.declare(declared(&wanted, self.ttl)).await {
            tracing::warn!(%fault, "queues are declared when the broker is there");
        }
        // Whoever hears of it consumes queues that are there.
        self.topology.send_replace(Arc::new(wanted));
    }

    /// Declares everything again although nothing new is wanted, for somebody has taken a queue or a
    /// binding away; the sentence names it. Answers whether all is there again.
    async fn mend(&self, context: &Context, missing: String) -> bool {
        let noticed = Instant::now();
        let mut mending = self.mending.lock().await;
        if mending.mended.is_some_and(|mended| mended > noticed) {
            // Whoever was before us began after we had noticed: ours is there too.
            return true;
        }
        self.redeclare(context).await;
        let began = Instant::now();
        let declared = self.broker.declare(declared(&self.topology(), self.ttl)).await;
        match declared {
            Ok(()) => {
                tracing::warn!(missing, "the broker missed something; it is declared again");
                *mending = Mending { mended: Some(began), missing: None };
                true
            }
            // The next connection declares everything.
            Err(fault) if fault.may_pass() => false,
            Err(fault) => {
                let now = Some((missing.clone(), fault.clone()));
                if mending.missing != now {
                    tracing::warn!(missing, %fault, "what the broker misses cannot be declared");
                }
                mending.missing = now;
                false
            }
        }
    }

    /// What could not be declared again, if it still cannot.
    async fn still_missing(&self, context: &Context) -> Option<String> {
        let (missing, _) = self.mending.lock().await.missing.clone()?;
        self.mend(context, missing).await;
        let mending = self.mending.lock().await;
        mending.missing.as_ref().map(|(missing, fault)| format!("{missing}: {fault}"))
    }
}

/// The same for the broker: its exchanges, and queues with what becomes of what is not taken.
pub fn declared(topology: &Topology, ttl: Duration) -> broker::Topology {
    let exchange = |(name, kind): (&str, Kind)| Exchange { name: name.to_owned(), kind };
    let ours = |queue: &topology::Queue| Queue {
        name: queue.name.clone(),
        dead_letters: Some(topology::DEAD.to_owned()),
        ttl: Some(ttl),
        bindings: queue.keys.iter().map(|key| (queue.exchange.to_owned(), key.clone())).collect(),
    };
    let dead = Queue {
        name: topology::DEAD_LETTERS.to_owned(),
        dead_letters: None,
        ttl: None,
        bindings: vec![(topology::DEAD.to_owned(), String::new())],
    };
    let exchanges = [
        (topology::DIRECT, Kind::Direct),
        (topology::BACKOFFICE, Kind::Direct),
        (topology::DEAD, Kind::Fanout),
    ];
    broker::Topology {
        exchanges: exchanges.map(exchange).into(),
        queues: topology.queues.values().map(ours).chain([dead]).collect(),
    }
}

/// Whether a broker can be used as it is.
pub async fn usable(address: &Address, ttl: Duration) -> Result<(), Fault> {
    broker::reach(address, "turno", &declared(&topology::topology([]), ttl)).await
}

/// Runs from start to shutdown, where there is a broker.
pub async fn run(context: Context) {
    let runtime = context.runtime.clone();
    let Some(outbox) = &runtime.outbox else { return };
    let taken = outbox.posted.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(posted) = taken else { return };
    let noted = context.clone();
    context.store.when_committed(move |committed| {
        if let Some(outbox) = &noted.runtime.outbox {
            committed.notes.iter().for_each(|note| outbox.note(note));
        }
    });
    // Letters wake whoever takes messages, each one process.
    context.keep_here(messages::WORK);
    outbox.redeclare(&context).await;
    let inbox = inbox::Inbox::open();
    let working = async {
        tokio::join!(
            publisher::run(&context, outbox, posted),
            sweep::run(&context, outbox),
            inbox.run(&context, outbox),
            watch(&context, outbox),
        )
    };
    tokio::select! {
        () = context.stopping.cancelled() => {}
        _ = working => {}
    }
}

/// Says when the broker cannot carry letters, and follows the workflows.
async fn watch(context: &Context, outbox: &Outbox) {
    let mut changes = outbox.broker.changes();
    loop {
        tokio::select! {
            () = changes.next() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
        outbox.redeclare(context).await;
        let missing = outbox.still_missing(context).await;
        let away = match outbox.broker.health() {
            broker::Health::Up => None,
            broker::Health::Down { fault, .. } => {
                Some(format!("{}: {fault}", outbox.broker.address()))
            }
        };
        context.shortages.set_by(host::BROKER, LETTERS, away.or(missing));
    }
}

/// How much waits in the queues of these components, `None` where a queue is not there; one that
/// could not be asked is left out.
async fn depths<'a>(
    broker: &Broker,
    components: impl Iterator<Item = &'a String>,
) -> BTreeMap<String, Option<Depth>> {
    let mut found = BTreeMap::new();
    for component in components {
        if let Ok(depth) = broker.depth(&topology::queue_of(component)).await {
            found.insert(component.clone(), depth);
        }
    }
    found
}
