//! One entry, a hundred screens.

use std::{collections::HashMap, time::Instant};

use anyhow::Result;
use tokio::{sync::mpsc, task::JoinSet};

use crate::{
    report::{Limit, Report},
    sample::Sample,
    shop,
    stream::{Heard, Stream},
};

const SCREENS: usize = 100;
const TIMES: usize = 50;

pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let server = shop::open(None).await;
    let client = server.client();
    let (sender, mut heard) = mpsc::unbounded_channel::<Heard>();
    let mut screens = JoinSet::new();
    for _ in 0..SCREENS {
        let mut stream = Stream::open(&server.client()).await?;
        let sender = sender.clone();
        screens.spawn(async move {
            while let Ok(heard) = stream.next().await {
                if heard.is_entry() && sender.send(heard).is_err() {
                    return;
                }
            }
        });
    }
    let mut arrivals: HashMap<i64, Vec<Instant>> = HashMap::new();
    let mut sample = Sample::default();
    for _ in 0..TIMES {
        let began = Instant::now();
        let id = shop::create(&client).await?;
        while arrivals.get(&id).map_or(0, Vec::len) < SCREENS {
            let Some(heard) = heard.recv().await else { anyhow::bail!("every screen left") };
            arrivals.entry(heard.order().unwrap_or_default()).or_default().push(heard.at);
        }
        for at in arrivals.remove(&id).unwrap_or_default() {
            sample.push(at - began);
        }
        shop::ready(&client, id).await?;
    }
    let note = format!(
        "{} arrivals on {SCREENS} screens, the clients on the same processors; p50 {:.2} ms",
        sample.len(),
        sample.percentile(50)
    );
    let limit = Limit::AtMost(50.0);
    report.line("order to entry seen on 100 screens p99", sample.percentile(99), "ms", limit, note);
    Ok(())
}
