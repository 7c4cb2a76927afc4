//! S-4, S-5, S-9, S-19 and S-21: much at the same time, everything twice, workers that stop.

use std::time::Duration;

use docproc::{Part, decisions::people, model::Component};
use serde_json::{Value as Json, json};

use crate::{
    office::{Office, Setup, on_both},
    outside::sure,
};

async fn shape(office: &Office, id: &str) -> (Json, Vec<Json>) {
    let status = office.finished(id).await;
    let documents = status["result"]["documents"].as_array();
    let documents = documents.unwrap_or_else(|| panic!("{status}"));
    let brief = |document: &Json| {
        json!([document["doc_type"], document["page_indices"], document["extracted_data"]])
    };
    (status["document_count"].clone(), documents.iter().map(brief).collect())
}

/// Pages of these types.
async fn sent(office: &Office, types: &[&str]) -> String {
    let pages: Vec<String> = types.iter().map(|one| sure(one)).collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    office.pages(&pages, "exact").await
}

#[tokio::test]
async fn scenario_4_pages_that_end_together_are_grouped_once() {
    on_both(async |desk| {
        let office = Office::with(Setup { threads: 5, ..Setup::of(desk) }).await;
        let rounds = if desk.url.starts_with("sqlite") { 100 } else { 30 };
        let mut ids = Vec::new();
        for _ in 0..rounds {
            let types = ["invoice", "id_card", "payslip", "receipt", "invoice"];
            ids.push(sent(&office, &types).await);
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
async fn scenario_5_everything_delivered_twice_counts_once() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let types = ["invoice", "invoice", "id_card", "payslip", "payslip"];
        let once = sent(&office, &types).await;
        let once = shape(&office, &once).await;
        for round in 0..20 {
            let id = sent(&office, &types).await;
            // Whatever was done is delivered again, at a moment that differs from round to round.
            for _ in 0..4 {
                tokio::time::sleep(Duration::from_millis(round * 3)).await;
                let context = office.context();
                let scope = docproc::store::scope(&id);
                let mut decision = context.store.decide(&scope, context.clock.now()).await.unwrap();
                // Being delivered again is no failed attempt: those are few.
                let sql = "UPDATE messages SET state = 'READY', attempt = 0
                           WHERE request_id = $1 AND state = 'DONE'";
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
async fn scenario_9_of_twenty_who_claim_one_wins_a_thousand_times() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        office.pages(&["TYPE invoice 0.60"], "exact").await;
        office.client.advance(0).await;
        let open = async |status: &str| {
            let path = format!("/api/tasks?status={status}");
            office.client.get(&path).await.expect(200).as_array().unwrap().clone()
        };
        let task = open("pending").await[0]["id"].as_str().unwrap().to_owned();
        let context = office.context().clone();
        let rounds = testkit::rounds(1_000);
        for round in 1..=rounds {
            let claims = (0..20).map(|n| {
                let (context, task) = (context.clone(), task.clone());
                tokio::spawn(async move {
                    let name = format!("op{n}");
                    let taken = people::claim(&context, &name, &task).await;
                    taken.unwrap().ok().map(|_| name)
                })
            });
            let mut winners = Vec::new();
            for claim in futures::future::join_all(claims).await {
                winners.extend(claim.unwrap());
            }
            assert_eq!(winners.len(), 1, "round {round}: {winners:?}");
            let winner = &winners[0];
            if round == rounds {
                assert!(open("pending").await.is_empty(), "gone for others");
                assert_eq!(open("assigned").await[0]["assigned_to"], winner.as_str());
                break;
            }
            let back = people::give_back(&context, winner, &task, None).await;
            back.unwrap().unwrap();
        }
        drop(context);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_19_the_urgent_request_overtakes() {
    Box::pin(on_both(async |desk| {
        let only = |part| Setup { part, threads: 1, ..Setup::of(desk) };
        let slow = docproc::rules::workflow::DEFAULT
            .replace("name: default", "name: patient")
            .replace("deadline_seconds: 60", "deadline_seconds: 300");
        let hasty = slow.replace("name: patient", "name: hasty").replace("300", "30");
        std::fs::create_dir_all(desk.dir.join("workflows")).unwrap();
        std::fs::write(desk.dir.join("workflows/patient.yaml"), slow).unwrap();
        std::fs::write(desk.dir.join("workflows/hasty.yaml"), hasty).unwrap();
        let door = Office::with(only(Part::Gateway)).await;
        // Nobody reads until all pages of both wait, those of the patient one first.
        let router = Office::with(only(Part::Router)).await;
        let splitter = Office::with(only(Part::Only(Component::Splitter))).await;
        let patient = door.pages(&["nothing that anybody knows"; 60], "patient").await;
        door.until(&patient, |now| now["page_count"] == 60).await;
        let hasty = door.pages(&["one", "two", "three"], "hasty").await;
        door.until(&hasty, |now| now["page_count"] == 3).await;
        let reader = Office::with(only(Part::Only(Component::Ocr))).await;
        for id in [&patient, &hasty] {
            door.all_read(id).await;
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
    }))
    .await;
}

#[tokio::test]
async fn scenario_21_a_worker_that_stops_finishes_what_it_holds() {
    on_both(async |desk| {
        let door = Office::with(Setup { part: Part::Gateway, ..Setup::of(desk) }).await;
        let page = "nothing anybody knows";
        let mut ids = Vec::new();
        for _ in 0..20 {
            ids.push(door.pages(&[page, page, page, page], "default").await);
        }
        for _ in 0..8 {
            let workers = Office::open(desk).await;
            tokio::time::sleep(Duration::from_millis(30)).await;
            workers.close().await;
            let held = "SELECT COUNT(*) AS n FROM messages WHERE state = 'CLAIMED'";
            assert_eq!(door.count(held).await, 0, "a worker left with messages in hand");
        }
        let workers = Office::open(desk).await;
        for id in ids {
            door.until(&id, |now| now["page_count"] == 4).await;
            door.all_read(&id).await;
            let dead = door.client.get("/api/docproc/dead-letters").await.expect(200);
            assert_eq!(dead["items"], json!([]));
        }
        workers.close().await;
        door.close().await;
    })
    .await;
}
