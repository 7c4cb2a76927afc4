//! §17 of `DocProc`, step by step on what `make up` starts: every service of the compose file as a
//! process, PostgreSQL, RabbitMQ. Documents go in, people answer, and the broker's own figures say
//! that each went through its queue.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use reqwest::multipart::{Form, Part};
use serde_json::{Value as Json, json};
use testkit::{Answer, Client, server::binary};

use crate::machines::Cluster;

/// Long enough for reading a scan on a busy machine with two cores.
const COMPLETED_WITHIN: Duration = Duration::from_mins(3);

#[tokio::test]
async fn the_whole_cluster_takes_a_document_from_the_door_to_the_answer() {
    // 1. `make up`: RabbitMQ, PostgreSQL and every component.
    let Some(cluster) = Cluster::up().await else { return };
    let started = cluster.ps();
    assert_eq!(started.len(), 13, "{started:?}");
    assert!(started.values().all(|(_, health)| health == "ready"), "{started:?}");
    cluster.must(&["up"]);
    assert_eq!(cluster.ps(), started, "a second time changes nothing");
    each_component_goes_by_its_own_name(&cluster).await;
    // 2. The tables are there.
    cluster.must(&["migrate"]);
    // 3. A document for each way through: a scan, and a page that nobody but a person can name.
    let door = cluster.client("api-gateway");
    let scan = std::fs::read(scan(&cluster.home)).unwrap();
    let scanned = send(&door, "scan.pdf", scan).await;
    let riddle = send(&door, "riddle.txt", b"qwrt zxcv plmk\nvbnm sdfg".to_vec()).await;
    // 4. and 5. Both complete; whatever is asked on port 8001 is answered there.
    let asked = completes(&cluster, &[&scanned, &riddle]).await;
    assert!(asked.contains_key("classification"), "{asked:?}");
    // 6. Queue by queue, as RabbitMQ itself tells it.
    let mut expected = vec!["workflow_router", "splitter", "ocr", "classifier", "extractor"];
    let people: Vec<String> = asked.keys().map(|kind| format!("backoffice.{kind}")).collect();
    expected.extend(people.iter().map(String::as_str));
    passed_through(&cluster, &expected).await;
    // What `make down` leaves behind is data.
    let before = cluster.ps();
    cluster.must(&["down"]);
    assert!(cluster.ps().values().all(|(process, health)| process == "-" && health == "down"));
    for (process, _) in before.values() {
        assert!(!lives(process), "{process} outlived make down");
    }
    cluster.must(&["up"]);
    let again = status(&cluster.client("api-gateway"), &scanned).await;
    assert_eq!(again["status"], "completed", "what was known is known: {again}");
}

async fn each_component_goes_by_its_own_name(cluster: &Cluster) {
    for service in ["ocr", "classification-aggregator", "sla-monitor", "consolidator"] {
        let component = service.replace('-', "_");
        let said = cluster.client(service).get("/ready").await.expect(200);
        assert_eq!(said["component"], component.as_str(), "{said}");
        let address = cluster.must(&["address", service]);
        let figures = http_client::client().get(format!("{address}/metrics")).send().await.unwrap();
        let line = format!("docproc_component_info{{component=\"{component}\"}} 1");
        let figures = figures.text().await.unwrap();
        assert!(figures.contains(&line), "{service}: {figures}");
        let log = std::fs::read_to_string(cluster.home.join(format!("log/{service}.log"))).unwrap();
        assert!(log.contains(&format!("\"component\":\"{component}\"")), "{log}");
    }
    let targets = std::fs::read_to_string(cluster.home.join("prometheus.yml")).unwrap();
    assert_eq!(targets.matches("job_name").count(), 12, "every process and the broker: {targets}");
}

/// A page that was printed and scanned.
fn scan(home: &Path) -> PathBuf {
    let out = home.join("samples");
    let made = Command::new(binary())
        .args(["sim", "documentos", "--count", "1", "--wear", "scanned", "--out"])
        .arg(&out)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let files = std::fs::read_dir(&out).unwrap().map(|file| file.unwrap().path());
    let is_document = |path: &PathBuf| path.extension().is_some_and(|kind| kind != "json");
    files.filter(is_document).min().expect("a document was made")
}

