//! Celery with the same graph and tasks that do nothing, on RabbitMQ and Redis.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value as Json;
use testkit::broker::Node;
use tokio::process::{Child, Command};

use super::{Measured, REQUESTS, SINGLES, all_pages, rate};
use crate::{sample::Sample, usage};

const CONCURRENCY: &str = "2";

/// `None`, said aloud, where Celery, Redis or RabbitMQ is missing.
pub(super) async fn measure(node: &Node) -> Result<Option<Measured>> {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let python = std::path::absolute(target.join("venv-peers/bin/python"))?;
    if !python.exists() {
        eprintln!("no Celery here: bench/peers/prepare installs it");
        return Ok(None);
    }
    let vhost = node.vhost().await;
    let dir = target.join("peers");
    // What an earlier run left there would be loaded first, and remembered.
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    let (redis, results) = redis(&std::path::absolute(&dir)?)?;
    let program = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        command
            .args(arguments)
            .current_dir("bench/peers")
            .env("PEER_BROKER", &vhost.url)
            .env("PEER_RESULTS", &results)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    };
    let worker = ["-m", "celery", "-A", "peer", "worker", "-c", CONCURRENCY, "--loglevel=warning"];
    let mut worker = program(&worker).stdout(Stdio::null()).spawn()?;
    let main = worker.id().context("the worker runs")?;
    let broker = node.process().await;
    let spent = || {
        let all = family(main).into_iter().chain(redis.id()).chain(broker);
        all.map(usage::cpu).sum::<Duration>()
    };
    // The driver's first request waits until a worker is there; what that costs is little.
    let before = spent();
    let (requests, singles) = (REQUESTS.to_string(), SINGLES.to_string());
    let output =
        program(&["peer.py", &requests, &singles]).stderr(Stdio::inherit()).output().await?;
    let cpu = spent().saturating_sub(before);
    let megabytes = family(main).into_iter().map(usage::own_megabytes).sum();
    end(&mut worker).await?;
    drop(redis);
    ensure!(output.status.success(), "Celery's driver ended with {}", output.status);
    let told: Json = serde_json::from_slice(&output.stdout)?;
    let seconds = told["seconds"].as_f64().context("how long it took")?;
    let mut alone = Sample::default();
    for one in told["alone_ms"].as_array().into_iter().flatten() {
        alone.push(Duration::from_secs_f64(one.as_f64().unwrap_or_default() / 1000.0));
    }
    let pages = all_pages() as f64;
    Ok(Some(Measured {
        pages_per_second: rate(pages, Duration::from_secs_f64(seconds)),
        // Its start and the small requests are in it too, one page each.
        cpu: cpu.as_secs_f64() * 1000.0 / (pages + SINGLES as f64 + 1.0),
        megabytes,
        alone,
    }))
}

/// A Redis of this run on a port of its own.
fn redis(dir: &Path) -> Result<(Child, String)> {
    let port = testkit::server::free_port().to_string();
    let child = Command::new("redis-server")
        .args([
            "--port",
            &port,
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "yes",
            "--dir",
        ])
        .arg(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .context("redis-server: bench/peers/prepare installs it")?;
    Ok((child, format!("redis://127.0.0.1:{port}/0")))
}

/// A process and its children.
fn family(parent: u32) -> Vec<u32> {
    let path = format!("/proc/{parent}/task/{parent}/children");
    let children = std::fs::read_to_string(path).unwrap_or_default();
    let children = children.split_whitespace().filter_map(|id| id.parse().ok());
    std::iter::once(parent).chain(children).collect()
}

/// Asks the worker to end, so that its children do too.
async fn end(worker: &mut Child) -> Result<()> {
    if let Some(id) = worker.id() {
        Command::new("kill").args(["-TERM", &id.to_string()]).status().await?;
    }
    let _ = tokio::time::timeout(Duration::from_secs(20), worker.wait()).await;
    Ok(())
}
