//! A shop in this process: the real host, a real database, a clock that stands still.

use std::{
    io::Read as _,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use db::{Store, settings::Settings};
use host::{Access, Actor, AlertChannels, Clock, Context, Grant, Options, Running, accounts};
use jiff::{Timestamp, tz::TimeZone};
use serde_json::{Value as Json, json};
use testkit::Client;
use tokio::net::TcpListener;

pub(crate) const BODY_BYTES: usize = 100_000;
const ZONE: &str = "America/Argentina/Buenos_Aires";

pub(crate) fn zone() -> TimeZone {
    TimeZone::get(ZONE).expect("zones come with the program")
}

/// A Friday evening, the moment at which most tests happen.
pub(crate) fn friday() -> Timestamp {
    "2026-06-19T20:00:00-03:00".parse().expect("a valid instant")
}

/// Where the database of one test lives.
pub(crate) struct Place {
    pub(crate) url: String,
    dir: PathBuf,
}

impl Place {
    pub(crate) fn sqlite() -> Self {
        let dir = directory();
        Self { url: format!("sqlite://{}", dir.join("turno.db").display()), dir }
    }

    /// `None` when there is no server to test with.
    pub(crate) async fn postgres() -> Option<Self> {
        Some(Self { url: testkit::fresh_database().await?, dir: directory() })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

fn directory() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("pedidos-{}-{count}", std::process::id());
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("the target directory is writable");
    dir
}

pub(crate) async fn on_sqlite(case: impl AsyncFnOnce(&Place)) {
    case(&Place::sqlite()).await;
}

pub(crate) async fn on_postgres(case: impl AsyncFnOnce(&Place)) {
    if let Some(place) = Place::postgres().await {
        case(&place).await;
    }
}

/// The people of the shop. Each acts with a token of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Admin,
    Manager,
    Cashier,
    Kitchen,
}

impl Who {
    pub(crate) const ALL: [Self; 4] = [Self::Admin, Self::Manager, Self::Cashier, Self::Kitchen];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Manager => "manager",
            Self::Cashier => "cashier",
            Self::Kitchen => "cook",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|who| who.name() == name)
    }

    fn role(self) -> &'static str {
        match self {
            Self::Admin => "ADMIN",
            Self::Manager => "GERENTE",
            Self::Cashier => "CAJERO",
            Self::Kitchen => "COCINA",
        }
    }
}

pub(crate) struct Shop {
    url: String,
    dir: PathBuf,
    access: Access,
    running: Option<Running>,
    nobody: Client,
    secrets: Vec<(Who, String)>,
}

impl Shop {
    /// Whoever presents no token acts as ADMIN; tokens give the other roles.
    pub(crate) async fn open(place: &Place, now: Timestamp) -> Self {
        Self::with(place, &place.url, now, Access::Open).await
    }

    /// Strangers are asked who they are.
    pub(crate) async fn guarded(place: &Place) -> Self {
        Self::with(place, &place.url, friday(), Access::SignedIn).await
    }

    pub(crate) async fn with(place: &Place, url: &str, now: Timestamp, access: Access) -> Self {
        let running = serve(url, now, access).await;
        let mut secrets = Vec::new();
        for who in Who::ALL {
            secrets.push((who, token(&running, who.name(), "pedidos", who.role()).await));
        }
        let (url, dir, nobody) = (url.to_owned(), place.dir.clone(), nobody(&running));
        Self { url, dir, access, running: Some(running), nobody, secrets }
    }

    fn running(&self) -> &Running {
        self.running.as_ref().expect("a shop runs until it is dropped")
    }

    pub(crate) fn context(&self) -> &Context {
        self.running().context()
    }

    pub(crate) fn store(&self) -> &Store {
        &self.context().store
    }

    pub(crate) fn nobody(&self) -> Client {
        self.nobody.clone()
    }

    pub(crate) fn client(&self, who: Who) -> Client {
        let secret = self.secrets.iter().find(|(known, _)| *known == who);
        self.nobody().with_token(&secret.expect("everyone has a token").1)
    }

