//! A whole cluster of a test's own, as `scripts/cluster` starts it on this machine.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value as Json;
use testkit::{Client, broker, fresh_database, server::binary};

/// A cluster of this test alone, on free ports. Dropped, nothing is left of it.
pub(crate) struct Cluster {
    pub(crate) home: PathBuf,
    environment: Vec<(&'static str, String)>,
}

impl Cluster {
    /// `None` where there is no PostgreSQL or no RabbitMQ to start one with, which is said aloud.
    pub(crate) async fn up() -> Option<Self> {
        Self::up_with(Vec::new()).await
    }

    /// The same, with variables for its processes.
    pub(crate) async fn up_with(environment: Vec<(&'static str, String)>) -> Option<Self> {
        broker::vhost().await?;
        fresh_database().await?;
        let name = format!("cluster-{}", std::process::id());
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let cluster = Self { home, environment };
        cluster.must(&["up"]);
        Some(cluster)
    }

    pub(crate) fn run(&self, words: &[&str]) -> Output {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut script = Command::new(top.join("scripts/cluster"));
        for door in ["GATEWAY", "BACKOFFICE", "RABBITMQ", "RABBITMQ_MANAGEMENT", "POSTGRES"] {
            script.env(format!("{door}_PORT"), "0");
        }
        script.env("TURNO_CLUSTER", "local").env("TURNO_CLUSTER_DIR", &self.home);
        script.envs(self.environment.iter().map(|(name, value)| (name, value)));
        script.env("TURNO_BIN", binary()).args(words).output().expect("scripts/cluster runs")
    }

    pub(crate) fn must(&self, words: &[&str]) -> String {
        let done = self.run(words);
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "scripts/cluster {words:?}: {said}");
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    }

    pub(crate) fn client(&self, service: &str) -> Client {
        Client::anonymous(self.must(&["address", service]))
    }

    /// Each service with its process and its health, as `make ps` shows them.
    pub(crate) fn ps(&self) -> BTreeMap<String, (String, String)> {
        let row = |line: &str| {
            let cells: Vec<&str> = line.split_whitespace().collect();
            (cells[0].to_owned(), (cells[1].to_owned(), (*cells.last().unwrap()).to_owned()))
        };
        self.must(&["ps"]).lines().skip(1).map(row).collect()
    }

    /// The process of a service, while it runs.
    pub(crate) fn process(&self, service: &str) -> Option<u32> {
        if let "postgres" | "rabbitmq" = service {
            let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
            let at = format!("{}_AT", service.to_uppercase());
            let mut script = Command::new(top.join(format!("scripts/test-{service}")));
            let said = script.env(at, self.home.join(service)).arg("pid").output().ok()?;
            return String::from_utf8_lossy(&said.stdout).trim().parse().ok();
        }
        let state = std::fs::read_to_string(self.home.join("state.json")).ok()?;
        let state: Json = serde_json::from_str(&state).ok()?;
        let process = &state["processes"][service];
        let pid = u32::try_from(process["pid"].as_u64()?).ok()?;
        // Another may go by its number.
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
        let born: u64 = fields.get(19)?.parse().ok()?;
        (fields[0] != "Z" && Some(born) == process["born"].as_u64()).then_some(pid)
    }

    /// What the broker counted: messages that came into each queue, and that are still there.
    pub(crate) async fn queues(&self) -> BTreeMap<String, (i64, i64)> {
        let address = self.must(&["address", "management"]);
        let request = http_client::client().get(format!("{address}/api/queues"));
        let answer = request.basic_auth("guest", Some("guest")).send().await.unwrap();
        let queues: Vec<Json> = answer.json().await.unwrap();
        let figure = |queue: &Json| {
            let came = queue["message_stats"]["publish"].as_i64().unwrap_or_default();
            let here = queue["messages"].as_i64().unwrap_or_default();
            (queue["name"].as_str().unwrap().to_owned(), (came, here))
        };
        queues.iter().map(figure).collect()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for log in std::fs::read_dir(self.home.join("log")).into_iter().flatten().flatten() {
                let text = std::fs::read_to_string(log.path()).unwrap_or_default();
                let lines: Vec<&str> = text.lines().rev().take(15).collect();
                eprintln!("{}:\n{}", log.path().display(), lines.join("\n"));
            }
        }
        let _ = self.run(&["clean"]);
    }
}
