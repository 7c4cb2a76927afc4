//! Ours, as one process on either database, with a broker, and as one process per component.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use jiff::Timestamp;
use testkit::{
    Client, Turno,
    broker::{Node, Vhost},
};
use tokio::task::JoinSet;

use super::{Measured, REQUESTS, SINGLES, all_pages, pages, rate};
use crate::{docproc::office, sample::Sample, usage};

const ASK: Duration = Duration::from_millis(20);
/// How finely one small request is looked at.
const ASK_ALONE: Duration = Duration::from_millis(2);
const THREADS: usize = 2;
const WARM_UP: usize = 5;
/// Every process of `compose.yaml`, the door first.
const PROCESSES: [&str; 11] = [
    "api_gateway",
    "backoffice",
    "workflow_router",
    "splitter",
    "ocr",
    "classifier",
    "classification_aggregator",
    "extractor",
    "extraction_aggregator",
    "consolidator",
    "sla_monitor",
];

pub(super) async fn embedded() -> Result<Measured> {
    let server = office::open(None, THREADS).await?;
    through(&[server], Vec::new).await
}

pub(super) async fn on_postgres() -> Result<Option<Measured>> {
    let Some(url) = testkit::fresh_database().await else { return Ok(None) };
    let server = office::open(Some(url), THREADS).await?;
    through(&[server], || usage::named("postgres")).await.map(Some)
}

pub(super) async fn on_broker(node: &Node) -> Result<Option<Measured>> {
    let Some(cluster) = Cluster::find(node).await else { return Ok(None) };
    let server =
        office::open_with(Some(cluster.database.clone()), THREADS, cluster.broker()).await?;
    through(&[server], || cluster.processes()).await.map(Some)
}

pub(super) async fn by_component(node: &Node) -> Result<Option<Measured>> {
    let Some(cluster) = Cluster::find(node).await else { return Ok(None) };
    let files = std::env::temp_dir().join(format!("turno-bench-files-{}", std::process::id()));
    let mut servers = Vec::new();
    for component in PROCESSES {
        let mut set = cluster.broker();
        set.push(("DOCPROC_COMPONENT_NAME".to_owned(), component.to_owned()));
        set.push(("DOCPROC_STORAGE_PATH".to_owned(), files.display().to_string()));
        // Eleven processes on one machine: the seed's ports would be taken by the first.
        set.push(("DOCPROC_HEALTH_PORT".to_owned(), testkit::server::free_port().to_string()));
        set.push(("DOCPROC_BACKOFFICE_PORT".to_owned(), "off".to_owned()));
        servers.push(office::open_with(Some(cluster.database.clone()), THREADS, set).await?);
    }
    let measured = through(&servers, || cluster.processes()).await;
    let _ = std::fs::remove_dir_all(&files);
    measured.map(Some)
}

/// A database and a virtual host of this run.
struct Cluster {
    database: String,
    vhost: Vhost,
    node: Option<u32>,
}

impl Cluster {
    async fn find(node: &Node) -> Option<Self> {
        let database = testkit::fresh_database().await?;
        Some(Self { database, vhost: node.vhost().await, node: node.process().await })
    }

    fn broker(&self) -> Vec<(String, String)> {
        vec![("DOCPROC_RABBITMQ_URL".to_owned(), self.vhost.url.clone())]
    }

    fn processes(&self) -> Vec<u32> {
        usage::named("postgres").into_iter().chain(self.node).collect()
    }
}

/// All requests at once, then one at a time; the first server is the door. `beside` lists the
/// processes that work for them.
async fn through(servers: &[Turno], beside: impl Fn() -> Vec<u32>) -> Result<Measured> {
    let client = servers[0].client();
    for n in 0..WARM_UP {
        let warm = office::submit(&client, "warm.txt", text(90_000 + n, 1)).await?;
        office::completed(&client, &warm, ASK).await?;
    }
    let own = || servers.iter().filter_map(Turno::process);
    let spent = || -> BTreeMap<u32, Duration> {
        own().chain(beside()).map(|process| (process, usage::cpu(process))).collect()
    };
    let (before, began) = (spent(), Timestamp::now());
    let mut sending = JoinSet::new();
    for n in 0..REQUESTS {
        let client = client.clone();
        sending.spawn(async move { office::submit(&client, "pages.txt", text(n, pages(n))).await });
    }
    let (mut done, mut ended) = (0, began);
    for id in sending.join_all().await {
        let completed = office::completed(&client, &id?, ASK).await?;
        done += completed.pages;
        ended = ended.max(completed.at);
    }
    ensure!(done == all_pages() as u64, "{done} pages came out");
    let took = Duration::try_from(began.duration_until(ended))?;
    let cpu = since(&before, &spent()).as_secs_f64() * 1000.0 / done as f64;
    let megabytes = own().map(usage::own_megabytes).sum();
    let alone = alone(&client).await?;
    Ok(Measured { pages_per_second: rate(done as f64, took), cpu, megabytes, alone })
}

/// What processes have spent since; one that began meanwhile, as PostgreSQL has one for each
/// connection, all of its time.
fn since(before: &BTreeMap<u32, Duration>, after: &BTreeMap<u32, Duration>) -> Duration {
    let begun = |process| before.get(process).copied().unwrap_or_default();
    after.iter().map(|(process, spent)| spent.saturating_sub(begun(process))).sum()
}

async fn alone(client: &Client) -> Result<Sample> {
    let mut sample = Sample::default();
    for n in 0..SINGLES {
        let began = Instant::now();
        let id = office::submit(client, "one.txt", text(50_000 + n, 1)).await?;
        office::completed(client, &id, ASK_ALONE).await?;
        sample.push(began.elapsed());
    }
    Ok(sample)
}

/// A few words per page: what is measured is the way, not the reading.
fn text(n: usize, pages: usize) -> Vec<u8> {
    let page = |page: usize| {
        format!("Factura número F-{n:05}\nFecha 12/03/2026\nPágina {page}\nTotal 12,50 EUR\n")
    };
    (1..=pages).map(page).collect::<Vec<_>>().join("\u{c}").into_bytes()
}
