//! What a stage leaves behind while the next one has not run, and what becomes of one that takes too
//! long.

use std::sync::atomic::Ordering;

use docproc::{Part, model::Component};
use serde_json::json;

use crate::office::{Office, Setup, on_both};

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
        assert_eq!(office.outside.calls.load(Ordering::SeqCst), 2, "its tries, and no more");
        office.outside.release(2);
        let id = office.pages(&["TYPE receipt 0.95"], "hasty").await;
        assert_eq!(office.finished(&id).await["status"], "completed");
        office.close().await;
    })
    .await;
}
