//! The real `turno` binary as a child process: started, killed, started again on the same files.

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::time::{Instant, interval};

use crate::{Client, profile_dir, scratch, unique};

/// Long enough for migrations on a busy two-core machine; a healthy start takes under a second.
const READY_WITHIN: Duration = Duration::from_secs(30);
const STOP_WITHIN: Duration = Duration::from_secs(20);

/// How the binary is started.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub clock: Clock,
    /// None: a database file in the data directory.
    pub database_url: Option<String>,
    pub demo: bool,
    pub environment: Vec<(String, String)>,
    pub arguments: Vec<String>,
}

/// Whose time the server follows.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    #[default]
    System,
    /// Frozen at an RFC 3339 instant until [`Client::advance`] or [`Client::at`].
    Manual(String),
}

impl Options {
    /// A frozen clock, the setting of nearly every scenario.
    pub fn at(instant: &str) -> Self {
        Self { clock: Clock::Manual(instant.to_owned()), ..Self::default() }
    }
}

/// A running server. Dropped, it is killed and its files are removed.
#[derive(Debug)]
pub struct Turno {
    child: Child,
    port: u16,
    home: PathBuf,
    options: Options,
}

impl Turno {
    /// Starts on a free port with an empty data directory and waits until it is ready.
    pub async fn start(options: Options) -> Self {
        let home = scratch().join(unique("turno"));
        fs::create_dir_all(&home).expect("the target directory is writable");
        let port = free_port();
        let child = spawn(&home, port, &options);
        let mut server = Self { child, port, home, options };
        server.wait_until_ready().await;
        server
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn client(&self) -> Client {
        Client::anonymous(self.url())
    }

    /// Its process, while it runs.
    pub fn process(&self) -> Option<u32> {
        self.child.id()
    }

    pub fn data_dir(&self) -> PathBuf {
        data_dir(&self.home)
    }

    /// Everything the process has written so far, over all its starts.
    pub fn logs(&self) -> String {
        fs::read_to_string(self.home.join("log")).unwrap_or_default()
    }

    /// `kill -9`: the process gets no chance to tidy up.
    pub async fn kill(&mut self) {
        self.child.kill().await.expect("a child can be killed");
    }

    /// Asks the process to stop and returns whether it left with success.
    pub async fn terminate(&mut self) -> bool {
        if let Some(id) = self.child.id() {
            let sent = Command::new("kill").args(["-TERM", &id.to_string()]).status().await;
            assert!(sent.is_ok_and(|status| status.success()), "SIGTERM was not delivered");
        }
        let left = tokio::time::timeout(STOP_WITHIN, self.child.wait()).await.ok();
        let late = || panic!("still running {STOP_WITHIN:?} after SIGTERM:\n{}", self.logs());
        left.unwrap_or_else(late).expect("a child can be waited for").success()
    }

    /// Starts again on the same port and data, after [`Self::kill`] or [`Self::terminate`].
    pub async fn restart(&mut self) {
        let gone = self.child.try_wait().expect("a child can be asked");
        assert!(gone.is_some(), "kill or terminate the server before starting it again");
        self.child = spawn(&self.home, self.port, &self.options);
        self.wait_until_ready().await;
    }

    async fn wait_until_ready(&mut self) {
        let (client, deadline) = (http_client::client(), Instant::now() + READY_WITHIN);
        let mut poll = interval(Duration::from_millis(20));
        loop {
            poll.tick().await;
            if let Some(status) = self.child.try_wait().expect("a child can be asked") {
                panic!("turno left with {status} instead of starting:\n{}", self.logs());
            }
            let answer = client.get(format!("{}/ready", self.url())).send().await;
            if answer.is_ok_and(|answer| answer.status().is_success()) {
                return;
            }
            let late = Instant::now() >= deadline;
            assert!(!late, "turno not ready within {READY_WITHIN:?}:\n{}", self.logs());
        }
    }
}

impl Drop for Turno {
    fn drop(&mut self) {
        let _ = self.child.start_kill();
        if std::thread::panicking() {
            eprintln!("log of turno in {}:\n{}", self.home.display(), self.logs());
        } else {
            let _ = fs::remove_dir_all(&self.home);
        }
    }
}

fn data_dir(home: &Path) -> PathBuf {
    home.join("data")
}

/// Another process may take the port before ours does; the chance is small and the failure says so.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has free ports");
    listener.local_addr().expect("a bound socket has an address").port()
}

/// `TURNO_BIN`, else the binary built with the same profile as the test.
pub fn binary() -> PathBuf {
    if let Some(path) = std::env::var_os("TURNO_BIN") {
        return path.into();
    }
    let own = profile_dir().join("turno");
    let other = profile_dir().with_file_name("release").join("turno");
    let found = [own, other].into_iter().find(|path| path.exists());
    found.expect("no turno binary beside the tests: run `cargo build --workspace --bin turno`")
}

fn spawn(home: &Path, port: u16, options: &Options) -> Child {
    let log = File::options().create(true).append(true).open(home.join("log"));
    let log = log.expect("the data directory is writable");
    let mut command = Command::new(binary());
    // Settings of the developer's shell must not change what a test sees.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("TURNO_") {
            command.env_remove(name);
        }
    }
    command
        .args(["serve", "--listen", &format!("127.0.0.1:{port}"), "--data-dir"])
        .arg(data_dir(home))
        .current_dir(home)
        .envs(options.environment.iter().cloned())
        .stdin(Stdio::null())
        .stdout(log.try_clone().expect("a file handle can be cloned"))
        .stderr(log)
        .kill_on_drop(true);
    if let Clock::Manual(now) = &options.clock {
        command.args(["--clock", "manual", "--now", now]);
    }
    if let Some(url) = &options.database_url {
        command.args(["--database-url", url]);
    }
    if options.demo {
        command.arg("--demo");
    }
    command.args(&options.arguments);
    command.spawn().unwrap_or_else(|error| panic!("cannot start {}: {error}", binary().display()))
}
