//! Passing pages on, and nothing else: requests of four text pages sent at once over two hundred
//! connections, as the original system was measured (it with one request each; that would be over
//! here before everything is warm).

use std::time::Duration;

use anyhow::Result;
use jiff::Timestamp;
use tokio::task::JoinSet;

use super::office;
use crate::{
    report::{Limit, Report},
    usage,
};

/// Clients that send one after the other.
const CLIENTS: usize = 200;
const REQUESTS: usize = 2_000;
const PAGES: usize = 4;
const ASK: Duration = Duration::from_millis(20);
/// Pages per second of the original with stubs for OCR, classification and extraction, the median
/// of eight runs on two cores with PostgreSQL and RabbitMQ.
const ORIGINAL: f64 = 46.7;
/// Its processor time per page in milliseconds, database and broker included: the median of five
/// runs. It hangs less on what else runs than the pages per second.
const ORIGINAL_CPU: f64 = 36.1;
/// Megabytes of its own processes after that load.
const ORIGINAL_MEMORY: f64 = 841.0;

struct Measured {
    pages_per_second: f64,
    /// Milliseconds of processor time per page, the database included.
    cpu: f64,
    megabytes: f64,
}

pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    lines(report, "SQLite", &relay(None).await?);
    match testkit::fresh_database().await {
        Some(url) => lines(report, "PostgreSQL", &relay(Some(url)).await?),
        None => eprintln!("no PostgreSQL here: scripts/test-postgres ensure"),
    }
    Ok(())
}

fn lines(report: &mut Report, place: &str, measured: &Measured) {
    let &Measured { pages_per_second, cpu, megabytes } = measured;
    let mut line = |what: &str, figure: f64, unit, limit, note: String| {
        let what = if what.is_empty() { String::new() } else { format!(", {what}") };
        report.line(format!("orchestration alone, {place}{what}"), figure, unit, limit, note);
    };
    let note = format!("{REQUESTS} requests of {PAGES} text pages, read and extracted too");
    line("", pages_per_second, "p/s", Limit::None, note);
    let note = format!("the original did {ORIGINAL} pages/s on two cores, the clients beside it");
    let times = pages_per_second / ORIGINAL;
    line("against the original", times, "times", Limit::AtLeast(50.0), note);
    let note = format!("the original took {ORIGINAL_CPU} ms with its database and broker");
    line("CPU per page", cpu, "ms", Limit::None, note.clone());
    let times = ORIGINAL_CPU / cpu;
    line("CPU per page, times less", times, "times", Limit::AtLeast(50.0), note);
    let note = format!("peak; the original's processes held {ORIGINAL_MEMORY} MB");
    line("memory", megabytes, "MB", Limit::AtMost(ORIGINAL_MEMORY / 10.0), note);
}

async fn relay(database_url: Option<String>) -> Result<Measured> {
    let with_database = database_url.is_some();
    let server = office::open(database_url, 2).await?;
    let client = server.client();
    let warm = office::submit(&client, "warm.txt", text(99_999)).await?;
    office::completed(&client, &warm, ASK).await?;
    let spent = || {
        let database = if with_database { usage::named("postgres") } else { Vec::new() };
        let all = database.into_iter().chain(server.process());
        all.map(usage::cpu).sum::<Duration>()
    };
    let (before, began) = (spent(), Timestamp::now());
    let mut requests = JoinSet::new();
    for sender in 0..CLIENTS {
        let client = client.clone();
        requests.spawn(async move {
            let mut ids = Vec::new();
            for n in (sender..REQUESTS).step_by(CLIENTS) {
                ids.push(office::submit(&client, "pages.txt", text(n)).await?);
            }
            anyhow::Ok(ids)
        });
    }
    let mut ids = Vec::new();
    while let Some(sent) = requests.join_next().await {
        ids.extend(sent??);
    }
    let (mut pages, mut ended) = (0, began);
    for id in ids {
        let completed = office::completed(&client, &id, ASK).await?;
        pages += completed.pages;
        ended = ended.max(completed.at);
    }
    anyhow::ensure!(pages == (REQUESTS * PAGES) as u64, "{pages} pages came out");
    let pages = pages as f64;
    Ok(Measured {
        pages_per_second: pages / began.duration_until(ended).as_secs_f64(),
        cpu: spent().saturating_sub(before).as_secs_f64() * 1000.0 / pages,
        megabytes: server.process().map(usage::peak_megabytes).unwrap_or_default(),
    })
}

/// A few words per page: what is measured is the way, not the reading.
fn text(n: usize) -> Vec<u8> {
    let page = |page: usize| {
        format!(
            "Factura número F-{n:05}\nFecha 12/03/2026\nPágina {page} de {PAGES}\nTotal 12,50 EUR\n"
        )
    };
    (1..=PAGES).map(page).collect::<Vec<_>>().join("\u{c}").into_bytes()
}
