use std::{ops::Deref, sync::Arc};

use bus::Bus;
use jiff::tz::TimeZone;
use store::{Store, settings::Settings};
use tokio_util::sync::CancellationToken;

use crate::{
    AlertChannels, App, Clock, accounts::LoginGuard, metrics::Metrics, relay::Relay, tick::Ticks,
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
    pub(crate) bus: Arc<dyn Bus>,
    pub(crate) relay: Relay,
    pub(crate) ticks: Ticks,
    pub(crate) metrics: Metrics,
    pub(crate) logins: LoginGuard,
}

/// How this process was started.
#[derive(Clone, Debug)]
pub struct Options {
    pub access: Access,
    pub demo: bool,
    pub version: &'static str,
    pub body_bytes: usize,
    pub sse_connections: usize,
    pub drain: std::time::Duration,
    pub alerts: AlertChannels,
    /// Where clients of this process reach it, once known: `http://127.0.0.1:8000`.
    pub url: String,
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
        let ticks = Ticks::new(&apps);
        Self(Arc::new(Inner {
            store,
            settings,
            clock,
            zone,
            apps,
            options,
            stopping: CancellationToken::new(),
            bus,
            relay: Relay::new(),
            ticks,
            metrics: Metrics::new(),
            logins: LoginGuard::default(),
        }))
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