async fn send(door: &Client, name: &str, bytes: Vec<u8>) -> String {
    let form = Form::new()
        .part("file", Part::bytes(bytes).file_name(name.to_owned()))
        .text("metadata", r#"{"client":"test"}"#)
        .text("channel", "api")
        .text("workflow", "default");
    let request = door.request(reqwest::Method::POST, "/process").multipart(form);
    let said: Json = request.send().await.unwrap().json().await.unwrap();
    assert_eq!(said["status"], "received", "{said}");
    said["request_id"].as_str().unwrap().to_owned()
}

async fn status(door: &Client, request: &str) -> Json {
    door.get(&format!("/status/{request}")).await.expect(200)
}

/// Looks after the requests until all are completed, as an operator would; gives how many tasks of
/// each kind were answered.
async fn completes(cluster: &Cluster, requests: &[&str]) -> BTreeMap<String, usize> {
    let (door, people) = (cluster.client("api-gateway"), cluster.client("backoffice"));
    let (began, mut asked) = (Instant::now(), BTreeMap::new());
    let mut look = tokio::time::interval(Duration::from_millis(250));
    loop {
        look.tick().await;
        let mut open = Vec::new();
        for request in requests {
            let now = status(&door, request).await;
            if now["status"] != "completed" {
                open.push(now);
            }
        }
        if open.is_empty() {
            return asked;
        }
        assert!(
            began.elapsed() < COMPLETED_WITHIN,
            "still open after {COMPLETED_WITHIN:?}: {open:?}"
        );
        let tasks = people.get("/api/tasks?status=pending").await.expect(200);
        for task in tasks.as_array().into_iter().flatten() {
            answer(&people, task).await;
            *asked.entry(task["task_type"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
}

/// Takes a task and answers it: any type for a page, for a document what the machine had found.
async fn answer(people: &Client, task: &Json) {
    let id = task["id"].as_str().unwrap();
    let mut said = vec![("operator", "operador1".to_owned())];
    post(people, &format!("/tasks/{id}/claim"), &said).await;
    if task["task_type"] == "classification" {
        said.push(("doc_type", "receipt".to_owned()));
    } else {
        let mut found = task["input_data"]["extracted_data"].clone();
        for field in task["input_data"]["fields"].as_array().unwrap() {
            let missing = field["value"].is_null() && field["required"] == true;
            if missing {
                found[field["name"].as_str().unwrap()] = json!("1.00");
            }
        }
        said.push(("extracted_data", found.to_string()));
    }
    post(people, &format!("/tasks/{id}/submit"), &said).await;
}

/// A form as a browser sends it.
async fn post(people: &Client, path: &str, said: &[(&str, String)]) {
    let encoded = |text: &str| -> String {
        let one = |byte: u8| {
            let plain = byte.is_ascii_alphanumeric();
            if plain { char::from(byte).to_string() } else { format!("%{byte:02X}") }
        };
        text.bytes().map(one).collect()
    };
    let fields: Vec<String> =
        said.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    let request = people
        .request(reqwest::Method::POST, path)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(fields.join("&"));
    let answer = Answer::of(request, path).await;
    assert!(answer.status < 400, "{path} {said:?}: {answer:?}");
}

/// Waits for the broker's figures, which it sums up every few seconds.
async fn passed_through(cluster: &Cluster, queues: &[&str]) {
    let began = Instant::now();
    let mut look = tokio::time::interval(Duration::from_millis(500));
    loop {
        look.tick().await;
        let figures = cluster.queues().await;
        let settled = |queue: &&str| {
            figures.get(&format!("q.{queue}")).is_some_and(|(came, here)| *came > 0 && *here == 0)
        };
        if queues.iter().all(settled) {
            let dead = figures["q.dead_letters"];
            assert_eq!(dead, (0, 0), "nothing was given up: {figures:?}");
            return;
        }
        let late = began.elapsed() > Duration::from_secs(30);
        assert!(!late, "expected through {queues:?}, the broker says {figures:?}");
    }
}

/// Whether a process is there, and not only waiting to be buried.
fn lives(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}
