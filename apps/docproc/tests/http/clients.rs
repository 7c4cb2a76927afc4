//! Components in other languages as their authors run them: real processes that fetch by HTTP, or
//! consume their queue.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use broker::{Broker, Topology};
use docproc::Part;
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use testkit::broker::Vhost;

use crate::{
    broker::{carried, depth, publish, services},
    office::{Office, on_both, on_sqlite},
};

/// A process that ends with its test.
struct Component(Child);

impl Drop for Component {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Component {
    /// Ends in order: what is under way is finished first.
    fn terminate(mut self) -> bool {
        let asked = Command::new("kill").arg(self.0.id().to_string()).status().unwrap();
        assert!(asked.success());
        self.0.wait().unwrap().success()
    }
}

fn clients() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../clients")
}

/// The same command as in the client's README.
fn python(office: &Office, dir: &Path, component: &str) -> Component {
    run("python3".as_ref(), dir, &[component, "--url", office.client.base()])
}

/// With `pika`, which only the tests' own Python is sure to have.
fn consuming(vhost: &Vhost, dir: &Path) -> Component {
    run(&testkit::python(), dir, &["mi_modulo:MiComponente", "--amqp", &vhost.url])
}

fn run(python: &Path, dir: &Path, arguments: &[&str]) -> Component {
    let mut command = Command::new(python);
    command.args(["-m", "turno_components"]).args(arguments);
    command.env("PYTHONPATH", clients().join("python")).current_dir(dir);
    let log = fs::File::create(dir.join("component.log")).unwrap();
    command.stdout(Stdio::null()).stderr(log);
    Component(command.spawn().expect("python3 is needed: apt-get install python3"))
}

/// The class of §15b, with only its imports changed, and what it needs to be watched: it says that
/// it began, and waits while it is told to.
const CLASS: &str = r#"
import asyncio
from pathlib import Path
from turno_components import BaseComponent
from turno_components import PipelineMessage
from turno_components import AsyncSession

class MiComponente(BaseComponent):
    component_name = "mi_componente"

    async def setup(self):
        self.hold = Path("hold")

    async def process_message(
        self, message: PipelineMessage, session: AsyncSession
    ) -> list[tuple[str, PipelineMessage]]:
        Path("began").touch()
        while self.hold.exists():
            await asyncio.sleep(0.02)
        resultado = message.model_copy(update={
            "source_component": self.component_name,
            "payload": {**message.payload, "nuevo_dato": "valor", "doc_type": "letter"},
        })
        return [("__next__", resultado)]
"#;

fn flow(name: &str, component: &str, seconds: u32) -> String {
    format!(
        "name: {name}\nstages:\n  - {{name: split, component: splitter}}\n  \
         - {{name: ocr, component: ocr}}\n  \
         - {{name: mine, component: {component}, timeout_seconds: {seconds}}}\n  \
         - {{name: group, component: classification_aggregator}}\n  \
         - {{name: consolidate, component: consolidator}}\n\
         extraction_schemas: {{}}\nother_types: [invoice, letter]\n"
    )
}

async fn appears(file: &Path) {
    let began = Instant::now();
    let mut poll = tokio::time::interval(Duration::from_millis(10));
    while !file.exists() {
        poll.tick().await;
        assert!(began.elapsed() < Duration::from_mins(1), "{} never came", file.display());
    }
}

async fn timeline(office: &Office, id: &str) -> Json {
    let detail = office.detail(id).await;
    let all = detail["timeline"].as_array().unwrap();
    all.iter().find(|one| one["stage"] == "mine").unwrap().clone()
}

/// Until when the message of the stage is lent.
async fn lease(office: &Office) -> Timestamp {
    let mut tx = office.context().store.read().await.unwrap();
    let sql = "SELECT lease_until FROM messages WHERE stage = 'mine'";
    tx.one(sql, &[]).await.unwrap().get("lease_until").unwrap()
}