    /// Someone with a role in another application only.
    pub(crate) async fn stranger(&self) -> Client {
        self.nobody().with_token(token(self.running(), "stranger", "sam", "ADMIN").await)
    }

    /// Stops the server and starts another on the same database at the same moment.
    pub(crate) async fn restart(&mut self) {
        let now = self.context().clock.now();
        if let Some(running) = self.running.take() {
            running.stop().await;
        }
        let running = serve(&self.url, now, self.access).await;
        self.nobody = nobody(&running);
        self.running = Some(running);
    }

    /// Every row of every table, one line each.
    pub(crate) async fn rows(&self) -> Vec<String> {
        let file = self.dir.join("rows");
        db::backup::write(self.store(), &file, friday()).await.unwrap();
        let mut text = String::new();
        let packed = std::fs::File::open(&file).unwrap();
        flate2::read::GzDecoder::new(packed).read_to_string(&mut text).unwrap();
        let lines: Vec<_> = text.lines().map(str::to_owned).collect();
        // The first line tells about the file and the last one closes it.
        lines[1..lines.len() - 1].to_vec()
    }

    /// Runs `asks` and insists that no row of any table is different afterwards.
    pub(crate) async fn unchanged(&self, asks: impl AsyncFnOnce(&Self)) {
        let before = self.rows().await;
        asks(self).await;
        let after = self.rows().await;
        let gone: Vec<_> = before.iter().filter(|row| !after.contains(row)).collect();
        let new: Vec<_> = after.iter().filter(|row| !before.contains(row)).collect();
        assert!(gone.is_empty() && new.is_empty(), "rows gone: {gone:#?}\nrows new: {new:#?}");
    }

    /// A plain order taken by the cashier: `minutes` to prepare, wanted now.
    pub(crate) async fn order(&self, minutes: i64) -> Json {
        self.client(Who::Cashier).post("/pedidos", plain(minutes)).await.expect(201)
    }

    /// One that nobody but a person starts.
    pub(crate) async fn held(&self) -> Json {
        let mut body = plain(10);
        body["transicion_automatica"] = json!(false);
        self.client(Who::Cashier).post("/pedidos", body).await.expect(201)
    }
}

/// The body of an order that takes `minutes`: five for every four points of effort.
pub(crate) fn plain(minutes: i64) -> Json {
    json!({ "modalidad": "RETIRO",
            "articulos": [{ "nombre": "plato", "peso": 1, "cantidad": minutes / 5 * 4,
                            "precio": 100 }] })
}

fn nobody(running: &Running) -> Client {
    Client::anonymous(format!("http://{}", running.address))
}

async fn token(running: &Running, name: &str, app: &str, role: &str) -> String {
    let context = running.context();
    let grants = [Grant { app: app.into(), role: role.into() }];
    let (by, now) = (Actor::system(), context.clock.now());
    accounts::create_token(&context.store, &by, name, &grants, None, now).await.unwrap()
}

async fn serve(url: &str, now: Timestamp, access: Access) -> Running {
    let store = Store::open(url).await.unwrap();
    let lines = [db::ENGINE, host::MIGRATIONS, pedidos::store::MIGRATIONS];
    store.migrate(&lines, now).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let options = Options {
        access,
        demo: false,
        version: "test",
        body_bytes: BODY_BYTES,
        vault: host::Vault::ephemeral(),
        sse_connections: 1_000,
        drain: Duration::from_secs(2),
        alerts: AlertChannels::default(),
        url: format!("http://{}", listener.local_addr().unwrap()),
    };
    let settings = Settings::new(pedidos::SETTINGS.to_vec(), Vec::new()).unwrap();
    let bus = Arc::new(bus::LocalBus::new());
    let (clock, apps) = (Clock::manual(now), vec![pedidos::app()]);
    let context = Context::new(store, settings, clock, zone(), apps, options, bus);
    host::start(context, listener).await.unwrap()
}
