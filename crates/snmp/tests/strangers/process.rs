//! Programs of others, started for one test on private ports and files.

use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use snmp::{CancellationToken, Fleet, Target};

/// Python needs a while to wake up on a busy machine.
const START_TIMEOUT: Duration = Duration::from_secs(40);
const LOOK: Duration = Duration::from_millis(300);

/// A program that ends with its test, and the directory it writes to.
pub(crate) struct Running {
    child: Child,
    pub(crate) port: u16,
    room: TestDir,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A directory of one test, under the build directory.
pub(crate) struct TestDir(PathBuf);

impl TestDir {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("snmp-{}-{count}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).expect("a directory for the test");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a file for the test");
        path
    }
}

impl Drop for TestDir {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

/// The first of the places where a program is; without it a test says so and does not run, which
/// `REQUIRE_SERVICES=1` forbids.
pub(crate) fn find(name: &str, places: &[PathBuf]) -> Option<PathBuf> {
    let found = places.iter().find(|place| place.exists()).cloned();
    if found.is_none() {
        let required = std::env::var("REQUIRE_SERVICES").is_ok_and(|value| value == "1");
        assert!(!required, "{name} is required here: scripts/tools test installs it");
        println!("skipped: no {name}; scripts/tools test installs it");
    }
    found
}

pub(crate) fn system(name: &str) -> Option<PathBuf> {
    let places = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"];
    find(name, &places.map(|place| Path::new(place).join(name)))
}

/// A port nobody listens on, unless somebody else takes it within the next moment.
pub(crate) fn free_port() -> u16 {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.local_addr().expect("bound").port()
}

/// Starts a program and waits until it answers as `target`.
pub(crate) async fn start(mut command: Command, room: TestDir, target: &Target) -> Running {
    let log = std::fs::File::create(room.path().join("log")).expect("a log");
    let errors = log.try_clone().expect("the same log");
    command.stdin(Stdio::null()).stdout(log).stderr(errors);
    let child = command.spawn().expect("the program starts");
    let mut running = Running { child, port: target.port, room };
    let fleet = Fleet::bind().expect("a socket");
    let none = CancellationToken::new();
    let mut look = tokio::time::interval(LOOK);
    let alive = async {
        while fleet.probe(target, LOOK, &none).await.is_err() {
            if let Ok(Some(status)) = running.child.try_wait() {
                panic!("it ended: {status}; see {}/log", running.room.path().display());
            }
            look.tick().await;
        }
    };
    let seen = tokio::time::timeout(START_TIMEOUT, alive).await;
    assert!(seen.is_ok(), "it never answered; see {}/log", running.room.path().display());
    running
}
