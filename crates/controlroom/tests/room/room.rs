//! A simulator of one's own, a client of it, and a hand on its controls.

use std::time::Duration;

use controlroom::sim::{Clock, Options, Simulator};
use controlroom::{Client, Config, Deployment, Secret, Target};
use jiff::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};

pub(crate) const KEY: &str = "clave-secreta-42";

pub(crate) struct TestRoom {
    pub(crate) sim: Simulator,
    http: reqwest::Client,
}

pub(crate) fn start() -> Timestamp {
    "2026-05-04T12:00:00Z".parse().unwrap()
}

impl TestRoom {
    /// Time stands still.
    pub(crate) async fn new() -> Self {
        Self::with(Options { clock: Clock::Manual(start()), ..Options::default() }).await
    }

    pub(crate) async fn with(options: Options) -> Self {
        let http = http_client::builder().no_proxy().build().unwrap();
        Self { sim: Simulator::local(options).await.unwrap(), http }
    }

    pub(crate) fn config(&self) -> Config {
        Config::new(self.sim.url(), "orquestador", Secret::ApiKey(KEY.to_owned()))
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.config()).unwrap()
    }

    /// A client that does not wait long.
    pub(crate) fn hasty(&self) -> Client {
        Client::new(Config { timeout: Duration::from_secs(1), ..self.config() }).unwrap()
    }

    pub(crate) async fn ask(&self, method: Method, path: &str, body: &Value) -> (u16, Value) {
        let request = self.http.request(method, format!("{}{path}", self.sim.url()));
        let answer = request.body(body.to_string()).send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    async fn well(&self, method: Method, path: &str, body: &Value) -> Value {
        let (status, answer) = self.ask(method, path, body).await;
        assert!((200..300).contains(&status), "{path} {body}: {status} {answer}");
        answer
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        self.well(Method::GET, path, &json!({})).await
    }

    #[allow(clippy::needless_pass_by_value)]
    pub(crate) async fn put(&self, path: &str, body: Value) -> Value {
        self.well(Method::PUT, path, &body).await
    }

    #[allow(clippy::needless_pass_by_value)]
    pub(crate) async fn post(&self, path: &str, body: Value) -> Value {
        self.well(Method::POST, path, &body).await
    }

    pub(crate) async fn faults(&self, faults: Value) {
        self.put("/sim/faults", faults).await;
    }

    pub(crate) async fn advance(&self, seconds: u32) -> Value {
        self.post("/sim/clock", json!({ "advance_seconds": seconds })).await
    }

    /// How often an entrance was used.
    pub(crate) async fn requests(&self, door: &str) -> u64 {
        self.get("/sim/state").await["requests"][door].as_u64().unwrap_or_default()
    }

    pub(crate) async fn deployments(&self) -> Vec<Value> {
        self.get("/sim/deployments").await.as_array().unwrap().clone()
    }
}

pub(crate) fn deployment(bot_id: i64, run_as_user: i64, tag: &str) -> Deployment {
    let on = Target::Unattended { user: run_as_user };
    Deployment { bot_id, on, tag: tag.to_owned(), input: None, callback: None }
}
