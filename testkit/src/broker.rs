//! Virtual hosts on a real broker, for tests, and whole nodes for those that kill one.

use std::env;
use std::path::PathBuf;
use std::process::{Command as Blocking, Stdio};

use serde_json::Value;
use tokio::process::Command;
use tokio::sync::OnceCell;

use crate::postgres::output;
use crate::{profile_dir, unique, workspace};

const SCRIPT: &str = "scripts/test-rabbitmq";

/// An empty virtual host on the node that tests share. Dropped, it is removed with all it holds.
#[derive(Debug)]
pub struct Vhost {
    pub name: String,
    /// `amqp://guest:guest@127.0.0.1:<port>/<name>`
    pub url: String,
    /// Where the node's HTTP interface is, with its user, ending in a slash.
    management: String,
}

/// A new empty virtual host on the test node.
///
/// `scripts/test-rabbitmq` starts the node and later tests share it. Without one the answer is `None`
/// and the test skips itself, which is said aloud; with `REQUIRE_SERVICES=1` it fails.
pub async fn vhost() -> Option<Vhost> {
    static NODE: OnceCell<Result<(String, String), String>> = OnceCell::const_new();
    let find = || async { Ok((ask("ensure", None).await?, ask("management", None).await?)) };
    let create = async || {
        let (url, management) = NODE.get_or_init(find).await.clone()?;
        Vhost::create(&url, management).await
    };
    or_skip(create().await)
}

/// A node of this test alone, which may be killed. It takes some seconds to start.
pub async fn node() -> Option<Node> {
    start_node(&[]).await
}

/// The same, spoken to by TLS too: as `localhost`, and by no other name.
pub async fn sealed_node() -> Option<Node> {
    start_node(&[("RABBITMQ_TLS", "1")]).await
}

async fn start_node(with: &[(&str, &str)]) -> Option<Node> {
    let at = profile_dir().join("testkit").join(unique("rabbitmq"));
    let start = async || {
        let url = ask_with("start", Some(&at), with).await?;
        let management = ask("management", Some(&at)).await?;
        Ok(Node { at: at.clone(), url, management })
    };
    or_skip(start().await)
}

fn or_skip<T>(found: Result<T, String>) -> Option<T> {
    found.inspect_err(|reason| skipped(reason)).ok()
}

fn skipped(reason: &str) {
    let required = env::var("REQUIRE_SERVICES").is_ok_and(|value| value == "1");
    assert!(!required, "RabbitMQ is required here: {reason}");
    println!("skipped: no RabbitMQ for tests: {reason}");
}

async fn ask(what: &str, at: Option<&PathBuf>) -> Result<String, String> {
    ask_with(what, at, &[]).await
}

async fn ask_with(
    what: &str,
    at: Option<&PathBuf>,
    with: &[(&str, &str)],
) -> Result<String, String> {
    let mut script = Command::new(workspace().join(SCRIPT));
    script.arg(what).envs(with.iter().copied());
    if let Some(at) = at {
        script.env("RABBITMQ_AT", at);
    }
    output(script, SCRIPT).await.map(|answer| answer.trim().to_owned())
}

impl Vhost {
    async fn create(url: &str, management: String) -> Result<Self, String> {
        let name = unique("v");
        let vhost = Self { url: format!("{url}{name}"), management, name };
        vhost.curl(&["--request", "PUT"], &format!("vhosts/{}", vhost.name)).await?;
        Ok(vhost)
    }

    /// What the node answers to `GET /api/<path>`.
    pub async fn get(&self, path: &str) -> Value {
        let text = self.curl(&[], path).await.unwrap_or_else(|reason| panic!("{reason}"));
        serde_json::from_str(&text).expect("the node answers in JSON")
    }

    /// Sends JSON to `/api/<path>`: declares, publishes, purges as an operator would.
    pub async fn send(&self, method: &str, path: &str, body: &Value) -> String {
        let answer = self.try_to_send(method, path, body).await;
        answer.unwrap_or_else(|reason| panic!("{method} {path}: {reason}"))
    }

