//! What a stage leaves behind while the next one has not run, and what becomes of one that takes too
//! long.

use std::sync::atomic::Ordering;

use docproc::{Part, model::Component};
use serde_json::json;

use crate::{
    office::{Office, Setup, on_both},
    outside::sure,
};

#[tokio::test]
async fn a_page_that_was_not_read_yet_says_so() {
    on_both(async |desk| {
        let part = |part| Setup { part, ..Setup::of(desk) };
        let router = Office::with(part(Part::Router)).await;
        let splitter = Office::with(part(Part::Only(Component::Splitter))).await;
        let id = splitter.pages(&["one", "two"], "default").await;
        let told = splitter.detail_until(&id, |told| told["page_count"] == 2).await;
        let words: Vec<_> =
            told["pages"].as_array().unwrap().iter().map(|p| &p["status"]).collect();
        assert_eq!(words, [&json!("PENDIENTE_OCR"); 2], "{told}");
        let reader = Office::with(part(Part::Everything)).await;
        reader.all_read(&id).await;
        let told = reader.detail(&id).await;
        assert!(!told["pages"].to_string().contains("PENDIENTE_OCR"), "{told}");
        for office in [reader, splitter, router] {
            office.close().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_service_is_told_everything_and_may_open_what_it_is_told_of() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        set(&office, "DOCPROC_HTTP_AUTHORIZATION_FOR", &office.outside.url).await;
        set(&office, "DOCPROC_HTTP_AUTHORIZATION", "Bearer of-the-house").await;
        let files = [("a.txt", sure("invoice").into_bytes())];
        let fields = [("workflow", "exact"), ("metadata", r#"{"client": "acme"}"#)];
        let (_, body) = office.send(&files, &fields).await;
        let id = body["request_id"].as_str().unwrap();
        assert_eq!(office.finished(id).await["status"], "completed");
        let heard = office.outside.heard.lock().unwrap().clone();
        let stranger = http_client::client();
        let get = async |url: &serde_json::Value| {
            let answer = stranger.get(url.as_str().unwrap()).send().await.unwrap();
            (answer.status().as_u16(), answer.text().await.unwrap_or_default())
        };
        for (caller, message) in &heard {
            assert_eq!(caller, "Bearer of-the-house");
            assert_eq!(message["payload"]["metadata"]["client"], "acme", "{message}");
            assert_eq!(get(&message["payload"]["file_url"]).await, (200, sure("invoice")));
        }
        let [(_, sort), (_, read)] = heard.as_slice() else { panic!("{heard:?}") };
        assert_eq!(sort["source_component"], "ocr");
        assert_eq!(read["source_component"], "classification_aggregator");
        let of_page = &sort["payload"]["image_url"];
        let forged = json!(of_page.as_str().unwrap().replace("/pages/0", "/pages/1"));
        let of_document = &read["payload"]["pages"][0]["image_url"];
        let opened = [get(of_page).await.0, get(of_document).await.0, get(&forged).await.0];
        assert_eq!(opened, [200, 200, 403]);
        office.close().await;
    })
    .await;
}

async fn set(office: &Office, key: &str, value: &str) {
    let path = format!("/api/settings/docproc/{key}");
    office.client.put(&path, json!({ "valor": value })).await.expect(200);
}

#[tokio::test]
async fn the_credential_goes_to_the_service_it_was_entered_for_and_to_no_other() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let path = "/api/settings/docproc/DOCPROC_HTTP_AUTHORIZATION_FOR";
        for wrong in ["ocr.example", "ftp://ocr.example"] {
            office.client.put(path, json!({ "valor": wrong })).await.expect(400);
        }
        let callers = async || {
            let id = office.pages(&[&sure("invoice")], "exact").await;
            assert_eq!(office.finished(&id).await["status"], "completed");
            let heard = std::mem::take(&mut *office.outside.heard.lock().unwrap());
            heard.into_iter().map(|(caller, _)| caller).collect::<Vec<_>>()
        };
        set(&office, "DOCPROC_HTTP_AUTHORIZATION", "Bearer of-the-house").await;
        assert_eq!(callers().await, ["", ""], "it was entered for nobody yet");
        set(&office, "DOCPROC_HTTP_AUTHORIZATION_FOR", "http://127.0.0.1:1").await;
        assert_eq!(callers().await, ["", ""], "it was entered for somebody else");
        set(&office, "DOCPROC_HTTP_AUTHORIZATION_FOR", &office.outside.url).await;
        assert_eq!(callers().await, ["", ""], "it has to be entered again");
        set(&office, "DOCPROC_HTTP_AUTHORIZATION", "Bearer of-the-house").await;
        assert_eq!(callers().await, ["Bearer of-the-house"; 2]);
        office.close().await;
    })
    .await;
}

