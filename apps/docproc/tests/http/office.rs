//! An office in this process: the real host, a real database, files in a directory of its own.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use docproc::{
    Config, Context, Part, Runtime,
    drivers::{
        broker::{Outbox, TTL},
        storage::Address,
    },
};
use host::Clock;
use jiff::Timestamp;
use reqwest::multipart::{Form, Part as FormPart};
use serde_json::Value as Json;
use testkit::{Answer, Client, LocalServer, Prepared};
pub(crate) use testkit::{TestDb, on_both, on_sqlite};

use crate::outside::Outside;

/// Longer than anything here takes on a busy machine.
const TEST_TIMEOUT: Duration = Duration::from_mins(1);

pub(crate) fn noon() -> Timestamp {
    "2026-11-16T12:00:00Z".parse().unwrap()
}

/// How an office is set up.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) house: testkit::Setup,
    pub(crate) dir: PathBuf,
    pub(crate) storage: Address,
    pub(crate) part: Part,
    pub(crate) threads: usize,
    /// Messages that each thread may hold; unset, as many as make sense.
    pub(crate) prefetch: Option<usize>,
    /// Where RabbitMQ is that carries the messages, if one does.
    pub(crate) broker: Option<String>,
    /// How long a letter may wait there.
    pub(crate) ttl: Duration,
}

impl Setup {
    /// By the real clock.
    pub(crate) fn of(db: &TestDb) -> Self {
        Self::by(Clock::Real, db)
    }

    pub(crate) fn by(clock: Clock, db: &TestDb) -> Self {
        let house = testkit::Setup::at(noon(), db);
        let house = testkit::Setup { clock, body_bytes: 100_000, ..house };
        let (storage, dir) = (db.dir.join("files").into(), db.dir.clone());
        let (part, threads, prefetch) = (Part::Everything, 2, None);
        Self { house, dir, storage, part, threads, prefetch, broker: None, ttl: TTL }
    }
}

pub(crate) struct Office {
    server: LocalServer,
    context: Context,
    setup: Setup,
    pub(crate) client: Client,
    pub(crate) outside: Outside,
}

impl Office {
    /// An office whose workflows are the shipped ones, and `exact`: the default flow with types and
    /// fields decided by the model outside.
    pub(crate) async fn open(db: &TestDb) -> Self {
        Self::with(Setup::of(db)).await
    }

    pub(crate) async fn at_noon(db: &TestDb) -> Self {
        Self::with(Setup::by(Clock::manual(noon()), db)).await
    }

