//! Documents from the command line: sent, asked about, generated, measured, learnt from.

use std::fs;

use super::program::{Home, Served};

/// The default flow, except that nobody is asked.
pub(crate) const WORKFLOW: &str = "\
name: default
version: 1
stages:
  - {name: split, component: splitter}
  - {name: ocr, component: ocr}
  - {name: classify, component: classifier, confidence_threshold: 0.0}
  - {name: group, component: classification_aggregator}
  - {name: extract, component: extractor, confidence_threshold: 0.0}
  - {name: consolidate, component: consolidator}
extraction_schemas:
  invoice:
    fields:
      - {name: invoice_number, type: string}
      - {name: total_amount, type: decimal}
other_types: [other]
";

pub(crate) const INVOICE: &str = "FACTURA\nFactura núm.: F-2026/118\nFecha: 12/03/2026\nProveedor: Talleres Robles \
    S.L.\nCliente: Construcciones Gómez S.L.\nBase imponible: 100,00 €\nIVA 21 %: 21,00 €\n\
    Total factura: 121,00 €\n";

pub(crate) fn serve(home: &Home) -> Served {
    let dir = home.path().join("config/workflows");
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("default.yaml"), WORKFLOW).unwrap();
    home.serve("127.0.0.1")
}

#[test]
fn a_document_is_sent_waited_for_and_asked_about() {
    let home = Home::new();
    let server = serve(&home);
    let url = [("TURNO_URL", server.url.as_str())];
    fs::write(home.path().join("invoice.txt"), INVOICE).unwrap();
    let sent = home.run_with("docproc submit invoice.txt --wait --timeout 60s --json", &url, "");
    let answer = sent.json();
    assert_eq!(answer["status"], "completed", "{answer}");
    let data = &answer["result"]["documents"][0]["extracted_data"];
    assert_eq!(data["total_amount"], 121.0, "{answer}");
    let id = answer["request_id"].as_str().unwrap();
    let told = home.run_with(&format!("docproc status {id}"), &url, "").ok();
    assert!(told.contains("status     completed") && told.contains("total_amount"), "{told}");
    let why = home.run_with(&format!("docproc status {id} --why --json"), &url, "").json();
    assert_eq!(why["subject"]["id"], id);
}

#[test]
fn the_variables_of_the_original_work_as_named() {
    let home = Home::new();
    let original = "postgresql+asyncpg://docproc:hunter2@db:5432/docproc";
    let database = [("DOCPROC_DATABASE_URL", original), ("DOCPROC_MESSAGE_TTL_MS", "300000")];
    let shown = home.run_with("config show", &database, "").ok();
    assert!(shown.contains("DOCPROC_DATABASE_URL") && !shown.contains("hunter2"), "{shown}");
    assert!(shown.contains("300000"), "{shown}");
    let away = [("DOCPROC_RABBITMQ_URL", "amqp://guest:hunter2@127.0.0.1:9/")];
    let told = home.run_with("doctor", &away, "").stdout;
    assert!(told.contains("RabbitMQ") && told.contains("does not answer"), "{told}");
    assert!(!told.contains("hunter2"), "{told}");
    let without = [away[0], ("TURNO_APPS", "pedidos")];
    let told = home.run_with("doctor", &without, "").stdout;
    assert!(told.contains("RabbitMQ") && told.contains("does not answer"), "{told}");
    let wrong = [("DOCPROC_RABBITMQ_URL", "guest@localhost")];
    home.run_with("serve --listen 127.0.0.1:0", &wrong, "")
        .refused(2, &["DOCPROC_RABBITMQ_URL", "amqp://"]);
}

#[test]
fn several_files_are_several_requests_unless_they_belong_together() {
    let home = Home::new();
    let server = serve(&home);
    let url = [("TURNO_URL", server.url.as_str())];
    for name in ["a.txt", "b.txt"] {
        fs::write(home.path().join(name), format!("{INVOICE}{name}")).unwrap();
    }
    let apart = home.run_with("docproc submit a.txt b.txt --json", &url, "").json();
    assert_eq!(apart.as_array().map(Vec::len), Some(2), "{apart}");
    let lines = home.run_with("docproc submit a.txt b.txt", &url, "").ok();
    assert_eq!(lines.lines().count(), 2, "{lines}");
    let command = "docproc submit a.txt b.txt --together --wait --timeout 60s --json";
    let together = home.run_with(command, &url, "").json();
    assert_eq!((&together["status"], &together["page_count"]), (&"completed".into(), &2.into()));
}

#[test]
fn refusals_have_their_codes() {
    let home = Home::new();
    let server = serve(&home);
    let url = [("TURNO_URL", server.url.as_str())];
    let run = |command: &str| home.run_with(command, &url, "");
    run("docproc submit nothing.pdf").refused(3, &["nothing.pdf cannot be read"]);
    run("docproc submit config").refused(2, &["is a directory"]);
    fs::write(home.path().join("empty.pdf"), "").unwrap();
    run("docproc submit empty.pdf").refused(1, &["empty.pdf"]);
    fs::write(home.path().join("invoice.txt"), INVOICE).unwrap();
    run("docproc submit invoice.txt --workflow nobody").refused(1, &["nobody", "hint: default"]);
    run("docproc status 0199a000-0000-7000-8000-000000000000").refused(3, &["error:"]);
    run("docproc status x/../../health").refused(2, &["error:"]);
    run("docproc evaluate nowhere").refused(3, &["nowhere cannot be read"]);
    run("docproc train --corrections").refused(3, &["no corrections yet"]);
    run("docproc train").refused(2, &["--labelled"]);
    home.run("docproc submit invoice.txt --url http://127.0.0.1:9")
        .refused(6, &["does not answer", "hint:"]);
}

