//! Orders pour in for twenty seconds while the kitchen is full.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use tokio::task::JoinSet;

use crate::{
    floor,
    report::{Limit, Report},
    sample::Sample,
    shop::{self, CAPACITY},
};

const LASTS: Duration = Duration::from_secs(20);
const CLIENTS: usize = 16;

pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let server = shop::open(None).await;
    let client = server.client();
    for _ in 0..CAPACITY {
        shop::create(&client).await?;
    }
    let dir = server.data_dir();
    let bare = floor::commit(&format!("sqlite://{}", dir.join("floor.db").display())).await?;
    let began = Instant::now();
    let mut running = JoinSet::new();
    for _ in 0..CLIENTS {
        let client = server.client();
        running.spawn(async move {
            let mut sample = Sample::default();
            while began.elapsed() < LASTS {
                let asked = Instant::now();
                shop::create(&client).await?;
                sample.push(asked.elapsed());
            }
            Ok::<_, anyhow::Error>(sample)
        });
    }
    let mut sample = Sample::default();
    while let Some(done) = running.join_next().await {
        sample.extend(done??);
    }
    let rate = sample.len() as f64 / began.elapsed().as_secs_f64();
    let capacity = client.get("/pedidos/capacidad").await.expect(200);
    let cooking = client.get("/pedidos?estado=EN_PREPARACION").await.expect(200);
    let cooking = cooking.as_array().map_or(0, Vec::len);
    ensure!(capacity["pedidosEnPreparacion"] == CAPACITY && cooking == CAPACITY, "{capacity}");
    let alone = 1_000.0 / bare.percentile(50);
    let note = format!(
        "{:.1} times the bare commits one after another ({alone:.0}/s); {CLIENTS} clients, {} \
         orders, {cooking} of {CAPACITY} cook",
        rate / alone,
        sample.len()
    );
    report.line("orders taken, kitchen full", rate, "/s", Limit::AtLeast(200.0), note);
    let note = format!("p50 {:.2} ms", sample.percentile(50));
    report.line("order taken p99", sample.percentile(99), "ms", Limit::None, note);
    Ok(())
}
