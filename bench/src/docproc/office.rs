//! The real binary with a workflow that asks nobody, and the requests every part makes.

use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use jiff::Timestamp;
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use testkit::{Client, Options, Turno};

/// The default flow without people: doubt would stop the watch, and that is measured elsewhere.
const WORKFLOW: &str = "\
name: default
description: Everything is accepted
version: 1
sla: {deadline_seconds: 3600}
stages:
  - {name: split, component: splitter, timeout_seconds: 60}
  - {name: ocr, component: ocr, timeout_seconds: 60}
  - {name: classify, component: classifier, confidence_threshold: 0.0}
  - {name: group, component: classification_aggregator}
  - {name: extract, component: extractor, confidence_threshold: 0.0}
  - {name: join, component: extraction_aggregator}
  - {name: consolidate, component: consolidator}
extraction_schemas:
  invoice:
    fields:
      - {name: invoice_number, type: string}
      - {name: total_amount, type: decimal}
      - {name: date, type: date}
  receipt:
    fields:
      - {name: total, type: decimal}
      - {name: date, type: date}
other_types: [other]
";

/// A server with as many reading threads as asked for.
pub(crate) async fn open(database_url: Option<String>, threads: usize) -> Result<Turno> {
    open_with(database_url, threads, Vec::new()).await
}

/// The same with more said by its environment.
pub(crate) async fn open_with(
    database_url: Option<String>,
    threads: usize,
    more: Vec<(String, String)>,
) -> Result<Turno> {
    let dir = std::env::temp_dir().join(format!("turno-bench-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    std::fs::write(dir.join("default.yaml"), WORKFLOW)?;
    let environment = [
        ("TURNO_LOG__LEVEL", "warn".to_owned()),
        ("TURNO_MODELS", super::models().display().to_string()),
        ("DOCPROC_WORKFLOWS_DIR", dir.display().to_string()),
        ("DOCPROC_WORKERS", threads.to_string()),
    ];
    let environment = environment.into_iter().map(|(name, value)| (name.to_owned(), value));
    let arguments = vec!["--apps".to_owned(), "docproc".to_owned()];
    let options = Options {
        database_url,
        environment: environment.chain(more).collect(),
        arguments,
        ..Options::default()
    };
    Ok(Turno::start(options).await)
}

pub(crate) async fn submit(client: &Client, name: &str, bytes: Vec<u8>) -> Result<String> {
    let form = Form::new().part("file", Part::bytes(bytes).file_name(name.to_owned()));
    let answer = client.request(Method::POST, "/process").multipart(form).send().await?;
    let (status, text) = (answer.status(), answer.text().await?);
    ensure!(status.is_success(), "{status}: {text}");
    let told: serde_json::Value = serde_json::from_str(&text)?;
    Ok(told["request_id"].as_str().context("a request has an id")?.to_owned())
}

/// A request that is through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Completed {
    pub pages: u64,
    /// By the server's clock, which is the client's: both are on this machine.
    pub at: Timestamp,
}

/// Waits for the end of a request.
pub(crate) async fn completed(client: &Client, id: &str, ask: Duration) -> Result<Completed> {
    let mut poll = tokio::time::interval(ask);
    poll.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        poll.tick().await;
        let answer = client.get(&format!("/status/{id}")).await.expect(200);
        match answer["status"].as_str() {
            Some("completed") => {
                let at = answer["completed_at"].as_str().context("when it was completed")?;
                let pages = answer["page_count"].as_u64().unwrap_or_default();
                return Ok(Completed { pages, at: at.parse()? });
            }
            Some("failed" | "cancelled") => bail!("{answer}"),
            _ => {}
        }
    }
}
