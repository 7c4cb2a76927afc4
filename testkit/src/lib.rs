//! What tests share: throw-away databases and brokers, an application served inside the test, scenarios
//! in plain words, the real binary under a manual clock, a JSON client.
//!
//! Everything here panics with an explanation instead of returning errors: the caller is always a
//! test.

pub mod broker;
pub mod client;
pub mod local;
pub mod network;
pub mod postgres;
pub mod s3;
pub mod server;
pub mod story;

use std::path::PathBuf;

pub use client::{Answer, Client};
pub use local::{LocalServer, Prepared, Setup, TestDb, on_both, on_postgres, on_sqlite, on_wires};
pub use network::Link;
pub use postgres::{copied_database, drop_database, fresh_database};
pub use s3::{S3Server, python};
pub use server::{Clock, Options, Turno};

/// How often something is killed or raced: all of it under `make soak`, else a tenth, which finds what
/// is broken without making everybody wait for what is rare.
pub fn rounds(whole: usize) -> usize {
    if std::env::var_os("TURNO_SOAK").is_some() { whole } else { whole.div_ceil(10) }
}

/// The top of the source tree.
fn workspace() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("the crate lives inside the workspace").to_owned()
}

/// The directory of the profile this test was built with, such as `target/debug`.
fn profile_dir() -> PathBuf {
    let test = std::env::current_exe().expect("a running test has a path");
    let deps = test.parent().expect("test executables live in a directory");
    let inside_deps = deps.file_name().is_some_and(|name| name == "deps");
    let profile = if inside_deps { deps.parent() } else { Some(deps) };
    profile.expect("deps lives inside a profile directory").to_owned()
}

/// Where tests put what they throw away. `TEST_SCRATCH` names a faster place than the build directory.
pub fn scratch() -> PathBuf {
    std::env::var_os("TEST_SCRATCH").map_or_else(|| profile_dir().join("testkit"), PathBuf::from)
}

/// A name no other test, process or run uses.
fn unique(prefix: &str) -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let micros = jiff::Timestamp::now().as_microsecond();
    format!("{prefix}_{}_{micros}_{count}", std::process::id())
}
