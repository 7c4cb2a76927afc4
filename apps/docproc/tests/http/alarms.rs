//! S-27: the five alarms at their numbers, and their end; S-28: what is measured.

use db::Decision;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};

use crate::{
    deadlines::DOUBTFUL,
    office::{Office, noon, on_both},
    outside::sure,
};

async fn firing(office: &Office) -> Vec<String> {
    office.client.advance(15).await;
    let list = office.client.get("/api/alerts").await.expect(200);
    let mut names: Vec<String> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|alert| alert["firing"] == true)
        .map(|alert| alert["fingerprint"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

async fn decide(office: &Office, change: impl AsyncFnOnce(&mut Decision)) {
    let context = office.context();
    let scope = db::Scope::new("test");
    let mut decision = context.store.decide(&scope, context.clock.now()).await.unwrap();
    change(&mut decision).await;
    decision.commit().await.unwrap();
}

/// Copies of a request that came at another time and are done.
async fn copies(office: &Office, of: &str, n: usize, at: Timestamp) {
    decide(office, async |decision| {
        let sql = "INSERT INTO requests (id, trace_id, channel, workflow_id, workflow_name, status,
                   sla_seconds, deadline_utc, metadata, created_by, created_at, updated_at,
                   completed_at)
                   SELECT $1, trace_id, channel, workflow_id, workflow_name, 'completed',
                   sla_seconds, $3, metadata, created_by, $3, $3, $3 FROM requests WHERE id = $2";
        for _ in 0..n {
            let id = uuid::Uuid::now_v7().to_string();
            decision.tx.execute(sql, &[id.into(), of.into(), at.into()]).await.unwrap();
        }
    })
    .await;
}

/// Pages that took so long to read, done at an instant.
async fn pages_read(office: &Office, of: &str, n: i64, at: Timestamp, millis: i64) {
    decide(office, async |decision| {
        let sql = "INSERT INTO messages (request_id, run, stage_at, stage, component, item, state,
                   priority, deadline_utc, due_at, created_at, started_at, finished_at)
                   VALUES ($1, $2, 1, 'ocr', 'ocr', $3, 'DONE', 5, $4, $4, $4, $5, $4)";
        for page in 0..n {
            let began = at - SignedDuration::from_millis(millis);
            let run = at.as_second() % 100_000;
            let item = format!("p{page}");
            let args = [of.into(), run.into(), item.into(), at.into(), began.into()];
            decision.tx.execute(sql, &args).await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn scenario_27_fifty_one_classifications_ring_and_fifty_do_not() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let page = "TYPE invoice 0.5";
        let fifty = office.pages(&vec![page; 50], "exact").await;
        office.client.advance(0).await;
        assert_eq!(firing(&office).await, [""; 0]);
        let one = office.pages(&[page], "exact").await;
        office.client.advance(0).await;
        assert_eq!(firing(&office).await, ["docproc/cola-clasificacion"]);
        let path = format!("/api/docproc/requests/{one}/cancel");
        office.client.post(&path, json!({})).await.expect(200);
        // The others have come near their deadline: cancelled as well, nothing rings.
        office.client.post(&format!("/api/docproc/requests/{fifty}/cancel"), json!({})).await;
        assert_eq!(firing(&office).await, [""; 0], "it ends with its cause");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_27_little_time_left_rings_until_it_is_done() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let id = office.pages(&[DOUBTFUL], "exact").await;
        office.client.advance(33).await;
        assert_eq!(firing(&office).await, ["docproc/sla-en-riesgo"], "48 s of 60");
        crate::deadlines::answer(&office, &id).await;
        assert_eq!(firing(&office).await, [""; 0]);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_27_volume_is_compared_with_the_same_hour_of_the_weekday() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let id = office.pages(&[&sure("invoice")], "exact").await;
        office.client.advance(0).await;
        let week = SignedDuration::from_hours(7 * 24);
        copies(&office, &id, 80, noon() - week + SignedDuration::from_mins(59)).await;
        copies(&office, &id, 120, noon() - week - week).await;
        // Another hour and another day do not count.
        copies(&office, &id, 30, noon() - week - SignedDuration::from_mins(1)).await;
        copies(&office, &id, 30, noon() - SignedDuration::from_hours(24)).await;
        copies(&office, &id, 138, noon()).await;
        assert_eq!(firing(&office).await, [""; 0], "139 against 100");
        copies(&office, &id, 2, noon()).await;
        assert_eq!(firing(&office).await, ["docproc/volumen"], "141 against 100");
        office.client.advance(3600).await;
        assert_eq!(firing(&office).await, [""; 0], "another hour");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_27_reading_twice_as_long_as_usual_rings() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let id = office.pages(&[&sure("invoice")], "exact").await;
        office.client.advance(0).await;
        pages_read(&office, &id, 200, noon() - SignedDuration::from_hours(20), 1500).await;
        pages_read(&office, &id, 20, noon() - SignedDuration::from_mins(5), 2900).await;
        assert_eq!(firing(&office).await, [""; 0]);
        pages_read(&office, &id, 60, noon() - SignedDuration::from_mins(4), 3600).await;
        assert_eq!(firing(&office).await, ["docproc/ocr-lento"]);
        office.client.advance(1200).await;
        assert_eq!(firing(&office).await, [""; 0], "nothing read lately, nothing to compare");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_28_figures_are_on_the_screen_and_in_the_metrics() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let pages = [sure("invoice"), sure("id_card"), DOUBTFUL.to_owned()];
        office.pages(&[&pages[0], &pages[1], &pages[2]], "exact").await;
        office.pages(&[&sure("payslip")], "exact").await;
        office.client.advance(301).await;
        for (lang, words) in [
            ("es", ["P95", "P99", "Sin intervención", "Lo que fue a personas hoy"]),
            ("en", ["P95", "P99", "Straight through", "What went to people today"]),
        ] {
            let request = office.client.request(reqwest::Method::GET, "/docproc");
            let answer = request.header("accept-language", lang).header("accept", "text/html");
            let html = answer.send().await.unwrap().text().await.unwrap();
            for word in words {
                assert!(html.contains(word), "{lang}: {word}");
            }
        }
        let text = office.client.get("/metrics").await.text;
        for name in [
            "docproc_stage_seconds_bucket",
            "docproc_requests_open",
            "docproc_tasks_waiting",
            "docproc_manual_ratio",
            "docproc_straight_through_ratio",
            "docproc_process_memory_bytes",
        ] {
            assert!(text.contains(name), "{name}");
        }
        let ratio = "docproc_manual_ratio{stage=\"extraction\",doc_type=\"invoice\"} 0.5";
        assert!(text.contains(ratio), "{text}");
        let _: Json = office.client.get("/health").await.expect(200);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_27_three_urgent_tasks_ring_when_two_operators_are_free() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        for name in ["ana", "luis"] {
            // Neither sorts pages, so the tasks stay in the queue and they stay free.
            let body = json!({ "username": name, "skills": ["extraction"] });
            office.client.post("/api/docproc/operators", body).await.expect(201);
        }
        let mut requests = Vec::new();
        for _ in 0..3 {
            requests.push(office.pages(&["TYPE invoice 0.5"], "exact").await);
        }
        let people = |names: Vec<String>| names.iter().any(|name| name.ends_with("operadores"));
        assert!(!people(firing(&office).await), "nothing is urgent yet");
        office.client.advance(30).await;
        assert!(people(firing(&office).await), "three tasks were warned of, two are free");
        let path = format!("/api/docproc/requests/{}/cancel", requests[0]);
        office.client.post(&path, json!({})).await.expect(200);
        assert!(!people(firing(&office).await), "two tasks, two people");
        office.close().await;
    })
    .await;
}
