//! S-1, S-2, S-4, S-5, S-14, S-18 and S-19: from pages to an answer.

use std::time::Duration;

use docproc::{Part, model::Component};
use host::Clock;
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use crate::{
    office::{Office, Setup, noon, on_both},
    outside::sure,
};

fn spans(status: &Json) -> Vec<Json> {
    let documents = status["result"]["documents"].as_array().unwrap();
    documents.iter().map(|document| document["page_indices"].clone()).collect()
}

const ORDER: [&str; 7] =
    ["received", "routing", "splitting", "processing", "extracting", "consolidating", "completed"];

#[tokio::test]
async fn scenario_1_five_pages_become_three_documents() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let types = ["invoice", "invoice", "id_card", "payslip", "payslip"];
        let pages: Vec<String> = types.iter().map(|one| sure(one)).collect();
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        let id = office.pages(&pages, "exact").await;
        let (status, seen) = office.until(&id, |now| now["status"] == "completed").await;
        assert_eq!(spans(&status), [json!([0, 1]), json!([2]), json!([3, 4])]);
        assert_eq!((&status["page_count"], &status["document_count"]), (&json!(5), &json!(3)));
        let at = |key: &str| status[key].as_str().unwrap().parse::<Timestamp>().unwrap();
        assert!(at("completed_at") <= at("deadline_utc"));
        let ranks: Vec<_> =
            seen.iter().map(|word| ORDER.iter().position(|one| one == word).unwrap()).collect();
        assert!(ranks.is_sorted(), "{seen:?}");
        assert_eq!(status["error"], Json::Null);
        // Only consecutive pages: the same type again is another document.
        let pages = [sure("invoice"), sure("id_card"), sure("invoice")];
        let id = office.pages(&[&pages[0], &pages[1], &pages[2]], "exact").await;
        assert_eq!(spans(&office.finished(&id).await).len(), 3);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_2_every_page_is_a_row_a_message_and_an_arrival() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let page = format!("WAIT\n{}", sure("invoice"));
        let pages = vec![page.as_str(); 25];
        let id = office.pages(&pages, "exact").await;
        office.until(&id, |now| now["page_count"] == 25).await;
        let detail = office.detail(&id).await;
        let indices: Vec<_> = detail["pages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|page| page["page_index"].as_u64().unwrap())
            .collect();
        assert_eq!(indices, (0..25).collect::<Vec<u64>>());
        let join = &detail["fan_in"][0];
        assert_eq!(join["stage"], "classification_aggregation");
        assert_eq!((&join["expected"], &join["received"]), (&json!(25), &json!(0)));
        let stages = detail["timeline"].as_array().unwrap();
        assert_eq!(stages.iter().filter(|one| one["component"] == "ocr").count(), 25);
        office.outside.release(25);
        let status = office.finished(&id).await;
        assert_eq!(spans(&status), [json!((0..25).collect::<Vec<u32>>())]);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_4_pages_that_end_together_are_grouped_once() {
    on_both(async |desk| {
        let office = Office::with(desk, Setup { threads: 5, ..Setup::default() }).await;
        let rounds = if desk.url.starts_with("sqlite") { 100 } else { 30 };
        let mut ids = Vec::new();
        for _ in 0..rounds {
            let types = ["invoice", "id_card", "payslip", "receipt", "invoice"];
            let pages: Vec<String> = types.iter().map(|one| sure(one)).collect();
            let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
            ids.push(office.pages(&pages, "exact").await);
        }
        for id in ids {
            let status = office.finished(&id).await;
            assert_eq!(
                (&status["status"], &status["document_count"]),
                (&json!("completed"), &json!(5))
            );
            let detail = office.detail(&id).await;
            let extractions = detail["timeline"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|one| one["stage"] == "extract")
                .count();
            assert_eq!(extractions, 5, "one extraction for each document");
        }
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_14_the_deadline_counts_from_reception() {
    on_both(async |desk| {
        let clock = Clock::manual(noon());
        let part = Part::Gateway;
        let office = Office::with(desk, Setup { clock, part, ..Setup::default() }).await;
        let id = office.pages(&[&sure("invoice")], "exact").await;
        let deadline = office.status(&id).await["deadline_utc"].clone();
        assert_eq!(deadline, "2026-11-16T12:01:00Z");
        office.close().await;
        // Ten seconds later somebody starts the workers.
        let clock = Clock::manual(noon() + Duration::from_secs(10));
        let office = Office::with(desk, Setup { clock, ..Setup::default() }).await;
        office.outside.failing.store(1, std::sync::atomic::Ordering::SeqCst);
        office.client.advance(1).await;
        let status = office.finished(&id).await;
        assert_eq!((&status["status"], &status["deadline_utc"]), (&json!("completed"), &deadline));
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_18_a_closed_document_does_not_wait() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let last = format!("WAIT\n{}", sure("invoice"));
        let pages = [sure("id_card"), sure("id_card"), sure("invoice"), last];
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        let id = office.pages(&pages, "exact").await;
        // The first document is there, extracted even, while page 3 is still out.
        office.until(&id, |now| now["document_count"] == 1).await;
        let settled = |detail: &Json| detail["documents"][0]["status"] == "completed";
        let detail = office.detail_until(&id, settled).await;
        assert_eq!(detail["documents"][0]["page_indices"], json!([0, 1]));
        assert_eq!(detail["status"], "processing");
        office.outside.release(1);
        let status = office.finished(&id).await;
        assert_eq!(spans(&status), [json!([0, 1]), json!([2, 3])]);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_19_the_urgent_request_overtakes() {
    on_both(async |desk| {
        let only = |part| Setup { part, threads: 1, ..Setup::default() };
        let slow = docproc::rules::workflow::DEFAULT
            .replace("name: default", "name: patient")
            .replace("deadline_seconds: 60", "deadline_seconds: 300");
        let hasty = slow.replace("name: patient", "name: hasty").replace("300", "30");
        std::fs::create_dir_all(desk.dir.join("workflows")).unwrap();
        std::fs::write(desk.dir.join("workflows/patient.yaml"), slow).unwrap();
        std::fs::write(desk.dir.join("workflows/hasty.yaml"), hasty).unwrap();
        let door = Office::with(desk, only(Part::Gateway)).await;
        // Nobody reads until all pages of both wait, those of the patient one first.
        let router = Office::with(desk, only(Part::Router)).await;
        let splitter = Office::with(desk, only(Part::Only(Component::Splitter))).await;
        let patient = door.pages(&["nothing that anybody knows"; 60], "patient").await;
        door.until(&patient, |now| now["page_count"] == 60).await;
        let hasty = door.pages(&["one", "two", "three"], "hasty").await;
        door.until(&hasty, |now| now["page_count"] == 3).await;
        let reader = Office::with(desk, only(Part::Only(Component::Ocr))).await;
        for id in [&patient, &hasty] {
            let unread = |page: &Json| page["ocr_text"].is_null();
            let all = |now: &Json| !now["pages"].as_array().unwrap().iter().any(unread);
            door.detail_until(id, all).await;
        }
        let mut tx = door.context().store.read().await.unwrap();
        let sql = "SELECT request_id FROM messages WHERE component = 'ocr' AND state = 'DONE'
                   ORDER BY started_at";
        let order: Vec<String> = tx
            .all(sql, &[])
            .await
            .unwrap()
            .iter()
            .map(|row| row.get("request_id").unwrap())
            .collect();
        drop(tx);
        assert_eq!(
            (order.len(), &order[..3]),
            (63, [hasty.clone(), hasty.clone(), hasty].as_slice())
        );
        for office in [reader, splitter, router, door] {
            office.close().await;
        }
    })
    .await;
}