#[tokio::test]
async fn a_class_of_the_original_runs_dies_and_is_replaced() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        office.workflow("mia", &flow("mia", "mi_componente", 2)).await;
        let dir = with_the_class(desk.dir.join("component"));
        let first = python(&office, &dir, "mi_modulo:MiComponente");
        let id = office.pages(&["Querida Ana:"], "mia").await;
        appears(&dir.join("began")).await;
        // While it works it asks for more time.
        let lent = lease(&office).await;
        let mut poll = tokio::time::interval(Duration::from_millis(20));
        while lease(&office).await <= lent {
            poll.tick().await;
        }
        let at_it = timeline(&office, &id).await;
        assert_eq!((&at_it["state"], &at_it["attempt"]), (&json!("CLAIMED"), &json!(1)));
        drop(first);
        fs::remove_file(dir.join("hold")).unwrap();
        let second = python(&office, &dir, "mi_modulo:MiComponente");
        let status = office.finished(&id).await;
        assert_eq!(status["status"], "completed");
        let done = timeline(&office, &id).await;
        assert_eq!(done["attempt"], 2, "the one that was killed cost a try");
        let sql = "SELECT COUNT(*) AS n FROM stage_replies WHERE stage = 'mine'";
        assert_eq!(office.count(sql).await, 1, "what it added is kept");
        // Told to end while it works, it brings what it has.
        fs::remove_file(dir.join("began")).unwrap();
        fs::write(dir.join("hold"), "").unwrap();
        let id = office.pages(&["Querida Eva:"], "mia").await;
        appears(&dir.join("began")).await;
        let ended = tokio::task::spawn_blocking(move || second.terminate());
        fs::remove_file(dir.join("hold")).unwrap();
        assert!(ended.await.unwrap(), "in order");
        assert_eq!(office.finished(&id).await["status"], "completed");
        assert_eq!(timeline(&office, &id).await["attempt"], 1);
        office.close().await;
    })
    .await;
}

/// A directory with the class, and whether it is to wait.
fn with_the_class(dir: PathBuf) -> PathBuf {
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("mi_modulo.py"), CLASS).unwrap();
    fs::write(dir.join("hold"), "").unwrap();
    dir
}

#[tokio::test]
async fn the_same_class_consumes_its_queue_dies_and_is_replaced() {
    let Some((db, vhost)) = services().await else { return };
    let office = Office::with(carried(&db, &vhost, Part::Everything)).await;
    office.workflow("mia", &flow("mia", "mi_componente", 1)).await;
    let dir = with_the_class(db.dir.join("component"));
    let id = office.pages(&["Querida Ana:"], "mia").await;
    // Nobody is there yet. The letter waits, and one that is lost is written again.
    letters(&vhost, 1).await;
    let path = format!("queues/{}/q.mi_componente/contents", vhost.name);
    vhost.send("DELETE", &path, &json!({})).await;
    letters(&vhost, 1).await;
    let first = consuming(&vhost, &dir);
    appears(&dir.join("began")).await;
    fs::remove_file(dir.join("began")).unwrap();
    // It holds a letter for longer than its stage allows: somebody else may try.
    letters(&vhost, 1).await;
    let sql = "SELECT COUNT(*) AS n FROM outside_workers WHERE component = 'mi_componente'";
    assert_eq!(office.count(sql).await, 1, "whoever consumes was seen");
    drop(first);
    let second = consuming(&vhost, &dir);
    appears(&dir.join("began")).await;
    fs::remove_file(dir.join("hold")).unwrap();
    let status = office.finished(&id).await;
    assert_eq!(status["status"], "completed", "{status}");
    let tries = timeline(&office, &id).await["attempt"].as_i64().unwrap();
    assert!((2..8).contains(&tries), "{tries}: what brought no result was a try, too");
    let sql = "SELECT COUNT(*) AS n FROM stage_replies WHERE stage = 'mine'";
    assert_eq!(office.count(sql).await, 1, "once, however often the letter came");
    assert!(second.terminate(), "in order");
    office.close().await;
}

/// A component that its own work ends, as a document that breaks a library does.
const MORTAL: &str = r#"
import os, signal
from turno_components import BaseComponent

