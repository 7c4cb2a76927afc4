use db::settings::Setting;
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value as Json;
use utoipa_axum::router::OpenApiRouter;
use web::{Bundle, Lang};

use crate::{Actor, Context, Driver};

/// What plugs into the host. Everything an application is, in one value.
pub struct App {
    pub name: &'static str,
    /// For the rail, in Spanish and English.
    pub title: (&'static str, &'static str),
    pub migrations: db::Line,
    pub settings: &'static [Setting],
    pub roles: &'static [Role],
    /// Whether a role may change this application's settings.
    pub may_configure: fn(role: &str) -> bool,
    pub nav: &'static [Nav],
    pub routes: fn() -> OpenApiRouter<Context>,
    /// Paths that answer without signing in. They must not show anything personal.
    pub public: &'static [&'static str],
    /// Paths that prove who calls in a way of their own: the door looks at no credential there.
    pub own_proof: &'static [&'static str],
    /// Routes that take as long as they take: a large body over a slow line, work that is waited
    /// for. The house's limit of time does not apply; the handler bounds what it does.
    pub unhurried: &'static [&'static str],
    pub assets: Vec<Bundle>,
    pub ticks: Vec<Tick>,
    /// Run from start to shutdown.
    pub tasks: Vec<AppTask>,
    pub drivers: Vec<Driver>,
    /// What of an event this actor may see.
    pub redact: fn(&Actor, name: &str, data: Json) -> Option<Json>,
    /// Why a value of the right kind still means nothing (an address that is none, a broken
    /// pattern), in Spanish and English.
    pub senseless: fn(key: &str, value: &Json) -> Option<(String, String)>,
    /// Reacts to a changed setting in the transaction that changes it.
    pub on_settings: OnSettings,
    /// Seeds and moves demonstration data; runs under `--demo`.
    pub demo: Option<AppTask>,
}

#[derive(Clone, Copy, Debug)]
pub struct Role {
    pub word: &'static str,
    pub title: (&'static str, &'static str),
}

/// One entry of the rail.
#[derive(Clone, Copy, Debug)]
pub struct Nav {
    pub href: &'static str,
    pub title: (&'static str, &'static str),
    pub icon: &'static str,
    pub hotkey: Option<char>,
    pub draw: Draw,
}

impl Nav {
    pub const fn new(
        href: &'static str,
        title: (&'static str, &'static str),
        icon: &'static str,
        hotkey: char,
        draw: Draw,
    ) -> Self {
        Self { href, title, icon, hotkey: Some(hotkey), draw }
    }
}

/// Who sees an entry of the rail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    Everyone,
    Roles(&'static [&'static str]),
}

pub type AppTask = fn(Context) -> BoxFuture<'static, ()>;
pub type OnSettings =
    for<'a> fn(&'a Context, &'a mut db::Decision) -> BoxFuture<'a, Result<(), db::Error>>;
pub type TickRun = fn(Context, Timestamp) -> BoxFuture<'static, Result<(), db::Error>>;
pub type TickNext =
    fn(Context, Timestamp) -> BoxFuture<'static, Result<Option<Timestamp>, db::Error>>;
pub type TickPeriod = fn(Context) -> BoxFuture<'static, Result<SignedDuration, db::Error>>;

/// Work that falls due by time: at the instants it names, and periodically as a safety net.
#[derive(Clone, Copy)]
pub struct Tick {
    pub name: &'static str,
    /// The longest time between two runs.
    pub period: TickPeriod,
    /// The next instant at which something falls due, if any; must not change state.
    pub next: TickNext,
    pub run: TickRun,
}

impl App {
    pub(crate) fn label(&self, lang: Lang) -> &'static str {
        lang.t(self.title.0, self.title.1)
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("name", &self.name).finish_non_exhaustive()
    }
}
