//! An application served inside the test: the real host on a throw-away database.

use std::{fs, net::Ipv4Addr, path::PathBuf, time::Duration};

use db::{
    Store,
    settings::{Override, Settings},
};
use host::{
    Access, Actor, AlertChannels, App, Clock, Context, DiskLimits, Grant, Network, Options, Past,
    Running, Schedule, Vault, accounts,
};
use jiff::{Timestamp, tz::TimeZone};
use tokio::net::TcpListener;

use crate::{Client, fresh_database, scratch, unique};

/// Longer than what a test leaves open takes to end on a busy machine.
const DRAIN: Duration = Duration::from_secs(20);

/// The database of one test, with a directory for its files and the key that seals its secrets.
pub struct TestDb {
    pub url: String,
    pub dir: PathBuf,
    pub vault: Vault,
}

impl TestDb {
    pub fn sqlite() -> Self {
        let dir = directory();
        let url = format!("sqlite://{}", dir.join("turno.db").display());
        Self { url, dir, vault: Vault::ephemeral() }
    }

    /// `None` when there is no server to test with.
    pub async fn postgres() -> Option<Self> {
        let url = fresh_database().await?;
        Some(Self { url, dir: directory(), vault: Vault::ephemeral() })
    }
}

impl Drop for TestDb {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

fn directory() -> PathBuf {
    let dir = scratch().join(unique("local"));
    fs::create_dir_all(&dir).expect("the target directory is writable");
    dir
}

pub async fn on_sqlite(case: impl AsyncFnOnce(&TestDb)) {
    case(&TestDb::sqlite()).await;
}

pub async fn on_postgres(case: impl AsyncFnOnce(&TestDb)) {
    if let Some(database) = TestDb::postgres().await {
        case(&database).await;
    }
}

/// Runs a case on `SQLite` and then on `PostgreSQL`.
pub async fn on_both(case: impl AsyncFn(&TestDb)) {
    on_sqlite(&case).await;
    on_postgres(&case).await;
}

/// Runs a case for processes by the real clock on one `PostgreSQL`, which wake each other through it,
/// and then again with `RabbitMQ` in between. Each clone of the setup is a process.
pub async fn on_wires(case: impl AsyncFn(&Setup)) {
    on_postgres(async |db| {
        let setup = Setup { clock: Clock::Real, ..Setup::at(Timestamp::now(), db) };
        case(&setup).await;
    })
    .await;
    let Some(vhost) = crate::broker::vhost().await else { return };
    on_postgres(async |db| {
        let broker = Some(vhost.url.parse().expect("the node's own address"));
        let setup = Setup { clock: Clock::Real, broker, ..Setup::at(Timestamp::now(), db) };
        case(&setup).await;
    })
    .await;
}

/// How an application is served. Begin with [`Setup::at`] and change what the test is about; a clone
/// is another process on the same database and clock.
#[derive(Clone)]
pub struct Setup {
    pub url: String,
    pub vault: Vault,
    pub clock: Clock,
    pub zone: TimeZone,
    pub access: Access,
    pub body_bytes: usize,
    pub alerts: AlertChannels,
    /// Settings fixed by the environment or a file.
    pub overrides: Vec<Override>,
    pub data_dir: PathBuf,
    pub broker: Option<broker::Address>,
    pub network: Box<Network>,
    /// What is kept free on the disk.
    pub room: DiskLimits,
    /// Backups by the clock.
    pub backups: Option<Schedule>,
    /// With the demonstration, and its week before the clock.
    pub demo: bool,
}

impl Setup {
    /// A clock that stands still at `now`; whoever presents no token acts as ADMIN.
    pub fn at(now: Timestamp, database: &TestDb) -> Self {
        Self {
            url: database.url.clone(),
            vault: database.vault.clone(),
            clock: Clock::manual(now),
            zone: TimeZone::UTC,
            access: Access::Open,
            body_bytes: 1_000_000,
            alerts: AlertChannels::default(),
            overrides: Vec::new(),
            data_dir: database.dir.clone(),
            broker: None,
            network: Box::default(),
            room: DiskLimits::new(0, 0, database.dir.clone()),
            backups: None,
            demo: false,
        }
    }

    /// Migrates the database and builds the process's state. Nothing runs yet.
    pub async fn prepare(self, app: App) -> Prepared {
        self.prepare_all(vec![app]).await
    }

    /// The same with several applications in one process.
    pub async fn prepare_all(self, apps: Vec<App>) -> Prepared {
        let store = Store::open(&self.url).await.expect("the database opens");
        let own = apps.iter().map(|app| app.migrations);
        let lines: Vec<_> = [db::ENGINE, host::MIGRATIONS].into_iter().chain(own).collect();
        store.migrate(&lines, self.clock.now()).await.expect("the database is migrated");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let past = Past::of(&store, &self.clock).await.expect("the database answers");
        let past = past.filter(|_| self.demo);
        let clock = past.map_or_else(|| self.clock.clone(), |past| past.clock(&self.clock));
        let options = Options {
            access: self.access,
            demo: self.demo,
            past,
            version: "0.0.0-test",
            body_bytes: self.body_bytes,
            vault: self.vault,
            sse_connections: 1_000,
            drain: DRAIN,
            alerts: self.alerts,
            data_dir: self.data_dir,
            listen: Ipv4Addr::LOCALHOST.into(),
            url: format!("http://{}", listener.local_addr().expect("a bound port")),
            broker: self.broker,
            network: *self.network,
            room: self.room,
            backups: self.backups,
        };
        let specs = apps.iter().flat_map(|app| app.settings).copied().collect();
        let settings = Settings::new(specs, self.overrides);
        let settings = settings.expect("the overrides are valid");
        let bus = host::bus(&store, options.broker.as_ref()).await;
        let context = Context::new(store, settings, clock, self.zone, apps, options, bus);
        host::prepare(&context).await.expect("the application is prepared");
        Prepared { context, listener }
    }
}

/// A process that is ready to serve, for whoever has to look at its context first.
pub struct Prepared {
    pub context: Context,
    listener: TcpListener,
}

impl Prepared {
    pub async fn start(self) -> LocalServer {
        let running = host::start(self.context, self.listener).await.expect("the port is ours");
        let client = Client::anonymous(format!("http://{}", running.address));
        LocalServer { running, client }
    }
}

/// A server in this process.
pub struct LocalServer {
    running: Running,
    /// Nobody in particular.
    pub client: Client,
}

impl LocalServer {
    pub fn context(&self) -> &Context {
        self.running.context()
    }

    /// Someone with a role in an application.
    pub async fn persona(&self, name: &str, app: &str, role: &str) -> Client {
        let context = self.context();
        let grants = [Grant { app: app.into(), role: role.into() }];
        let (by, now) = (Actor::system(), context.clock.now());
        let secret = accounts::create_token(&context.store, &by, name, &grants, None, now).await;
        self.client.with_token(secret.expect("a token is given"))
    }

    /// Lets requests and tasks finish.
    pub async fn stop(self) {
        self.running.stop().await;
    }
}