#[test]
fn generated_documents_are_measured_against_their_truth() {
    let home = Home::new();
    home.run("sim documentos --out docs --count 12 --wear clean --seed 5").ok();
    home.run("sim documentos --out again --count 12 --wear clean --seed 5").ok();
    let bytes = |dir: &str| fs::read(home.path().join(dir).join("00000-invoice.pdf")).unwrap();
    assert_eq!(bytes("docs"), bytes("again"), "the same seed gives the same document");
    let card = home.run("docproc evaluate docs --json --svg curve.svg").json();
    assert_eq!(card["documents"], 12);
    assert!(card["classification_accuracy"].as_f64() > Some(0.7), "{card}");
    assert!(card["types"]["invoice"]["fields"]["total_amount"]["known"].as_u64() > Some(0));
    let drawing = fs::read_to_string(home.path().join("curve.svg")).unwrap();
    assert!(drawing.starts_with("<svg") && drawing.contains("<circle"), "{drawing}");
    let told = home.run("docproc evaluate docs").ok();
    assert!(told.contains("Reliability of the type of a page"), "{told}");
}

#[test]
fn documents_are_sent_at_a_pace() {
    let home = Home::new();
    let server = serve(&home);
    let command = "sim documentos --count 4 --wear clean --per-minute 6000 --send";
    let sent = home.run(&format!("{command} {}", server.url)).ok();
    assert_eq!(sent.lines().count(), 4, "{sent}");
    home.run(&format!("{command} http://127.0.0.1:9")).refused(6, &["does not answer"]);
    home.run("sim documentos --count 4").refused(2, &["--out"]);
}

#[test]
fn a_type_of_the_house_is_learnt_from_folders() {
    let home = Home::new();
    let dir = home.path().join("folders/delivery_note");
    fs::create_dir_all(&dir).unwrap();
    for n in 0..12 {
        let note = format!(
            "ALBARÁN DE ENTREGA núm. {n}\nTransportista: Rutas del Sur\nBultos: {}\nPalés: 2\n\
             Matrícula 1234-BCD\nRecibí conforme, sello y firma del destinatario\n",
            n % 7 + 1
        );
        fs::write(dir.join(format!("{n}.txt")), note).unwrap();
    }
    let learnt = home.run("docproc train --labelled folders --json").json();
    assert_eq!(learnt["better"], true, "{learnt}");
    assert!(learnt["held_out"]["accuracy"].as_f64() > Some(0.9), "{learnt}");
    assert!(home.path().join("data/docproc/classifier.model").exists());
    let told = home.run("doctor").ok();
    assert!(told.contains("trained here") && told.contains("delivery_note"), "{told}");
    fs::write(home.path().join("data/docproc/classifier.model"), "broken").unwrap();
    home.run("docproc train --labelled folders").refused(1, &["classifier.model", "hint:"]);
    home.run("docproc train --labelled nowhere").refused(3, &["nowhere"]);
}

#[test]
fn the_doctor_looks_at_what_reads_pages() {
    let home = Home::new();
    let report = home.run("doctor --json").json();
    let checks: Vec<&str> =
        report.as_array().unwrap().iter().filter_map(|line| line["check"].as_str()).collect();
    for wanted in ["model pack", "OCR ppocr", "OCR tesseract", "classifier"] {
        assert!(checks.contains(&wanted), "{wanted} in {checks:?}");
    }
}

/// One line for each try that failed, and one for the end, with what an operator looks for.
#[test]
fn every_trouble_and_burial_is_logged() {
    let home = Home::new();
    let dir = home.path().join("config/workflows");
    fs::create_dir_all(&dir).unwrap();
    let nobody = "component: http, url: 'http://127.0.0.1:9/', ";
    let flow = WORKFLOW.replace("component: classifier, ", nobody);
    let flow = format!("{flow}retry: {{attempts: 2, base_seconds: 0.05, max_seconds: 0.1}}\n");
    fs::write(dir.join("default.yaml"), flow).unwrap();
    let server = home.serve("127.0.0.1");
    let url = [("TURNO_URL", server.url.as_str())];
    fs::write(home.path().join("invoice.txt"), INVOICE).unwrap();
    let sent = home.run_with("docproc submit invoice.txt --wait --timeout 60s --json", &url, "");
    let answer: serde_json::Value = serde_json::from_str(&sent.stdout).unwrap();
    assert_eq!(answer["status"], "failed", "{sent:?}");
    let id = answer["request_id"].as_str().unwrap();
    let log = fs::read_to_string(home.path().join("log")).unwrap();
    let lines = |word: &str| -> Vec<&str> {
        log.lines().filter(|line| line.contains(word) && line.contains(id)).collect()
    };
    let (retried, buried) = (lines("stage_retried"), lines("stage_buried"));
    assert!(!retried.is_empty(), "{log}");
    assert_eq!(buried.len(), 1, "{log}");
    for line in retried.iter().chain(&buried) {
        for word in ["classify", "intento", "reason"] {
            assert!(line.contains(word), "{word} is not in {line}");
        }
    }
}
