//! R-15c with the real binary: files in S3, the process killed with `kill -9` while it works.

use std::{path::PathBuf, time::Duration};

use reqwest::multipart::{Form, Part};
use serde_json::Value as Json;
use testkit::{Client, Options, S3Server, Turno};

use crate::cli::WORKFLOW;

const ROUNDS: usize = 4;
/// Larger than one part of an upload.
const LARGE: usize = 6 << 20;

/// A document of so many bytes: what is added is a remark that no reader looks at.
fn pdf(seed: u64, bytes: usize) -> Vec<u8> {
    let invoice = samples::generate(samples::Kind::Invoice, samples::Lang::Es, seed);
    let mut pdf = samples::pdf(&[&invoice]);
    let end = pdf.windows(9).rposition(|word| word == b"startxref").unwrap();
    let tail = pdf.split_off(end);
    while pdf.len() + tail.len() < bytes {
        pdf.extend_from_slice(b"%a remark that goes on and on and on and on and on and on\n");
    }
    pdf.extend(tail);
    pdf
}

pub(crate) async fn send(client: &Client, round: u64) -> String {
    let file = |name: &'static str, bytes| Part::bytes(bytes).file_name(name);
    let form = Form::new()
        .part("file", file("large.pdf", pdf(round, LARGE)))
        .part("file", file("small.pdf", pdf(round + 100, 0)))
        .part("file", file("middle.pdf", pdf(round + 200, 100 << 10)));
    let request = client.request(reqwest::Method::POST, "/process").multipart(form);
    let answer: Json = request.send().await.unwrap().json().await.unwrap();
    answer["request_id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// Waits until a request is completed.
pub(crate) async fn completed(client: &Client, id: &str) -> Json {
    let mut poll = tokio::time::interval(Duration::from_millis(50));
    loop {
        poll.tick().await;
        let now = client.get(&format!("/status/{id}")).await.expect(200);
        if now["status"] == "completed" {
            return now;
        }
        assert_ne!(now["status"], "failed", "{now}");
    }
}

#[tokio::test]
async fn files_in_s3_outlive_a_process_that_is_killed() {
    let Some(server) = S3Server::start().await else { return };
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("docproc-storage-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("default.yaml"), WORKFLOW).unwrap();
    let mut environment = server.environment("crash");
    environment.push(("DOCPROC_WORKFLOWS_DIR".to_owned(), dir.display().to_string()));
    let arguments = vec!["--apps".to_owned(), "docproc".to_owned()];
    let mut turno = Turno::start(Options { environment, arguments, ..Options::default() }).await;
    let mut ids = Vec::new();
    for round in 0..ROUNDS {
        ids.push(send(&turno.client(), round as u64).await);
        tokio::time::sleep(Duration::from_millis(30 * round as u64)).await;
        turno.kill().await;
        turno.restart().await;
    }
    for id in &ids {
        let ended = completed(&turno.client(), id).await;
        assert_eq!(ended["document_count"], 3, "{ended}");
    }
    assert!(!turno.data_dir().join("docproc").exists(), "nothing is kept on this machine");
    let logs = turno.logs();
    assert!(!logs.contains(&server.secret), "a secret was logged");
    std::fs::remove_dir_all(&dir).unwrap();
}
