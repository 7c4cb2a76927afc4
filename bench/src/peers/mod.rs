//! The same graph through ours, in every way it can be run, and through Celery: two hundred requests
//! of three to five pages at once, then one small request at a time. One table, in one run.

mod celery;
mod ours;

use std::time::Duration;

use anyhow::Result;

use crate::{
    report::{Limit, Report},
    sample::Sample,
};

/// Requests that are sent at once.
const REQUESTS: usize = 200;
/// Small requests, one after another, on an idle system.
const SINGLES: usize = 30;

/// Of the original: pages per second, CPU per page, memory, and a small request's percentiles.
const ORIGINAL: (f64, f64, f64, f64, f64) = (46.7, 36.0, 841.0, 223.0, 301.0);

/// What one way of running it came to.
#[derive(Debug)]
struct Measured {
    pages_per_second: f64,
    /// Milliseconds of processor time per page; database and broker included, the client not.
    cpu: f64,
    /// What its own processes hold together after all that; the code they share counts once.
    megabytes: f64,
    alone: Sample,
}

/// How many pages a request has.
fn pages(n: usize) -> usize {
    3 + n % 3
}

fn all_pages() -> usize {
    (0..REQUESTS).map(pages).sum()
}

pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let mut rows: Vec<(&str, Measured)> = vec![("ours, SQLite", ours::embedded().await?)];
    if let Some(one) = ours::on_postgres().await? {
        rows.push(("ours, PostgreSQL", one));
    }
    // One node of this run alone, so that nobody else's messages are in its figures.
    if let Some(node) = testkit::broker::node().await {
        if let Some(one) = ours::on_broker(&node).await? {
            rows.push(("ours, PostgreSQL + RabbitMQ", one));
        }
        if let Some(one) = ours::by_component(&node).await? {
            rows.push(("ours, a process per component", one));
        }
        if let Some(one) = celery::measure(&node).await? {
            rows.push(("Celery, no-op tasks", one));
        }
    }
    table(&rows);
    lines(report, &rows);
    Ok(())
}

fn table(rows: &[(&str, Measured)]) {
    println!(
        "{:32} {:>9} {:>13} {:>9} {:>9} {:>9}",
        format!("{REQUESTS} requests, {} pages", all_pages()),
        "pages/s",
        "CPU ms/page",
        "MB",
        "p50 ms",
        "p95 ms"
    );
    let line = |name: &str, (rate, cpu, memory, p50, p95): (f64, f64, f64, f64, f64)| {
        println!("{name:32} {rate:>9.1} {cpu:>13.2} {memory:>9.0} {p50:>9.1} {p95:>9.1}");
    };
    for (name, one) in rows {
        let alone = (one.alone.percentile(50), one.alone.percentile(95));
        line(name, (one.pages_per_second, one.cpu, one.megabytes, alone.0, alone.1));
    }
    line("the original", ORIGINAL);
}

/// What was promised, as lines that pass or fail.
fn lines(report: &mut Report, rows: &[(&str, Measured)]) {
    let (rate, ..) = ORIGINAL;
    let of = |name: &str| rows.iter().find(|(row, _)| *row == name).map(|(_, one)| one);
    let peer = of("Celery, no-op tasks");
    let note = format!("the original did {rate} pages/s");
    for name in ["ours, SQLite", "ours, PostgreSQL"] {
        if let Some(one) = of(name) {
            let times = one.pages_per_second / rate;
            let what = format!("{name}, against the original");
            report.line(what, times, "times", Limit::AtLeast(50.0), &note);
        }
    }
    if let Some(one) = of("ours, PostgreSQL + RabbitMQ") {
        let times = one.pages_per_second / rate;
        let what = "ours with RabbitMQ, against the original";
        report.line(what, times, "times", Limit::AtLeast(30.0), &note);
        let what = "ours with RabbitMQ, CPU per page";
        report.line(what, one.cpu, "ms", Limit::AtMost(2.0), "the original took 36 ms");
        if let Some(peer) = peer {
            let times = one.pages_per_second / peer.pages_per_second;
            let note = format!("Celery did {:.1} pages/s with no-op tasks", peer.pages_per_second);
            let what = "ours with RabbitMQ, against Celery";
            report.line(what, times, "times", Limit::AtLeast(5.0), note);
        }
    }
    if let Some(one) = of("ours, a process per component") {
        let times = one.pages_per_second / rate;
        let what = "a process per component, against the original";
        report.line(what, times, "times", Limit::AtLeast(10.0), &note);
        let what = "a process per component, memory";
        report.line(what, one.megabytes, "MB", Limit::AtMost(400.0), "the original held 841 MB");
        for (percent, most) in [(50, 60.0), (95, 120.0)] {
            let what = format!("a process per component, small request p{percent}");
            let note = "the original took 223 and 301 ms";
            report.line(what, one.alone.percentile(percent), "ms", Limit::AtMost(most), note);
        }
    }
}

fn rate(pages: f64, took: Duration) -> f64 {
    pages / took.as_secs_f64().max(f64::EPSILON)
}