    /// The same for what may be refused, such as publishing to an exchange that is not there yet.
    pub async fn try_to_send(
        &self,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Result<String, String> {
        let body = body.to_string();
        let arguments =
            ["--request", method, "--header", "content-type: application/json", "--data", &body];
        self.curl(&arguments, path).await
    }

    async fn curl(&self, arguments: &[&str], path: &str) -> Result<String, String> {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--fail-with-body", "--max-time", "30"]);
        curl.args(arguments).arg(format!("{}api/{path}", self.management));
        output(curl, "curl").await
    }
}

impl Drop for Vhost {
    fn drop(&mut self) {
        let path = format!("{}api/vhosts/{}", self.management, self.name);
        let mut curl = Blocking::new("curl");
        curl.args(["--silent", "--max-time", "30", "--request", "DELETE", &path]);
        let _ = curl.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

/// A node of one test. Dropped, it is ended and its files are removed.
#[derive(Debug)]
pub struct Node {
    at: PathBuf,
    pub url: String,
    management: String,
}

impl Node {
    /// Its address by TLS, and the file of the authority that vouches for it.
    pub async fn sealed(&self) -> (String, PathBuf) {
        let said = async |what| ask(what, Some(&self.at)).await.expect("the node is known");
        (said("sealed").await, said("authority").await.into())
    }

    /// An empty virtual host on it.
    pub async fn vhost(&self) -> Vhost {
        let made = Vhost::create(&self.url, self.management.clone()).await;
        let made = made.unwrap_or_else(|reason| panic!("{reason}"));
        self.settle().await;
        made
    }

    /// Writes down what was declared. By itself the node does so within some seconds; killed before
    /// that, it comes back without it.
    pub async fn settle(&self) {
        let mut script = Command::new(workspace().join(SCRIPT));
        script.args(["ctl", "eval", "mnesia:sync_log()."]).env("RABBITMQ_AT", &self.at);
        output(script, SCRIPT).await.unwrap_or_else(|reason| panic!("sync_log: {reason}"));
    }

    /// Takes everything out of a queue of its first virtual host, as an operator does by mistake.
    pub async fn purge(&self, queue: &str) {
        let mut script = Command::new(workspace().join(SCRIPT));
        script.args(["ctl", "purge_queue", queue]).env("RABBITMQ_AT", &self.at);
        output(script, SCRIPT).await.unwrap_or_else(|reason| panic!("{queue}: {reason}"));
    }

    /// Its process, while it runs.
    pub async fn process(&self) -> Option<u32> {
        ask("pid", Some(&self.at)).await.ok()?.parse().ok()
    }

    /// `kill -9`: what is not on the disk is lost.
    pub async fn kill(&self) {
        let process = self.process().await.expect("a running node has a process");
        let sent = Command::new("kill").args(["-KILL", &process.to_string()]).status().await;
        assert!(sent.is_ok_and(|status| status.success()), "SIGKILL was not delivered");
    }

    /// Ends it in order; its files stay.
    pub async fn halt(&self) {
        self.order("halt").await;
    }

    /// The same node on the same ports with what it kept.
    pub async fn restart(&self) {
        self.order("ensure").await;
    }

    /// The same node on the same ports with nothing: a new disk.
    pub async fn restart_empty(&self) {
        self.order("empty").await;
    }

    async fn order(&self, what: &str) {
        ask(what, Some(&self.at)).await.unwrap_or_else(|reason| panic!("{what}: {reason}"));
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let mut script = Blocking::new(workspace().join(SCRIPT));
        let _ = script.arg("stop").env("RABBITMQ_AT", &self.at).stdin(Stdio::null()).status();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn every_call_gives_its_own_virtual_host_and_removes_it() {
        let (Some(one), Some(two)) = (vhost().await, vhost().await) else {
            return;
        };
        assert_ne!(one.url, two.url);
        one.send("PUT", &format!("queues/{}/q", one.name), &json!({ "durable": true })).await;
        assert_eq!(two.get(&format!("queues/{}", two.name)).await, json!([]));
        let gone = one.name.clone();
        drop(one);
        let left = two.get("vhosts").await;
        let names: Vec<_> = left.as_array().unwrap().iter().map(|v| v["name"].clone()).collect();
        assert!(names.contains(&json!(two.name)) && !names.contains(&json!(gone)), "{names:?}");
    }

    #[tokio::test]
    async fn a_node_that_was_killed_comes_back_with_what_it_kept_or_empty() {
        let Some(node) = node().await else {
            return;
        };
        let vhost = node.vhost().await;
        let queue = format!("queues/{}/q", vhost.name);
        vhost.send("PUT", &queue, &json!({ "durable": true })).await;
        node.settle().await;
        node.kill().await;
        node.restart().await;
        assert_eq!(vhost.get(&queue).await["name"], "q");
        node.restart_empty().await;
        let names = vhost.get("vhosts").await;
        assert_eq!(names.as_array().map(Vec::len), Some(1), "only the root: {names}");
    }
}
