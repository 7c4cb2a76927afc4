//! From the request that creates an order to the event that says it cooks, at a client's end.

use std::time::Instant;

use anyhow::Result;

use crate::{
    floor,
    report::{Limit, Report},
    sample::Sample,
    shop,
    stream::Stream,
};

const TIMES: usize = 300;

pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let server = shop::open(None).await;
    let dir = server.data_dir();
    let disk = floor::disk(&dir)?;
    let bare = floor::commit(&format!("sqlite://{}", dir.join("floor.db").display())).await?;
    let entry = entries(&server.client()).await?;
    let again = floor::disk(&dir)?;
    let note = format!("page + fsync, {:.2} ms after the run", again.percentile(99));
    report.line("disk p99", disk.percentile(99), "ms", Limit::None, note);
    lines(report, "SQLite", &entry, &bare, Limit::AtMost(20.0));
    if let Some(url) = testkit::fresh_database().await {
        let bare = floor::commit(&url).await?;
        let server = shop::open(testkit::fresh_database().await).await;
        let entry = entries(&server.client()).await?;
        lines(report, "PostgreSQL", &entry, &bare, Limit::None);
    }
    Ok(())
}

fn lines(report: &mut Report, place: &str, entry: &Sample, bare: &Sample, limit: Limit) {
    for (percent, limit) in [(50, Limit::None), (99, limit)] {
        let (figure, least) = (entry.percentile(percent), bare.percentile(percent));
        let ratio = figure / least;
        let note = format!("{ratio:.1} times one bare commit ({least:.2} ms)");
        report.line(format!("order to entry seen, {place} p{percent}"), figure, "ms", limit, note);
    }
}

/// One order at a time into an empty kitchen; the place is given back before the next.
async fn entries(client: &testkit::Client) -> Result<Sample> {
    let mut stream = Stream::open(client).await?;
    let mut sample = Sample::default();
    for round in 0..TIMES + 20 {
        let began = Instant::now();
        let id = shop::create(client).await?;
        let heard = loop {
            let heard = stream.next().await?;
            if heard.is_entry() && heard.order() == Some(id) {
                break heard;
            }
        };
        // The first ones fill caches and open connections.
        if round >= 20 {
            sample.push(heard.at - began);
        }
        shop::ready(client, id).await?;
    }
    Ok(sample)
}
