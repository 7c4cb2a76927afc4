//! Passing pages on, and nothing else: requests of four text pages as fast as they are taken, as
//! the original system was measured (it with two hundred requests; that would be over here before
//! everything is warm).

use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::task::JoinSet;

use super::office;
use crate::report::{Limit, Report};

const REQUESTS: usize = 1_000;
/// Clients that send one after the other.
const CLIENTS: usize = 16;
const PAGES: usize = 4;
const ASK: Duration = Duration::from_millis(20);
/// Pages per second of the original with stubs for OCR, classification and extraction, the median
/// of eight runs on two cores with PostgreSQL and RabbitMQ.
const ORIGINAL: f64 = 46.7;

pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let embedded = pages_per_second(None).await?;
    line(report, "SQLite", embedded);
    match testkit::fresh_database().await {
        Some(url) => line(report, "PostgreSQL", pages_per_second(Some(url)).await?),
        None => eprintln!("no PostgreSQL here: scripts/test-postgres ensure"),
    }
    Ok(())
}

fn line(report: &mut Report, place: &str, rate: f64) {
    let what = format!("orchestration alone, {place}");
    let note = format!("{REQUESTS} requests of {PAGES} text pages, read and extracted too");
    report.line(&what, rate, "p/s", Limit::None, note);
    let note = format!("the original did {ORIGINAL} pages/s on two cores");
    let what = format!("{what}, against the original");
    report.line(what, rate / ORIGINAL, "times", Limit::AtLeast(50.0), note);
}

async fn pages_per_second(database_url: Option<String>) -> Result<f64> {
    let server = office::open(database_url, 2).await?;
    let client = server.client();
    let warm = office::submit(&client, "warm.txt", text(9_999)).await?;
    office::completed(&client, &warm, ASK).await?;
    let began = Instant::now();
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
    let mut pages = 0;
    for id in ids {
        pages += office::completed(&client, &id, ASK).await?;
    }
    anyhow::ensure!(pages == (REQUESTS * PAGES) as u64, "{pages} pages came out");
    Ok(pages as f64 / began.elapsed().as_secs_f64())
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
