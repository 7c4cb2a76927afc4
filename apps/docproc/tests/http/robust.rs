//! S-5, S-21, S-22 and S-23: messages twice, workers that stop, poison.

use std::{sync::atomic::Ordering, time::Duration};

use docproc::Part;
use serde_json::{Value as Json, json};

use crate::{
    office::{Office, Setup, on_both},
    outside::sure,
};

async fn shape(office: &Office, id: &str) -> (Json, Vec<Json>) {
    let status = office.finished(id).await;
    let documents = status["result"]["documents"].as_array().unwrap();
    let brief = |document: &Json| {
        json!([document["doc_type"], document["page_indices"], document["extracted_data"]])
    };
    (status["document_count"].clone(), documents.iter().map(brief).collect())
}

#[tokio::test]
async fn scenario_5_everything_delivered_twice_counts_once() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let types = ["invoice", "invoice", "id_card", "payslip", "payslip"];
        let pages: Vec<String> = types.iter().map(|one| sure(one)).collect();
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        let once = office.pages(&pages, "exact").await;
        let once = shape(&office, &once).await;
        for round in 0..20 {
            let id = office.pages(&pages, "exact").await;
            // Whatever was done is delivered again, at a moment that differs from round to round.
            for _ in 0..4 {
                tokio::time::sleep(Duration::from_millis(round * 3)).await;
                let context = office.context();
                let scope = docproc::store::scope(&id);
                let mut decision = context.store.decide(&scope, context.clock.now()).await.unwrap();
                let sql =
                    "UPDATE messages SET state = 'READY' WHERE request_id = $1 AND state = 'DONE'";
                decision.tx.execute(sql, &[id.as_str().into()]).await.unwrap();
                decision.commit().await.unwrap();
            }
            assert_eq!(shape(&office, &id).await, once, "round {round}");
            let detail = office.detail(&id).await;
            let joins = detail["fan_in"].as_array().unwrap();
            assert!(joins.iter().all(|join| join["received"] == join["expected"]), "{joins:?}");
        }
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_21_a_worker_that_stops_finishes_what_it_holds() {
    on_both(async |desk| {
        let gateway = Setup { part: Part::Gateway, ..Setup::default() };
        let door = Office::with(desk, gateway).await;
        let page = "nothing anybody knows";
        let mut ids = Vec::new();
        for _ in 0..20 {
            ids.push(door.pages(&[page, page, page, page], "default").await);
        }
        for _ in 0..8 {
            let workers = Office::open(desk).await;
            tokio::time::sleep(Duration::from_millis(30)).await;
            workers.close().await;
            let mut tx = door.context().store.read().await.unwrap();
            let sql = "SELECT COUNT(*) AS n FROM messages WHERE state = 'CLAIMED'";
            let held: i64 = tx.one(sql, &[]).await.unwrap().get("n").unwrap();
            assert_eq!(held, 0, "a worker left with messages in hand");
        }
        let workers = Office::open(desk).await;
        for id in ids {
            door.until(&id, |now| now["page_count"] == 4).await;
            let unread = |page: &Json| page["ocr_text"].is_null();
            door.detail_until(&id, |now| !now["pages"].as_array().unwrap().iter().any(unread))
                .await;
            let dead = door.client.get("/api/docproc/dead-letters").await.expect(200);
            assert_eq!(dead["items"], json!([]));
        }
        workers.close().await;
        door.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_23_poison_is_tried_so_often_then_buried() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let poison = office.pages(&["FAIL 500"], "exact").await;
        let good = sure("invoice");
        let mut others = Vec::new();
        for _ in 0..20 {
            others.push(office.pages(&[&good], "exact").await);
        }
        for id in &others {
            assert_eq!(office.finished(id).await["status"], "completed");
        }
        let ended = office.finished(&poison).await;
        assert_eq!(ended["status"], "failed");
        assert!(ended["error"].as_str().unwrap().contains("500"), "{ended}");
        let dead = office.client.get("/api/docproc/dead-letters").await.expect(200);
        let letters = dead["items"].as_array().unwrap();
        assert_eq!(letters.len(), 1);
        assert_eq!(
            (&letters[0]["attempts"], &letters[0]["code"]),
            (&json!(3), &json!("HTTP_STATUS"))
        );
        let groups = office.client.get("/api/docproc/dead-letters/groups").await.expect(200);
        assert_eq!(groups["items"][0]["count"], 1);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_24_a_dead_letter_replayed_after_the_fix_completes() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        office.outside.failing.store(3, Ordering::SeqCst);
        let id = office.pages(&[&sure("invoice")], "exact").await;
        assert_eq!(office.finished(&id).await["status"], "failed");
        let body = json!({ "code": "HTTP_STATUS" });
        let done = office.client.post("/api/docproc/dead-letters/replay", body).await.expect(200);
        assert_eq!(done["requests"], 1);
        let (status, _) = office.until(&id, |now| now["status"] == "completed").await;
        assert_eq!((&status["error"], &status["document_count"]), (&Json::Null, &json!(1)));
        // Nothing is left to replay.
        let path = format!("/api/docproc/requests/{id}/replay");
        office.client.post(&path, json!({})).await.expect(409);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_cancelled_request_stays_cancelled() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let id = office.pages(&[&format!("WAIT\n{}", sure("invoice"))], "exact").await;
        office.until(&id, |now| now["page_count"] == 1).await;
        let path = format!("/api/docproc/requests/{id}/cancel");
        office.client.post(&path, json!({ "reason": "sent by mistake" })).await.expect(200);
        office.outside.release(1);
        office.client.post(&path, json!({})).await.expect(409);
        let other = office.pages(&[&sure("invoice")], "exact").await;
        office.finished(&other).await;
        let status = office.status(&id).await;
        assert_eq!(status["status"], "cancelled");
        assert!(status["error"].as_str().unwrap().contains("sent by mistake"));
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_request_done_over_gives_the_same_answer() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let pages = [sure("invoice"), sure("id_card"), sure("payslip")];
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        let id = office.pages(&pages, "exact").await;
        let before = shape(&office, &id).await;
        for stage in ["extract", "classify", "ocr", "split"] {
            let calls = office.outside.calls.load(Ordering::SeqCst);
            let path = format!("/api/docproc/requests/{id}/reprocess?from={stage}");
            office.client.post(&path, json!({})).await.expect(200);
            assert_eq!(shape(&office, &id).await, before, "from {stage}");
            assert!(office.outside.calls.load(Ordering::SeqCst) > calls, "{stage} did nothing");
        }
        let path = format!("/api/docproc/requests/{id}/reprocess?from=nowhere");
        office.client.post(&path, json!({})).await.expect(422);
        office.close().await;
    })
    .await;
}
