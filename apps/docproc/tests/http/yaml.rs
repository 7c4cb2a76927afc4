//! S-26: a flow is a file. A good one runs without code, a bad one is refused with its line.

use serde_json::{Value as Json, json};

use crate::{
    office::{Office, on_both, on_sqlite},
    outside::sure,
};

#[tokio::test]
async fn scenario_26_a_new_flow_runs_without_code() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let url = &office.outside.url;
        let mortgages = format!(
            "name: hipotecas\nstages:\n  - {{name: split, component: splitter}}\n  \
             - {{name: ocr, component: ocr}}\n  \
             - {{name: classify, component: http, url: '{url}', backoffice_queue: task.hipotecas}}\n  \
             - {{name: group, component: classification_aggregator}}\n  \
             - {{name: consolidate, component: consolidator}}\n\
             extraction_schemas: {{}}\nother_types: [invoice, contract]\n"
        );
        office.workflow("hipotecas", &mortgages).await;
        let id = office.pages(&[&sure("invoice"), &sure("contract")], "hipotecas").await;
        let status = office.finished(&id).await;
        assert_eq!((&status["status"], &status["document_count"]), (&json!("completed"), &json!(2)));
        // Without a classifier, every file is one document of the type the flow names.
        let text = "FACTURA\nTalleres Norte S.L.\nFactura n.º: F-2024-00142\nFecha: 12/03/2024";
        let (_, body) = office
            .send(
                &[("a.txt", text.into()), ("b.txt", text.into())],
                &[("metadata", r#"{"tipo": "factura"}"#)],
            )
            .await;
        let id = body["request_id"].as_str().unwrap();
        let there = |now: &Json| now["document_count"] == 2;
        let status = office.until(id, there).await;
        assert_eq!(status["workflow_name"], "facturas", "routed by its metadata");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_flow_that_only_reads_answers_with_its_text() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let flow = "name: solo-texto\nstages:\n  - {name: split, component: splitter}\n  \
                    - {name: ocr, component: ocr}\n  \
                    - {name: consolidate, component: consolidator}\n";
        office.workflow("solo-texto", flow).await;
        let files = [("uno.txt", b"Hola mundo".to_vec()), ("dos.txt", b"Adios".to_vec())];
        let (_, body) = office.send(&files, &[("workflow", "solo-texto")]).await;
        let id = body["request_id"].as_str().unwrap();
        let status = office.finished(id).await;
        assert_eq!(status["status"], "completed", "{status}");
        let pages = &status["result"]["pages"];
        assert_eq!(
            (&pages[0]["text"], &pages[0]["file_name"]),
            (&json!("Hola mundo"), &json!("uno.txt"))
        );
        assert_eq!((&pages[1]["text"], &pages[1]["file_index"]), (&json!("Adios"), &json!(1)));
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_document_of_an_answer_says_which_file_it_came_in() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let page = |kind: &str| sure(kind).into_bytes();
        let files = [("factura.txt", page("invoice")), ("dni.txt", page("id_card"))];
        let (_, body) = office.send(&files, &[("workflow", "exact")]).await;
        let status = office.finished(body["request_id"].as_str().unwrap()).await;
        let documents = status["result"]["documents"].as_array().unwrap();
        let told: Vec<_> = documents
            .iter()
            .map(|one| (one["doc_type"].as_str().unwrap(), one["file_name"].as_str().unwrap()))
            .collect();
        assert_eq!(told, [("invoice", "factura.txt"), ("id_card", "dni.txt")], "{status}");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_26_a_bad_flow_is_refused_with_its_line() {
    on_sqlite(async |desk| {
        let office = Office::open(desk).await;
        let bad = [
            ("component: ocr", "component: ocrr", 20, "ocrr"),
            ("name: ocr\n", "name: split\n", 20, "twice"),
            (
                "  - name: split\n    component: splitter\n    routing_key: request.split\n    \
              timeout_seconds: 10\n\n",
                "",
                15,
                "pages",
            ),
            ("deadline_seconds: 60", "deadline_seconds: soon", 7, ""),
            ("version: 1", "version: 1\nsufficient: [{doc_type: nope}]", 5, "nope"),
            (
                "version: 1",
                "version: 1\nsufficient: [{doc_type: invoice, fields: [colour]}]",
                5,
                "colour",
            ),
            ("version: 1", "version: 1\nretention: {days: 0}", 5, "retention.days"),
            ("component: consolidator", "component: ocr", 55, ""),
            (
                "component: consolidator",
                "component: consolidator\n    timeout_seconds: 5",
                55,
                "timeout_seconds",
            ),
            ("timeout_seconds: 10", "parallel: true", 15, "parallel"),
            ("routing_key: doc.extract\n", "routing_key: page.ocr\n", 38, "leads to ocr"),
        ];
        for (from, to, line, said) in bad {
            let source = docproc::rules::workflow::DEFAULT.replacen(from, to, 1);
            assert_ne!(source, docproc::rules::workflow::DEFAULT, "{from:?} is in the file");
            let request =
                office.client.request(reqwest::Method::POST, "/api/docproc/workflows/validate");
            let answer = request.header("accept-language", "en").json(&json!({ "yaml": source }));
            let body: Json = answer.send().await.unwrap().json().await.unwrap();
            assert_eq!(body["valid"], false, "{to:?}");
            let error = &body["errors"][0];
            let told = error["message"].as_str().unwrap();
            assert!(told.contains(said), "{told}");
            let found = error["line"].as_i64().unwrap();
            assert!(
                (found - line).abs() <= 3,
                "{to:?}: line {found}, about {line} expected: {told}"
            );
        }
        // On disk, a bad version leaves the good one in force.
        let broken =
            docproc::rules::workflow::DEFAULT.replace("component: ocr", "component: no-one");
        office.workflow("default", &broken).await;
        let list = office.client.get("/api/docproc/workflows").await.expect(200);
        assert_eq!(list["refused"][0]["file"], "default.yaml");
        assert!(list["items"].as_array().unwrap().iter().any(|one| one["name"] == "default"));
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_request_stays_on_the_version_it_began_with() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let page = format!("WAIT\n{}", sure("invoice"));
        let id = office.pages(&[&page], "exact").await;
        office.until(&id, |now| now["page_count"] == 1).await;
        let version = office.detail(&id).await["workflow_version"].clone();
        let path = desk.dir.join("workflows/exact.yaml");
        let changed = std::fs::read_to_string(&path).unwrap().replace("0.80", "0.99");
        office.workflow("exact", &changed).await;
        office.outside.release(1);
        let status = office.finished(&id).await;
        assert_eq!(status["status"], "completed", "0.95 was enough when it came in");
        let newer = office.pages(&[&sure("invoice")], "exact").await;
        office.until(&newer, |now| now["page_count"] == 1).await;
        assert_ne!(office.detail(&newer).await["workflow_version"], version);
        office.close().await;
    })
    .await;
}
