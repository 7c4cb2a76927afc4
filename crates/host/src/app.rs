//! What an application is: one value that says everything the host has to know of it.

use std::{path::Path, sync::Arc};

use db::{backup::Files, events::Event, settings::Setting};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::Value as Json;
use terminal::{Command, Deployment, Exit, Finding};
use utoipa_axum::router::OpenApiRouter;
use web::{Bundle, Lang};

use crate::{
    Actor, Context, Driver, Home, Lexicon, Options, Vault,
    search::{Search, Shortcut},
};

/// What plugs into the host. Everything an application is, in one value.
pub struct App {
    pub name: &'static str,
    /// For the rail, in Spanish and English.
    pub title: (&'static str, &'static str),
    /// A symbol of `icons.svg`.
    pub icon: &'static str,
    /// Its part of the home page.
    pub home: Option<Home>,
    pub migrations: db::Line,
    pub settings: &'static [Setting],
    /// How its page of settings is divided, in the order in which somebody sets it up.
    pub sections: &'static [Section],
    /// Environment variables by which operators of an original system already know a setting.
    pub aliases: &'static [(&'static str, &'static str)],
    /// Variables of an original system that mean nothing here, and what to do instead: whoever sets one
    /// is told, not ignored.
    pub retired: &'static [(&'static str, &'static str)],
    /// Settings that are addresses, each with the secrets that are sent there: pointed elsewhere,
    /// these have to be entered again.
    pub destinations: &'static [(&'static str, &'static [&'static str])],
    pub roles: &'static [Role],
    /// Whether a role may change this application's settings.
    pub may_configure: fn(role: &str) -> bool,
    pub nav: &'static [Nav],
    /// What people call what it records.
    pub lexicon: Lexicon,
    /// What Ctrl K finds in it, for whom, and what it offers to do.
    pub search: Search,
    pub shortcuts: &'static [Shortcut],
    pub routes: Routes,
    /// What the API's document says of its operations, in Spanish: a line as the document has it, and
    /// under it the line in Spanish.
    pub spanish: &'static str,
    /// Paths that answer without signing in. They must not show anything personal.
    pub public: &'static [&'static str],
    /// Paths that prove who calls in a way of their own: the door looks at no credential there.
    pub own_proof: &'static [&'static str],
    /// Routes that take as long as they take: a large body over a slow line, work that is waited
    /// for. The house's limit of time does not apply; the handler bounds what it does.
    pub unhurried: &'static [&'static str],
    /// How a body with a number out of its bounds is answered.
    pub out_of_range: web::bounds::Answer,
    pub assets: Vec<Bundle>,
    pub ticks: Vec<Tick>,
    /// Run from start to shutdown.
    pub tasks: Vec<AppTask>,
    pub drivers: Vec<Driver>,
    /// What of an event this actor may see.
    pub redact: fn(&Actor, name: &str, data: Json) -> Option<Json>,
    /// Roles that see what is their own and nothing of others: `owns` says of which events that
    /// is true, and alerts and ticks are not theirs.
    pub own_only: &'static [&'static str],
    pub owns: Owns,
    /// Why a value of the right kind still means nothing (an address that is none, a broken
    /// pattern), in Spanish and English.
    pub senseless: fn(&Options, key: &str, value: &Json) -> Option<(String, String)>,
    /// Why settings that are good one by one do not go together, in Spanish and English. Asked before a
    /// change is committed.
    pub contradiction: fn(&db::settings::Values) -> Option<(String, String)>,
    /// Reacts to a changed setting in the transaction that changes it.
    pub on_settings: OnSettings,
    /// Builds what it keeps in this process, before anything of it runs.
    pub prepare: Prepare,
    /// Ports of its own that its customers know, beside the main one.
    pub ports: &'static [Port],
    /// Plays its people and its outside under `--demo`, in the past and for whoever watches.
    pub demo: Option<Tick>,
    /// `turno <name> …`, and whatever else its operators look for by another name.
    pub commands: Vec<Command>,
    /// `turno sim …`: traffic for it, or a system for it to talk to.
    pub simulator: Option<Command>,
    /// Seals anew what it keeps sealed, for `turno secrets rotate`; the vault opens what was sealed
    /// with the key before. How many there were.
    pub reseal: Reseal,
    /// What `turno doctor` asks of it where it runs.
    pub doctor: fn(&Deployment) -> Vec<Finding>,
    /// The files its rows speak of, which a backup has to hold too; told the house's data directory.
    pub files: fn(&Path) -> FilesOf,
}

