//! Empty databases on a real server, for tests.

use std::env;
use std::path::PathBuf;
use std::process::Stdio;

use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::sync::OnceCell;

use crate::{unique, workspace};

/// The URL of a new empty database on the test server.
///
/// The server is `TEST_POSTGRES_URL`, else one that `scripts/test-postgres` starts and later tests
/// share. Without any, the answer is `None` and the test skips itself, which is said aloud; with
/// `REQUIRE_SERVICES=1` it fails.
pub async fn fresh_database() -> Option<String> {
    match create().await {
        Ok(url) => Some(url),
        Err(reason) => {
            let required = env::var("REQUIRE_SERVICES").is_ok_and(|value| value == "1");
            assert!(!required, "PostgreSQL is required here: {reason}");
            println!("skipped: no PostgreSQL for tests: {reason}");
            None
        }
    }
}

async fn create() -> Result<String, String> {
    from_template("template0").await
}

/// A copy of a database to which nobody is connected.
pub async fn copied_database(url: &str) -> String {
    from_template(name_of(url)).await.unwrap_or_else(|reason| panic!("{reason}"))
}

/// Removes a database, whoever is still connected: for tests that make very many.
pub async fn drop_database(url: &str) {
    let script = format!("DROP DATABASE {} WITH (FORCE);", name_of(url));
    run(&script).await.unwrap_or_else(|reason| panic!("{reason}"));
}

/// By copying files where the server can: writing the copy to its log as well costs twice as much.
async fn from_template(template: &str) -> Result<String, String> {
    clear_away().await?;
    let name = unique("t");
    let script = format!(
        "SELECT 'CREATE DATABASE {name} TEMPLATE {template}' ||
         CASE WHEN current_setting('server_version_num')::int >= 150000
              THEN ' STRATEGY file_copy' ELSE '' END \\gexec"
    );
    run(&script).await?;
    Ok(with_database(&server_url().await?, &name))
}

/// Removes what tests left that are over, once in a while: the server's files may be in memory.
async fn clear_away() -> Result<(), String> {
    const EVERY: u32 = 32;
    if !std::process::id().is_multiple_of(EVERY) {
        return Ok(());
    }
    let list = run("SELECT datname FROM pg_database WHERE datname LIKE 't\\_%'").await?;
    let over = |name: &&str| {
        let process = name.split('_').nth(1);
        process.is_some_and(|id| !std::path::Path::new("/proc").join(id).exists())
    };
    for name in list.lines().map(str::trim).filter(over) {
        // Another test may be at it.
        let _ = run(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE);")).await;
    }
    Ok(())
}

async fn run(script: &str) -> Result<String, String> {
    let mut psql = Command::new(psql());
    let server = server_url().await?;
    psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--set=ON_ERROR_STOP=1"]);
    psql.args(["--dbname", &server, "--file=-"]);
    fed(psql, "psql", script).await
}

/// The program itself: what Debian puts on the path is a script that looks for it, at five times the cost.
fn psql() -> PathBuf {
    let installed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let found = installed.flatten().map(|version| version.path().join("bin/psql"));
    found.filter(|path| path.exists()).max().unwrap_or_else(|| "psql".into())
}

fn name_of(url: &str) -> &str {
    let address = url.split_once('?').map_or(url, |(address, _)| address);
    address.rsplit('/').next().unwrap_or_default()
}

async fn server_url() -> Result<String, String> {
    static URL: OnceCell<Result<String, String>> = OnceCell::const_new();
    let find = || async {
        if let Ok(url) = env::var("TEST_POSTGRES_URL") {
            return Ok(url);
        }
        let mut script = Command::new(workspace().join("scripts/test-postgres"));
        script.arg("ensure");
        output(script, "scripts/test-postgres").await.map(|url| url.trim().to_owned())
    };
    URL.get_or_init(find).await.clone()
}

pub(crate) async fn output(command: Command, name: &str) -> Result<String, String> {
    fed(command, name, "").await
}

async fn fed(mut command: Command, name: &str, input: &str) -> Result<String, String> {
    let failed = |error| format!("cannot run {name}: {error}");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let mut stdin = child.stdin.take().expect("it was asked for");
    // Whoever does not read what it is given says why by itself.
    let _ = stdin.write_all(input.as_bytes()).await;
    drop(stdin);
    let done = child.wait_with_output().await.map_err(failed)?;
    if done.status.success() {
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    } else {
        Err(format!("{name}: {}", String::from_utf8_lossy(&done.stderr).trim()))
    }
}

/// The same server, another database; parameters after `?` stay.
fn with_database(url: &str, name: &str) -> String {
    let (address, parameters) = url.split_once('?').map_or((url, None), |(a, p)| (a, Some(p)));
    let authority = address.find("://").map_or(0, |at| at + 3);
    let end = address[authority..].find('/').map_or(address.len(), |at| authority + at);
    let tail = parameters.map_or(String::new(), |parameters| format!("?{parameters}"));
    format!("{}/{name}{tail}", &address[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_is_replaced_and_nothing_else() {
        for (url, expected) in [
            ("postgres://p@h:1/postgres", "postgres://p@h:1/t1"),
            ("postgres://p@h:1", "postgres://p@h:1/t1"),
            ("postgres://h/x?sslmode=disable", "postgres://h/t1?sslmode=disable"),
        ] {
            assert_eq!(with_database(url, "t1"), expected);
            assert_eq!(name_of(expected), "t1");
        }
    }

    #[tokio::test]
    async fn every_call_gives_its_own_database() {
        let (Some(one), Some(two)) = (fresh_database().await, fresh_database().await) else {
            return;
        };
        assert_ne!(one, two);
        let mut psql = Command::new(psql());
        psql.args(["--no-psqlrc", "--tuples-only", "--dbname", &one]);
        psql.args(["--command", "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"]);
        assert_eq!(output(psql, "psql").await.map(|count| count.trim().to_owned()), Ok("0".into()));
    }
}