    pub(crate) async fn with(setup: Setup) -> Self {
        let outside = Outside::start().await;
        let dir = setup.dir.join("workflows");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("default.yaml"), docproc::rules::workflow::DEFAULT).unwrap();
        std::fs::write(dir.join("facturas.yaml"), docproc::rules::workflow::INVOICES).unwrap();
        std::fs::write(dir.join("exact.yaml"), exact("exact", &outside.url)).unwrap();
        Box::pin(Self::beside(setup, outside)).await
    }

    /// An office that asks this model.
    async fn beside(setup: Setup, outside: Outside) -> Self {
        let (prepared, context) = prepared(&setup).await;
        Self::start(setup, prepared, context, outside).await
    }

    /// Opens what was set up.
    pub(crate) async fn start(
        setup: Setup,
        prepared: Prepared,
        context: Context,
        outside: Outside,
    ) -> Self {
        let server = prepared.start().await;
        Self { client: server.client.clone(), server, context, setup, outside }
    }

    /// Closes, and opens again as another part at the same time.
    pub(crate) async fn reopened(self, part: Part) -> Self {
        let (setup, outside) = (Setup { part, ..self.setup.clone() }, self.outside.clone());
        self.close().await;
        Self::beside(setup, outside).await
    }

    /// Writes a workflow, which is in force at once unless it is refused or waits.
    pub(crate) async fn workflow(&self, name: &str, text: &str) {
        let file = self.setup.dir.join(format!("workflows/{name}.yaml"));
        std::fs::write(file, text).unwrap();
        docproc::decisions::refresh(&self.context).await.unwrap();
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.setup.dir
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) async fn persona(&self, role: &str) -> Client {
        self.somebody(role, role).await
    }

    /// A program of that name and role.
    pub(crate) async fn somebody(&self, name: &str, role: &str) -> Client {
        self.server.persona(name, docproc::NAME, role).await
    }

    pub(crate) async fn close(self) {
        drop(self.context);
        self.server.stop().await;
    }

    /// Sends files with fields; the answer as it comes.
    pub(crate) async fn send(
        &self,
        files: &[(&str, Vec<u8>)],
        fields: &[(&str, &str)],
    ) -> (u16, Json) {
        let answer = upload(&self.client, "/process", files, fields).await;
        (answer.status, answer.json())
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

    /// Waits until the state of the request is what the test wants.
    pub(crate) async fn until(&self, id: &str, there: impl Fn(&Json) -> bool) -> Json {
        self.poll(&format!("/status/{id}"), there).await
    }

    /// Waits until what is known of the request is what the test wants.
    pub(crate) async fn detail_until(&self, id: &str, there: impl Fn(&Json) -> bool) -> Json {
        self.poll(&format!("/api/docproc/requests/{id}"), there).await
    }

    /// Waits until there are pages and each was read.
    pub(crate) async fn all_read(&self, id: &str) -> Json {
        let read = |page: &Json| !page["ocr_text"].is_null();
        let all = |pages: &Vec<Json>| !pages.is_empty() && pages.iter().all(read);
        self.detail_until(id, |now| now["pages"].as_array().is_some_and(all)).await
    }

    pub(crate) async fn poll(&self, path: &str, there: impl Fn(&Json) -> bool) -> Json {
        let began = Instant::now();
        let mut poll = tokio::time::interval(Duration::from_millis(5));
        loop {
            poll.tick().await;
            let answer = self.client.get(path).await;
            let text = answer.text.clone();
            // A server that cannot answer now says so; it is asked again.
            if answer.status != 503 {
                let now = answer.expect(200);
                if there(&now) {
                    return now;
                }
            }
            assert!(began.elapsed() < TEST_TIMEOUT, "still {text}");
        }
    }

    pub(crate) async fn finished(&self, id: &str) -> Json {
        let ended = |now: &Json| {
            ["completed", "failed", "cancelled"].contains(&now["status"].as_str().unwrap())
        };
        self.until(id, ended).await
    }

    /// The number of rows that a query finds.
    pub(crate) async fn count(&self, sql: &str) -> i64 {
        let mut tx = self.context.store.read().await.unwrap();
        tx.one(db::trusted(sql.to_owned()), &[]).await.unwrap().get("n").unwrap()
    }

    /// The number of rows that a query finds; none while the database is not available.
    pub(crate) async fn counted(&self, sql: &str) -> Option<i64> {
        let found: Result<i64, db::Error> = async {
            let mut tx = self.context.store.read().await?;
            tx.one(db::trusted(sql.to_owned()), &[]).await?.get("n")
        }
        .await;
        match found {
            Ok(n) => Some(n),
            Err(db::Error::Unavailable(_)) => None,
            Err(error) => panic!("{sql}: {error:?}"),
        }
    }
}

/// Sends files with fields as a form.
pub(crate) async fn upload(
    client: &Client,
    path: &str,
    files: &[(&str, Vec<u8>)],
    fields: &[(&str, &str)],
) -> Answer {
    let mut form = Form::new();
    for (name, value) in fields {
        form = form.text((*name).to_owned(), (*value).to_owned());
    }
    for (name, bytes) in files {
        let part = FormPart::bytes(bytes.clone()).file_name((*name).to_owned());
        form = form.part("file", part);
    }
    let request = client.request(reqwest::Method::POST, path);
    Answer::of(request.multipart(form), path).await
}

/// A process that is ready to serve.
pub(crate) async fn prepared(setup: &Setup) -> (Prepared, Context) {
    let config = Config {
        storage: setup.storage.clone(),
        workflows: Some(setup.dir.join("workflows")),
        models: PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models"),
        part: setup.part,
        threads: setup.threads,
        prefetch: setup.prefetch,
        folder: Some(setup.dir.join("inbox")).filter(|dir| dir.exists()),
        callback_secret: Some(docproc::drivers::runtime::Secret::new("a secret".to_owned())),
        health_port: None,
        health_address: None,
        isolated: false,
    };
    let mut runtime = Runtime::open(config).unwrap();
    let broker = setup.broker.as_ref().map(|url| url.parse().unwrap());
    runtime.outbox = broker.map(|broker| Outbox::open(broker, setup.part.word(), setup.ttl));
    let runtime = Arc::new(runtime);
    let prepared = setup.house.clone().prepare(docproc::app_in(runtime.clone())).await;
    let context = Context::new(prepared.context.clone(), runtime);
    docproc::prepare(&context).await.unwrap();
    (prepared, context)
}

/// The default flow, with a model outside in place of ours.
pub(crate) fn exact(name: &str, url: &str) -> String {
    docproc::rules::workflow::DEFAULT
        .replace("name: default", &format!("name: {name}"))
        .replace("component: classifier", &format!("component: http\n    url: {url}"))
        .replace("component: extractor", &format!("component: http\n    url: {url}"))
        .replace("version: 1", "version: 1\nretry: {attempts: 3, base_seconds: 0.05}")
}
