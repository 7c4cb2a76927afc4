//! An S3 server of others (moto, from `PyPI`) for tests, with one bucket and one pair of keys.

use std::env;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::workspace;

/// Python reads much before it serves anything, on a busy machine slowly.
const READY_WITHIN: Duration = Duration::from_mins(2);

/// A server with a bucket. Dropped, it ends, and everything in it is gone.
#[derive(Debug)]
pub struct S3Server {
    child: Child,
    pub endpoint: String,
    pub bucket: String,
    pub key_id: String,
    pub secret: String,
}

impl S3Server {
    /// `None`, said aloud, where Python has no moto; with `REQUIRE_SERVICES=1` that is a failure.
    pub async fn start() -> Option<Self> {
        match tokio::time::timeout(READY_WITHIN, Self::begin()).await {
            Ok(Ok(server)) => Some(server),
            Ok(Err(reason)) => absent(&reason),
            Err(_) => absent("moto did not start in time"),
        }
    }

    async fn begin() -> Result<Self, String> {
        let python = python();
        let mut child = Command::new(&python)
            .arg(workspace().join("testkit/s3_server.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("cannot run {}: {error}", python.display()))?;
        let output = child.stdout.take().ok_or("its output is piped")?;
        let line = BufReader::new(output).lines().next_line().await.ok().flatten();
        let line = line.ok_or("moto does not start: scripts/tools test installs it")?;
        let told: Json = serde_json::from_str(&line).map_err(|error| error.to_string())?;
        let word = |key: &str| told[key].as_str().unwrap_or_default().to_owned();
        Ok(Self {
            child,
            endpoint: word("endpoint"),
            bucket: word("bucket"),
            key_id: word("id"),
            secret: word("secret"),
        })
    }

    /// It takes connections and answers nothing, until [`Self::wake`].
    pub async fn freeze(&self) {
        self.signal("-STOP").await;
    }

    pub async fn wake(&self) {
        self.signal("-CONT").await;
    }

    async fn signal(&self, name: &str) {
        let id = self.child.id().expect("the server runs").to_string();
        let sent = Command::new("kill").args([name, &id]).status().await;
        assert!(sent.is_ok_and(|status| status.success()), "{name} was not delivered");
    }

    /// What the environment of a process says that keeps its files here, under this prefix.
    pub fn environment(&self, prefix: &str) -> Vec<(String, String)> {
        let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        vec![
            set("DOCPROC_STORAGE_URL", &format!("s3://{}/{prefix}", self.bucket)),
            set("AWS_ENDPOINT_URL", &self.endpoint),
            set("AWS_ACCESS_KEY_ID", &self.key_id),
            set("AWS_SECRET_ACCESS_KEY", &self.secret),
            set("AWS_REGION", "us-east-1"),
        ]
    }
}

/// The Python that `make tools` prepares for tests.
pub fn python() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    workspace().join(target).join("venv/bin/python")
}

fn absent<T>(reason: &str) -> Option<T> {
    let required = env::var("REQUIRE_SERVICES").is_ok_and(|value| value == "1");
    assert!(!required, "an S3 server is required here: {reason}");
    println!("skipped: no S3 server for tests: {reason}");
    None
}
