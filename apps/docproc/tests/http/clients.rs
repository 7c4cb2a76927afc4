//! Components in other languages as their authors run them: real processes that fetch by HTTP.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use crate::office::{Office, on_both, on_sqlite};

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
    let mut command = Command::new("python3");
    command.args(["-m", "turno_components", component, "--url", office.client.base()]);
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
        let dir = desk.dir.join("component");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("mi_modulo.py"), CLASS).unwrap();
        fs::write(dir.join("hold"), "").unwrap();
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