/// Pages and documents are looked at once more after people may have been asked about them.
fn looked_at_again(url: &str) -> String {
    format!(
        "name: again\nstages:\n  - {{name: split, component: splitter}}\n  \
         - {{name: ocr, component: ocr}}\n  \
         - {{name: classify, component: http, url: \"{url}\", confidence_threshold: 0.8, \
         backoffice_queue: task.classification}}\n  \
         - {{name: again, component: http, url: \"{url}\"}}\n  \
         - {{name: once_more, component: http, url: \"{url}\"}}\n  \
         - {{name: group, component: classification_aggregator}}\n  \
         - {{name: consolidate, component: consolidator}}\n\
         extraction_schemas: {{}}\nother_types: [receipt]\n"
    )
}

#[tokio::test]
async fn what_a_person_answered_comes_from_the_back_office() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        office.workflow("again", &looked_at_again(&office.outside.url)).await;
        let id = office.pages(&["TYPE receipt 0.60", "TYPE receipt 0.95"], "again").await;
        office.poll("/api/tasks", |tasks| !tasks[0].is_null()).await;
        let tasks = office.client.get("/api/tasks").await.expect(200);
        let task = tasks[0]["id"].as_str().unwrap();
        let told = json!({ "operator": "ana", "doc_type": "receipt" });
        office.client.post(&format!("/tasks/{task}/claim"), told.clone()).await.expect(200);
        office.client.post(&format!("/tasks/{task}/submit"), told).await.expect(200);
        assert_eq!(office.finished(&id).await["status"], "completed");
        let heard = office.outside.heard.lock().unwrap().clone();
        let from = |page: u32, stage: &str| {
            let mut all = heard.iter().map(|(_, message)| message);
            let one = all.find(|one| one["page_index"] == page && one["current_stage"] == stage);
            one.map(|one| one["source_component"].as_str().unwrap().to_owned()).unwrap_or_default()
        };
        assert_eq!(from(0, "classify"), "ocr");
        assert_eq!(from(0, "again"), "backoffice", "a person said what it is");
        assert_eq!(from(1, "again"), "http", "nobody was asked");
        assert_eq!(from(0, "once_more"), "http", "the person's answer was taken up already");
        office.close().await;
    })
    .await;
}

/// The stage in the middle asks somebody who does not answer.
fn hasty(url: &str) -> String {
    format!(
        "name: hasty\nretry: {{attempts: 2, base_seconds: 0.05}}\nstages:\n  \
         - {{name: split, component: splitter}}\n  - {{name: ocr, component: ocr}}\n  \
         - {{name: ask, component: http, url: \"{url}\", timeout_seconds: 1}}\n  \
         - {{name: group, component: classification_aggregator}}\n  \
         - {{name: consolidate, component: consolidator}}\n\
         extraction_schemas: {{}}\nother_types: [receipt]\n"
    )
}

#[tokio::test]
async fn a_stage_that_takes_longer_than_its_time_has_failed() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        office.workflow("hasty", &hasty(&office.outside.url)).await;
        let id = office.pages(&["WAIT\nTYPE receipt 0.95"], "hasty").await;
        let told = office.finished(&id).await;
        assert_eq!(told["status"], "failed", "{told}");
        let told = office.detail(&id).await;
        assert_eq!(told["error_code"], "HTTP_TIMEOUT", "{told}");
        assert_eq!(told["error"], "el servicio no respondió", "in one language");
        assert_eq!(office.outside.calls.load(Ordering::SeqCst), 2, "its tries, and no more");
        office.outside.release(2);
        let id = office.pages(&["TYPE receipt 0.95"], "hasty").await;
        assert_eq!(office.finished(&id).await["status"], "completed");
        office.close().await;
    })
    .await;
}
