//! S-20 of `DocProc`: the real binary, killed with `kill -9` again and again while it works
//! on documents. Whatever was accepted completes, with every page in one document and every join
//! complete.

use std::{path::PathBuf, time::Duration};

use reqwest::multipart::{Form, Part};
use serde_json::{Value as Json, json};
use testkit::{Client, Options, Turno};

const PAGES: usize = 4;

/// The default flow without people: nothing waits, whatever the confidence.
pub(crate) const FLOW: &str = "
name: unattended
sla: {deadline_seconds: 600}
retry: {attempts: 4, base_seconds: 0.05, max_seconds: 0.5}
stages:
  - {name: split, component: splitter}
  - {name: ocr, component: ocr}
  - {name: classify, component: classifier}
  - {name: group, component: classification_aggregator}
  - {name: extract, component: extractor}
  - {name: join, component: extraction_aggregator}
  - {name: consolidate, component: consolidator}
extraction_schemas:
  invoice:
    fields: [{name: invoice_number, type: string}, {name: total_amount, type: decimal}]
  contract:
    fields: [{name: company, type: string}]
other_types: [other]
";

struct Files {
    dir: PathBuf,
}

impl Files {
    fn new(name: &str) -> Self {
        let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("docproc-crash-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(dir.join("workflows")).expect("the target directory is writable");
        std::fs::write(dir.join("workflows/unattended.yaml"), FLOW).expect("writable");
        Self { dir }
    }

    fn options(&self, component: &str, database_url: Option<&str>) -> Options {
        let path = |part: &str| self.dir.join(part).display().to_string();
        let set = |name: &str, value: String| (name.to_owned(), value);
        Options {
            database_url: database_url.map(str::to_owned),
            environment: vec![
                set("DOCPROC_WORKFLOWS_DIR", path("workflows")),
                set("DOCPROC_STORAGE_PATH", path("files")),
                set("DOCPROC_COMPONENT_NAME", component.to_owned()),
            ],
            arguments: vec!["--apps".to_owned(), "docproc".to_owned()],
            ..Options::default()
        }
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.dir);
        }
    }
}

/// The id of an accepted request; `None` when the server was gone, and then it may exist or not.
async fn send(client: &Client, n: usize) -> Option<String> {
    let invoice = format!("FACTURA\nFactura n.º: F-{n}\nFecha: 12/03/2024\nTotal: 121,00 €");
    let contract = "CONTRATO DE TRABAJO\nDe una parte la empresa Norte S.L.";
    let text = [invoice.as_str(), contract, contract, invoice.as_str()].join("\u{c}");
    let form = Form::new()
        .part("file", Part::text(text).file_name(format!("{n}.txt")))
        .text("workflow", "unattended");
    let request = client.request(reqwest::Method::POST, "/process");
    let answer = request.multipart(form).send().await.ok()?;
    let status = answer.status();
    let body: Json = answer.json().await.ok()?;
    assert_eq!(status, 200, "{body}");
    Some(body["request_id"].as_str().expect("an id").to_owned())
}

async fn check(client: &Client, accepted: &[String]) {
    let mut poll = tokio::time::interval(Duration::from_millis(50));
    let began = std::time::Instant::now();
    for id in accepted {
        let path = format!("/status/{id}");
        let status = loop {
            poll.tick().await;
            let status = client.get(&path).await.expect(200);
            if status["status"] == "completed" {
                break status;
            }
            assert_ne!(status["status"], "failed", "{status}");
            assert!(began.elapsed() < Duration::from_mins(2), "still {status}");
        };
        let documents = status["result"]["documents"].as_array().expect("documents");
        let mut pages: Vec<u64> = documents
            .iter()
            .flat_map(|one| one["page_indices"].as_array().expect("pages").clone())
            .map(|page| page.as_u64().expect("a number"))
            .collect();
        pages.sort_unstable();
        assert_eq!(pages, (0..PAGES as u64).collect::<Vec<_>>(), "every page once: {status}");
        let detail = client.get(&format!("/api/docproc/requests/{id}")).await.expect(200);
        for join in detail["fan_in"].as_array().expect("joins") {
            assert_eq!(join["received"], join["expected"], "{detail}");
        }
        let extractions = detail["timeline"].as_array().expect("a timeline");
        let extractions = extractions.iter().filter(|one| one["stage"] == "extract").count();
        assert_eq!(extractions, documents.len(), "one extraction each");
    }
    let dead = client.get("/api/docproc/dead-letters").await.expect(200);
    assert_eq!(dead["items"], json!([]));
    // A request whose answer was lost is there whole or not at all; none stands still.
    let open = client.get("/api/docproc/requests?status=open&limit=500").await.expect(200);
    for request in open["items"].as_array().expect("requests") {
        let id = request["id"].as_str().expect("an id").to_owned();
        Box::pin(check(client, &[id])).await;
    }
}

#[tokio::test]
async fn one_process_on_one_file_killed_under_load() {
    let files = Files::new("sqlite");
    let mut turno = Turno::start(files.options("", None)).await;
    let mut accepted = Vec::new();
    let kills = testkit::rounds(30);
    for kill in 0..kills {
        let client = turno.client();
        let sending = async {
            let mut ids = Vec::new();
            for n in 0..7 {
                ids.extend(send(&client, kill * 7 + n).await);
            }
            ids
        };
        let timeout = tokio::time::sleep(Duration::from_millis(40 + 13 * (kill as u64 % 9)));
        accepted.extend(sending.await);
        timeout.await;
        turno.kill().await;
        turno.restart().await;
    }
    assert_eq!(accepted.len(), kills * 7);
    check(&turno.client(), &accepted).await;
    println!("{} requests, {kills} kills: all complete, every page once", kills * 7);
}

#[tokio::test]
async fn a_process_per_component_killed_under_load() {
    let Some(url) = testkit::fresh_database().await else { return };
    let files = Files::new("postgres");
    let door = Turno::start(files.options("api_gateway", Some(&url))).await;
    let mut workers = Vec::new();
    for component in ["workflow_router", "splitter", "ocr", "classifier", "extractor"] {
        workers.push(Turno::start(files.options(component, Some(&url))).await);
    }
    let mut accepted = Vec::new();
    let rounds = testkit::rounds(8);
    for round in 0..rounds {
        for victim in &mut workers {
            for n in 0..5 {
                accepted.extend(send(&door.client(), round * 100 + n).await);
            }
            victim.kill().await;
            victim.restart().await;
        }
    }
    assert_eq!(accepted.len(), rounds * 25);
    check(&door.client(), &accepted).await;
    println!("{} requests, {rounds} kills of each of 5 workers: all complete", rounds * 25);
}
