//! What everything in one process shares.

use std::{ops::Deref, sync::Arc, time::Instant};

use bus::Bus;
use db::{Store, settings::Settings};
use jiff::tz::TimeZone;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    AlertChannels, App, Clock, DiskLimits, Network, Past, Schedule, Shortages, Vault,
    accounts::LoginGuard, demo::Demonstration, door::Paces, effects, gate::Gate, live::Streams,
    metrics::Metrics, processes::Me, relay, relay::Relay, tick::Ticks,
};

/// What handlers, ticks and tasks share; cheap to clone.
#[derive(Clone, Debug)]
pub struct Context(Arc<Inner>);

#[derive(Debug)]
pub struct Inner {
    pub store: Store,
    pub settings: Settings,
    pub clock: Clock,
    pub zone: TimeZone,
    pub apps: Vec<App>,
    pub options: Options,
    /// Cancelled when the server begins to stop.
    pub stopping: CancellationToken,
    /// This process, as the others see it.
    pub process: Me,
    /// What it does without for now.
    pub shortages: Shortages,
    pub(crate) bus: Arc<dyn Bus>,
    pub(crate) relay: Relay,
    pub(crate) ticks: Ticks,
    pub(crate) metrics: Metrics,
    pub(crate) logins: LoginGuard,
    pub(crate) paces: Paces,
    pub(crate) streams: Streams,
    pub(crate) gate: Arc<Gate>,
    pub(crate) demonstration: Demonstration,
    /// What effects began and did not wait for.
    pub(crate) work: TaskTracker,
    /// When a write was last tried for `/ready`, with success.
    pub(crate) probed: tokio::sync::Mutex<Option<Instant>>,
}

/// How this process was started.
#[derive(Clone, Debug)]
pub struct Options {
    pub access: Access,
    pub demo: bool,
    /// What the demonstration has to live before anybody is let in.
    pub past: Option<Past>,
    pub version: &'static str,
    pub body_bytes: usize,
    pub sse_connections: usize,
    pub drain: std::time::Duration,
    pub alerts: AlertChannels,
    /// Where applications keep their files.
    pub data_dir: std::path::PathBuf,
    /// The address whose ports are opened: the applications' own ones too.
    pub listen: std::net::IpAddr,
    /// Where clients on this machine reach this process: `http://127.0.0.1:8000`.
    pub url: String,
    pub network: Network,
    /// Seals what is kept in the database and must not be read there.
    pub vault: Vault,
    /// The house's broker, if it has one.
    pub broker: Option<broker::Address>,
    /// What is kept free on its disks.
    pub room: DiskLimits,
    /// Backups it makes by itself.
    pub backups: Option<Schedule>,
}

impl Options {
    /// Where others reach this process, without a slash at its end.
    pub fn address(&self) -> &str {
        self.network.public_url.as_ref().unwrap_or(&self.url).trim_end_matches('/')
    }
}

/// Whether strangers are asked who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Loopback only: whoever reaches the port acts as ADMIN.
    Open,
    SignedIn,
}

impl Context {
    pub fn new(
        store: Store,
        settings: Settings,
        clock: Clock,
        zone: TimeZone,
        apps: Vec<App>,
        options: Options,
        bus: Arc<dyn Bus>,
    ) -> Self {
        let ticks = Ticks::new(&apps, options.demo, &*bus, clock.now());
        let demonstration = Demonstration::of(options.past);
        announce_commits(&store, bus.clone());
        let process = Me::new(clock.real());
        let settings = settings.sealed_by(Arc::new(options.vault.clone()));
        let Network { limits, certificates, .. } = &options.network;
        let gate = Gate::new(*limits, certificates.clone());
        Self(Arc::new(Inner {
            store,
            settings,
            clock,
            zone,
            apps,
            options,
            stopping: CancellationToken::new(),
            process,
            shortages: Shortages::default(),
            bus,
            relay: Relay::new(),
            ticks,
            metrics: Metrics::new(),
            logins: LoginGuard::default(),
            paces: Paces::default(),
            streams: Streams::default(),
            gate,
            demonstration,
            work: TaskTracker::new(),
            probed: tokio::sync::Mutex::default(),
        }))
    }

    /// Carries on with what takes longer than an effect may. A manual clock stands still until it is
    /// done; a server that stops waits for it as long as for its requests.
    pub fn carry_on(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.work.spawn(work);
    }

    /// Waits until nothing that was begun goes on.
    pub(crate) async fn work_done(&self) {
        self.work.close();
        self.work.wait().await;
        self.work.reopen();
    }

    pub fn app(&self, name: &str) -> Option<&App> {
        self.apps.iter().find(|app| app.name == name)
    }
}

impl Deref for Context {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

/// One way to wake: every commit says on the bus what it brought and who is to look.
fn announce_commits(store: &Store, bus: Arc<dyn Bus>) {
    store.when_committed(move |committed| {
        if let Some(last) = committed.events.last() {
            bus.announce(relay::TOPIC, *last);
        }
        if let Some(last) = committed.effects.last() {
            bus.announce(effects::TOPIC, *last);
        }
        for whom in &committed.wakes {
            bus.announce(whom, 0);
        }
    });
}