class MiComponente(BaseComponent):
    component_name = "mi_componente"

    async def process_message(self, message, session):
        if "muere" in message.payload["ocr_text"]:
            os.kill(os.getpid(), signal.SIGKILL)
        return [("__next__", message.model_copy(update={
            "source_component": self.component_name, "payload": {"doc_type": "letter"}}))]
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_that_ends_every_worker_is_buried_and_the_others_go_on() {
    let Some((db, vhost)) = services().await else { return };
    let office = Office::with(carried(&db, &vhost, Part::Everything)).await;
    let once = "retry: {attempts: 1, base_seconds: 0.05}\n";
    office.workflow("mia", &(flow("mia", "mi_componente", 60) + once)).await;
    let dir = with_the_class(db.dir.join("component"));
    fs::write(dir.join("mi_modulo.py"), MORTAL).unwrap();
    let deadly = office.pages(&["muere"], "mia").await;
    let mut good = Vec::new();
    for n in 0..5 {
        good.push(office.pages(&[&format!("Querida Ana {n}:")], "mia").await);
    }
    letters(&vhost, 6).await;
    // Whoever looks after the workers starts the next one.
    let began = Instant::now();
    let (mut worker, mut deaths) = (consuming(&vhost, &dir), 0);
    while office.status(&deadly).await["status"] != "failed" {
        assert!(began.elapsed() < Duration::from_mins(2), "{deaths} deaths and no end");
        if worker.0.try_wait().unwrap().is_some() {
            deaths += 1;
            worker = consuming(&vhost, &dir);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    println!("buried after {deaths} deaths in {:?}", began.elapsed());
    let told = office.detail(&deadly).await;
    assert_eq!(told["error_code"], "WORKER_LOST", "{told}");
    let worker =
        if worker.0.try_wait().unwrap().is_some() { consuming(&vhost, &dir) } else { worker };
    for id in &good {
        assert_eq!(office.finished(id).await["status"], "completed");
    }
    let dead = office.client.get("/api/docproc/dead-letters").await.expect(200);
    assert!(dead.to_string().contains("terminó, o lo devolvió"), "{dead}");
    letters(&vhost, 0).await;
    assert!(worker.terminate(), "nothing of it is left to die of");
    office.close().await;
}

/// Waits until so many letters are in the component's queue, or one too many: sent again before it was
/// known that the first arrived, it finds nothing to take. None means none, in hands neither.
async fn letters(vhost: &Vhost, count: i64) {
    let asking = Broker::open(vhost.url.parse().unwrap(), "a test", Topology::default());
    let began = Instant::now();
    loop {
        // The queue itself is asked: the figures of the management page are told now and then only.
        let there = match count {
            0 => depth(vhost, "q.mi_componente").await,
            _ => match asking.depth("q.mi_componente").await {
                Ok(Some(depth)) => i64::from(depth.ready),
                Ok(None) | Err(_) => 0,
            },
        };
        if there == count || there > count && count > 0 {
            return asking.close();
        }
        if began.elapsed() > Duration::from_mins(1) {
            let queues = vhost.get(&format!("queues/{}", vhost.name)).await;
            panic!("{there} letters, not {count}; the broker has {queues}");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The next letter of the component's queue, as its owner gets it.
async fn letter(vhost: &Vhost) -> Json {
    let path = format!("queues/{}/q.mi_componente/get", vhost.name);
    let how = json!({ "count": 1, "ackmode": "ack_requeue_false", "encoding": "auto" });
    let began = Instant::now();
    loop {
        let got: Json = serde_json::from_str(&vhost.send("POST", &path, &how).await).unwrap();
        if let Some(payload) = got[0]["payload"].as_str() {
            return serde_json::from_str(payload).unwrap();
        }
        assert!(began.elapsed() < Duration::from_mins(1), "no letter came");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn answer(vhost: &Vhost, body: &Json) {
    publish(vhost, "doc.direct", "stage.result", None, &body.to_string()).await;
}

#[tokio::test]
async fn results_by_the_broker_are_taken_once_and_only_for_what_they_are() {
    let Some((db, vhost)) = services().await else { return };
    let office = Office::with(carried(&db, &vhost, Part::Everything)).await;
    let retried = "retry: {attempts: 5, base_seconds: 0.05}\n";
    office.workflow("mia", &(flow("mia", "mi_componente", 30) + retried)).await;
    let id = office.pages(&["Querida Ana:"], "mia").await;
    letters(&vhost, 1).await;
    let sent = letter(&vhost).await;
    assert_eq!((&sent["request_id"], &sent["page_index"]), (&json!(id), &json!(0)), "{sent}");
    assert_eq!(
        (&sent["current_stage"], &sent["source_component"]),
        (&json!("mine"), &json!("ocr"))
    );
    assert_eq!(sent["payload"]["ocr_text"], "Querida Ana:", "{sent}");
    let page = sent["payload"]["image_url"].as_str().unwrap();
    assert_eq!(http_client::client().get(page).send().await.unwrap().status(), 200);
    // What is none of ours is kept; a failure, and what does not fit, are tries that failed.
    publish(&vhost, "doc.direct", "stage.result", None, "not JSON").await;
    answer(&vhost, &json!([["__next__", { "request_id": "nobody" }]])).await;
    let mut failed = sent.clone();
    failed["error"] = "no model".into();
    answer(&vhost, &failed).await;
    let again = letter(&vhost).await;
    assert_eq!(again["metadata"]["attempt"], 1, "{again}");
    answer(&vhost, &json!([["no.such.key", again]])).await;
    let mut done = letter(&vhost).await;
    assert_eq!(done["metadata"]["attempt"], 2, "{done}");
    // The original's messages have no number of ours.
    done.as_object_mut().unwrap().remove("metadata");
    done["payload"]["doc_type"] = "letter".into();
    let done = json!([["__next__", done]]);
    for _ in 0..3 {
        answer(&vhost, &done).await;
    }
    let status = office.finished(&id).await;
    assert_eq!(status["result"]["documents"][0]["doc_type"], "letter", "{status}");
    assert_eq!(timeline(&office, &id).await["attempt"], 3);
    let kept = office.client.get("/api/docproc/dead-letters/foreign").await.expect(200);
    assert_eq!(kept["items"].as_array().unwrap().len(), 2, "{kept}");
    assert_eq!(depth(&vhost, "q.stage_results").await, 0);
    office.close().await;
}

#[tokio::test]
async fn a_component_of_thirty_lines_reads_a_scan() {
    on_sqlite(async |desk| {
        let source = fs::read_to_string(clients().join("python/tesseract_ocr.py")).unwrap();
        assert!(source.lines().count() <= 30);
        let office = Office::open(desk).await;
        let flow = docproc::rules::workflow::DEFAULT
            .replace("name: default", "name: leida")
            .replace("component: ocr", "component: tesseract_ocr");
        office.workflow("leida", &flow).await;
        let _reader = python(&office, &desk.dir, "tesseract_ocr:TesseractOcr");
        let letter = docproc::sim::letter(0, 3, docproc::sim::Look::Scanned).unwrap();
        let (status, body) =
            office.send(&[("scan.pdf", letter.bytes)], &[("workflow", "leida")]).await;
        assert_eq!(status, 200, "{body}");
        let id = body["request_id"].as_str().unwrap();
        let read = |now: &Json| now["pages"][0]["ocr_text"].is_string();
        let detail = office.detail_until(id, read).await;
        let page = &detail["pages"][0];
        assert!(page["ocr_text"].as_str().unwrap().split_whitespace().count() > 20, "{page}");
        assert!(page["ocr_confidence"].as_f64().unwrap() > 0.5);
        assert!(page["width"].as_f64().unwrap() > 500.0, "in the units of the picture");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn ten_lines_of_node_are_a_component() {
    on_sqlite(async |desk| {
        let file = clients().join("node/component.mjs");
        assert!(fs::read_to_string(&file).unwrap().lines().count() <= 11);
        let office = Office::open(desk).await;
        office.workflow("nodo", &flow("nodo", "clasificador_node", 30)).await;
        let mut command = Command::new("node");
        command.arg(&file).env("TURNO_URL", office.client.base()).env_remove("TURNO_TOKEN");
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let _node = Component(command.spawn().expect("node is needed: apt-get install nodejs"));
        let id = office.pages(&["FACTURA F-1", "Querida Ana:"], "nodo").await;
        let status = office.finished(&id).await;
        let documents = status["result"]["documents"].as_array().unwrap();
        let types: Vec<_> = documents.iter().map(|one| one["doc_type"].as_str().unwrap()).collect();
        assert_eq!(types, ["invoice", "letter"]);
        office.close().await;
    })
    .await;
}
