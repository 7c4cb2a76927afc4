//! What the machine itself takes, measured beside the figures that depend on it.

use std::{fs::File, io::Write as _, time::Instant};

use anyhow::Result;
use db::{Scope, Store, events::NewEvent};
use jiff::Timestamp;
use serde_json::json;

use crate::sample::Sample;

const TIMES: usize = 200;

/// Appends a page to a file and waits for the disk, as any database must for each commit.
pub(crate) fn disk(dir: &std::path::Path) -> Result<Sample> {
    let mut file = File::create(dir.join("floor"))?;
    let mut sample = Sample::default();
    for _ in 0..TIMES {
        let began = Instant::now();
        file.write_all(&[0; 4_096])?;
        file.sync_data()?;
        sample.push(began.elapsed());
    }
    Ok(sample)
}

/// The least decision there is: one row, committed.
pub(crate) async fn commit(url: &str) -> Result<Sample> {
    let store = Store::open(url).await?;
    store.migrate(&[], Timestamp::now()).await?;
    let mut sample = Sample::default();
    for number in 0..TIMES {
        let began = Instant::now();
        let mut decision = store.decide(&Scope::new("floor"), Timestamp::now()).await?;
        let data = json!({ "n": number });
        decision.emit(NewEvent { app: "bench", name: "bench:floor", subject: None, data });
        decision.commit().await?;
        sample.push(began.elapsed());
    }
    store.close().await;
    Ok(sample)
}
