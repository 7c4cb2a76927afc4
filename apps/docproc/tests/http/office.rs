//! An office in this process: the real host, a real database, files in a directory of its own.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use db::{Store, settings::Settings};
use docproc::{Config, Context, Part, Runtime};
use host::{Access, AlertChannels, Clock, Options, Running};
use jiff::{Timestamp, tz::TimeZone};
use reqwest::multipart::{Form, Part as FormPart};
use serde_json::Value as Json;
use testkit::Client;
use tokio::net::TcpListener;

use crate::outside::Outside;

/// Longer than anything here takes on a busy machine.
const TEST_TIMEOUT: Duration = Duration::from_mins(1);

pub(crate) fn noon() -> Timestamp {
    "2026-11-16T12:00:00Z".parse().unwrap()
}

/// Where one test keeps its database and files.
pub(crate) struct Desk {
    pub(crate) url: String,
    pub(crate) dir: PathBuf,
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

pub(crate) fn directory() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("docproc-{}-{count}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(dir.join("workflows")).unwrap();
    dir
}

/// Runs a case on `SQLite` and on `PostgreSQL`.
pub(crate) async fn on_both(case: impl AsyncFn(&Desk)) {
    let dir = directory();
    let url = format!("sqlite://{}", dir.join("turno.db").display());
    case(&Desk { url, dir }).await;
    if let Some(url) = testkit::fresh_database().await {
        case(&Desk { url, dir: directory() }).await;
    }
}

pub(crate) async fn on_sqlite(case: impl AsyncFn(&Desk)) {
    let dir = directory();
    let url = format!("sqlite://{}", dir.join("turno.db").display());
    case(&Desk { url, dir }).await;
}

pub(crate) struct Office {
    running: Option<Running>,
    context: Context,
    pub(crate) client: Client,
    pub(crate) outside: Outside,
}

/// How an office is set up.
pub(crate) struct Setup {
    pub(crate) clock: Clock,
    pub(crate) part: Part,
    pub(crate) threads: usize,
    pub(crate) access: Access,
}

impl Default for Setup {
    fn default() -> Self {
        Self { clock: Clock::Real, part: Part::Everything, threads: 2, access: Access::Open }
    }
}

impl Office {
    /// An office whose workflows are the shipped ones, and `exact`: the default flow with types and
    /// fields decided by the model outside.
    pub(crate) async fn open(desk: &Desk) -> Self {
        Self::with(desk, Setup::default()).await
    }

    pub(crate) async fn at_noon(desk: &Desk) -> Self {
        Self::with(desk, Setup { clock: Clock::manual(noon()), ..Setup::default() }).await
    }

    pub(crate) async fn with(desk: &Desk, setup: Setup) -> Self {
        let outside = Outside::start().await;
        let dir = desk.dir.join("workflows");
        std::fs::write(dir.join("default.yaml"), docproc::rules::workflow::DEFAULT).unwrap();
        std::fs::write(dir.join("facturas.yaml"), docproc::rules::workflow::INVOICES).unwrap();
        std::fs::write(dir.join("exact.yaml"), exact("exact", &outside.url)).unwrap();
        let context = context(desk, &setup).await;
        Self { outside, ..Self::start(context).await }
    }

    /// Opens what was set up.
    pub(crate) async fn start(context: Context) -> Self {
        let outside = Outside::start().await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let running = host::start((*context).clone(), listener).await.unwrap();
        let client = Client::anonymous(format!("http://{}", running.address));
        Self { running: Some(running), context, client, outside }
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) async fn close(mut self) {
        if let Some(running) = self.running.take() {
            running.stop().await;
        }
    }

    /// Sends files with fields; the answer as it comes.
    pub(crate) async fn send(
        &self,
        files: &[(&str, Vec<u8>)],
        fields: &[(&str, &str)],
    ) -> (u16, Json) {
        let mut form = Form::new();
        for (name, value) in fields {
            form = form.text((*name).to_owned(), (*value).to_owned());
        }
        for (name, bytes) in files {
            let part = FormPart::bytes(bytes.clone()).file_name((*name).to_owned());
            form = form.part("file", part);
        }
        let request = self.client.request(reqwest::Method::POST, "/process");
        let answer = request.multipart(form).send().await.unwrap();
        let status = answer.status().as_u16();
        (status, answer.json().await.unwrap())
    }