/// An application with nothing in it, to be filled.
impl Default for App {
    fn default() -> Self {
        Self {
            name: "",
            title: ("", ""),
            icon: "board",
            home: None,
            migrations: db::Line { name: "", steps: &[] },
            settings: &[],
            sections: &[],
            aliases: &[],
            retired: &[],
            destinations: &[],
            roles: &[],
            may_configure: |role| role == "ADMIN",
            nav: &[],
            lexicon: Lexicon::default(),
            search: |_, _, _| Box::pin(std::future::ready(Ok(Vec::new()))),
            shortcuts: &[],
            routes: Box::new(|_| OpenApiRouter::new()),
            spanish: "",
            public: &[],
            own_proof: &[],
            unhurried: &[],
            out_of_range: crate::check::OUT_OF_RANGE,
            assets: Vec::new(),
            ticks: Vec::new(),
            tasks: Vec::new(),
            drivers: Vec::new(),
            redact: |_, _, data| Some(data),
            contradiction: |_| None,
            own_only: &[],
            owns: |_, _, _| Box::pin(std::future::ready(Ok(false))),
            senseless: |_, _, _| None,
            on_settings: Box::new(|_, _| Box::pin(std::future::ready(Ok(())))),
            prepare: Box::new(|_| Box::pin(std::future::ready(Ok(())))),
            ports: &[],
            demo: None,
            commands: Vec::new(),
            simulator: None,
            reseal: |_, _| Box::pin(std::future::ready(Ok(0))),
            doctor: |_| Vec::new(),
            files: |_| Ok(None),
        }
    }
}

/// Settings about one subject.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    pub title: (&'static str, &'static str),
    /// How their keys begin. The first section that fits counts.
    pub begins: &'static [&'static str],
}

impl Section {
    pub const fn new(title: (&'static str, &'static str), begins: &'static [&'static str]) -> Self {
        Self { title, begins }
    }

    pub fn holds(&self, key: &str) -> bool {
        self.begins.iter().any(|begin| key.starts_with(begin))
    }
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

/// A port that an application's customers know.
#[derive(Clone, Copy, Debug)]
pub struct Port {
    /// Names another port, or `off`.
    pub variable: &'static str,
    pub number: u16,
    /// What its root shows.
    pub front: &'static str,
}

pub type Prepare = Box<dyn Fn(Context) -> BoxFuture<'static, Result<(), Exit>> + Send + Sync>;
pub type Routes = Box<dyn Fn(&Context) -> OpenApiRouter<Context> + Send + Sync>;
pub type AppTask = Box<dyn Fn(Context) -> BoxFuture<'static, ()> + Send + Sync>;
pub type OnSettings = Box<
    dyn for<'a> Fn(&'a Context, &'a mut db::Decision) -> BoxFuture<'a, Result<(), db::Error>>
        + Send
        + Sync,
>;
pub type Reseal = for<'a> fn(&'a mut db::Tx, &'a Vault) -> BoxFuture<'a, Result<usize, db::Error>>;
/// Whether an event is about something of this actor's own.
pub type Owns =
    for<'a> fn(&'a Context, &'a Actor, &'a Event) -> BoxFuture<'a, Result<bool, db::Error>>;
/// Where an application keeps files, if it does.
pub type FilesOf = Result<Option<Arc<dyn Files>>, Exit>;
type TickRun = dyn Fn(Context, Timestamp) -> BoxFuture<'static, Next> + Send + Sync;

/// When a tick has to run again: at that instant, or not before somebody wakes it.
pub type Next = Result<Option<Timestamp>, db::Error>;

/// Work that falls due by time.
#[derive(Clone)]
pub struct Tick {
    pub name: &'static str,
    pub(crate) run: Arc<TickRun>,
    /// Whether it also runs now and then without being due or woken.
    pub(crate) net: bool,
}

impl Tick {
    /// `run` does what is due and says when something falls due next. It also runs when it is woken,
    /// and by the real clock now and then as a safety net.
    pub fn new<F>(
        name: &'static str,
        run: impl Fn(Context, Timestamp) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Next> + Send + 'static,
    {
        Self { name, run: Arc::new(move |context, now| Box::pin(run(context, now))), net: true }
    }

    /// Runs only when it is due or woken: for what asks somebody outside, who must not be asked more
    /// often than was agreed.
    #[must_use]
    pub fn without_net(mut self) -> Self {
        self.net = false;
        self
    }
}

impl App {
    /// Whether this actor works for the application as a whole, and not only for itself.
    pub(crate) fn shows_all_to(&self, actor: &Actor) -> bool {
        actor.role_in(self.name).is_some_and(|role| !self.own_only.contains(&role))
    }

    pub(crate) fn label(&self, lang: Lang) -> &'static str {
        lang.t(self.title.0, self.title.1)
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("name", &self.name).finish_non_exhaustive()
    }
}