    /// Sends pages of text to a workflow; the request's id.
    pub(crate) async fn pages(&self, pages: &[&str], workflow: &str) -> String {
        let text = pages.join("\u{c}").into_bytes();
        let (status, body) = self.send(&[("pages.txt", text)], &[("workflow", workflow)]).await;
        assert_eq!((status, &body["status"]), (200, &"received".into()), "{body}");
        body["request_id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn status(&self, id: &str) -> Json {
        self.client.get(&format!("/status/{id}")).await.expect(200)
    }

    pub(crate) async fn detail(&self, id: &str) -> Json {
        self.client.get(&format!("/api/docproc/requests/{id}")).await.expect(200)
    }

    /// Waits until the request is where the test wants it; every status seen on the way, in order.
    pub(crate) async fn until(
        &self,
        id: &str,
        there: impl Fn(&Json) -> bool,
    ) -> (Json, Vec<String>) {
        let (began, mut seen) = (Instant::now(), Vec::new());
        let mut poll = tokio::time::interval(Duration::from_millis(5));
        loop {
            poll.tick().await;
            let now = self.status(id).await;
            let word = now["status"].as_str().unwrap().to_owned();
            if seen.last() != Some(&word) {
                seen.push(word);
            }
            if there(&now) {
                return (now, seen);
            }
            assert!(began.elapsed() < TEST_TIMEOUT, "still {now}");
        }
    }

    /// Waits until what is known of the request is what the test wants.
    pub(crate) async fn detail_until(&self, id: &str, there: impl Fn(&Json) -> bool) -> Json {
        let began = Instant::now();
        let mut poll = tokio::time::interval(Duration::from_millis(5));
        loop {
            poll.tick().await;
            let now = self.detail(id).await;
            if there(&now) {
                return now;
            }
            assert!(began.elapsed() < TEST_TIMEOUT, "still {now}");
        }
    }

    pub(crate) async fn finished(&self, id: &str) -> Json {
        let ended = |now: &Json| {
            ["completed", "failed", "cancelled"].contains(&now["status"].as_str().unwrap())
        };
        self.until(id, ended).await.0
    }
}

pub(crate) async fn context(desk: &Desk, setup: &Setup) -> Context {
    let store = Store::open(&desk.url).await.unwrap();
    let lines = [db::ENGINE, host::MIGRATIONS, docproc::store::MIGRATIONS];
    store.migrate(&lines, noon()).await.unwrap();
    let settings = Settings::new(docproc::SETTINGS.to_vec(), Vec::new()).unwrap();
    let options = Options {
        access: setup.access,
        demo: false,
        version: "test",
        body_bytes: 100_000,
        vault: host::Vault::ephemeral(),
        sse_connections: 8,
        drain: Duration::from_secs(20),
        alerts: AlertChannels::default(),
        data_dir: std::env::temp_dir(),
        listen: std::net::Ipv4Addr::LOCALHOST.into(),
        url: String::new(),
    };
    let config = Config {
        storage: desk.dir.join("files"),
        workflows: Some(desk.dir.join("workflows")),
        models: PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models"),
        part: setup.part,
        threads: setup.threads,
        prefetch: None,
        folder: Some(desk.dir.join("inbox")).filter(|dir| dir.exists()),
        callback_secret: Some(docproc::drivers::runtime::Secret::new("a secret".to_owned())),
        health_port: None,
    };
    let runtime = Arc::new(Runtime::open(config).unwrap());
    let (apps, bus) = (vec![docproc::app_in(runtime.clone())], Arc::new(bus::LocalBus::new()));
    let clock = setup.clock.clone();
    let house = host::Context::new(store, settings, clock, TimeZone::UTC, apps, options, bus);
    let context = Context::new(house, runtime);
    docproc::prepare(&context).await.unwrap();
    context
}

/// The default flow, with a model outside in place of ours.
pub(crate) fn exact(name: &str, url: &str) -> String {
    docproc::rules::workflow::DEFAULT
        .replace("name: default", &format!("name: {name}"))
        .replace("component: classifier", &format!("component: http\n    url: {url}"))
        .replace("component: extractor", &format!("component: http\n    url: {url}"))
        .replace("version: 1", "version: 1\nretry: {attempts: 3, base_seconds: 0.05}")
}
