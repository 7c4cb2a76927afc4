//! S-8 to S-13: people take tasks, answer them, fall silent; the pipeline goes on.

use serde_json::{Value as Json, json};
use testkit::Answer;

use crate::{
    office::{Office, on_both},
    outside::{fields, sure},
};

const SILENCE_TIMEOUT: i64 = 120;

/// A page whose type nobody is sure of.
fn doubtful(doc_type: &str) -> String {
    format!("TYPE {doc_type} 0.60\n{}", fields(doc_type))
}

pub(crate) async fn tasks(office: &Office, filter: &str) -> Vec<Json> {
    let all = office.client.get(&format!("/api/tasks{filter}")).await.expect(200);
    all.as_array().unwrap().clone()
}

pub(crate) async fn only_task(office: &Office) -> Json {
    let mut open: Vec<Json> = tasks(office, "")
        .await
        .into_iter()
        .filter(|task| ["pending", "assigned", "timeout"].contains(&word(task, "status")))
        .collect();
    assert_eq!(open.len(), 1, "{open:?}");
    open.remove(0)
}

pub(crate) fn word<'a>(json: &'a Json, name: &str) -> &'a str {
    json[name].as_str().unwrap_or_default()
}

pub(crate) async fn act(office: &Office, id: &str, what: &str, body: Json) -> Answer {
    office.client.post(&format!("/tasks/{id}/{what}"), body).await
}

async fn operator(office: &Office, name: &str, skills: &[&str]) {
    let body = json!({ "username": name, "skills": skills });
    office.client.post("/api/docproc/operators", body).await.expect(201);
}

/// Sends pages and waits until nothing is left to do for machines.
pub(crate) async fn sent(office: &Office, pages: &[&str]) -> String {
    let id = office.pages(pages, "exact").await;
    office.client.advance(0).await;
    id
}

#[tokio::test]
async fn scenario_8_a_person_sorts_a_page_and_the_request_completes() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let (invoice, payslip) = (sure("invoice"), sure("payslip"));
        let id = sent(&office, &[&invoice, &payslip, &doubtful("payslip"), &invoice]).await;
        let before = office.detail(&id).await;
        assert_eq!(before["status"], "processing");
        assert_eq!(
            (&before["fan_in"][0]["received"], &before["fan_in"][0]["expected"]),
            (&json!(3), &json!(4))
        );
        let task = only_task(&office).await;
        let task = word(&task, "id");
        act(&office, task, "claim", json!({ "operator": "ana" })).await.expect(200);
        let body = json!({ "operator": "ana", "doc_type": "payslip" });
        assert_eq!(act(&office, task, "submit", body).await.expect(200)["status"], "completed");
        office.client.advance(0).await;
        let after = office.detail(&id).await;
        assert_eq!(after["status"], "completed", "{after}");
        let page = &after["pages"][2];
        assert_eq!(
            (&page["doc_type"], &page["classification_confidence"], &page["origin"]),
            (&json!("payslip"), &json!(1.0), &json!("BACKOFFICE"))
        );
        for same in ["trace_id", "deadline_utc", "workflow_version"] {
            assert_eq!(before[same], after[same], "{same}");
        }
        let groups: Vec<_> =
            after["documents"].as_array().unwrap().iter().map(|d| &d["page_indices"]).collect();
        assert_eq!(groups, [&json!([0]), &json!([1, 2]), &json!([3])]);
        // What was learnt is kept with the words of the page, and can be a golden case.
        let learnt = office.client.get("/api/docproc/corrections").await.expect(200);
        let one = &learnt["items"][0];
        assert_eq!((&one["kind"], &one["changed"]), (&json!("classification"), &json!(false)));
        let path = format!("/api/docproc/corrections/{}", word(one, "id"));
        let marked = office.client.put(&path, json!({ "golden": true })).await.expect(200);
        assert_eq!(marked["golden"], true);
        let golden = office.client.get("/api/docproc/corrections?golden=true").await.expect(200);
        assert_eq!(golden["items"].as_array().unwrap().len(), 1);
        let mut tx = office.context().store.read().await.unwrap();
        let lessons = docproc::training::corrections(&mut tx).await.unwrap();
        assert_eq!(lessons.len(), 1);
        assert!(lessons[0].page.text().contains("TYPE payslip 0.60"));
        drop(tx);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_person_completes_the_fields_of_a_document() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let page = "TYPE invoice 0.95\nFIELD invoice_number F-1 0.95\nFIELD total_amount 12 0.40";
        let id = sent(&office, &[page]).await;
        let task = only_task(&office).await;
        let task = word(&task, "id");
        let taken = act(&office, task, "claim", json!({ "operator": "ana" })).await.expect(200);
        let flagged: Vec<_> = taken["fields"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|field| field["needs_review"] == true)
            .map(|f| word(f, "name"))
            .collect();
        assert_eq!(flagged, ["total_amount"]);
        // As the seed's form sends it.
        let form = "operator=ana&extracted_data=%7B%22total_amount%22%3A+%221.250%2C50%22%7D";
        let request =
            office.client.request(reqwest::Method::POST, &format!("/tasks/{task}/submit"));
        let kind = "application/x-www-form-urlencoded";
        let request = request.header("Content-Type", kind).body(form);
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 200, "{}", answer.text().await.unwrap());
        office.client.advance(0).await;
        let done = office.status(&id).await;
        assert_eq!(done["status"], "completed");
        let data = &done["result"]["documents"][0]["extracted_data"];
        assert_eq!(
            (&data["invoice_number"], &data["total_amount"]),
            (&json!("F-1"), &json!(1250.5))
        );
        let document = &office.detail(&id).await["documents"][0];
        assert_eq!(
            (&document["origin"], &document["extraction_confidence"]),
            (&json!("BACKOFFICE"), &json!(1.0))
        );
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_9_of_twenty_who_claim_one_wins_a_thousand_times() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        sent(&office, &[&doubtful("invoice")]).await;
        let task = only_task(&office).await;
        let (task, context) = (word(&task, "id").to_owned(), office.context().clone());
        let rounds = testkit::rounds(1_000);
        for round in 1..=rounds {
            let claims = (0..20).map(|n| {
                let (context, task) = (context.clone(), task.clone());
                tokio::spawn(async move {
                    let name = format!("op{n}");
                    let taken = docproc::decisions::people::claim(&context, &name, &task).await;
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
                assert!(tasks(&office, "?status=pending").await.is_empty(), "gone for others");
                assert_eq!(only_task(&office).await["assigned_to"], winner.as_str());
                break;
            }
            let back = docproc::decisions::people::give_back(&context, winner, &task, None).await;
            back.unwrap().unwrap();
        }
        drop(context);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_10_only_the_claimant_answers_once_and_rightly() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let id = sent(&office, &[&sure("invoice"), &doubtful("payslip")]).await;
        let task = only_task(&office).await;
        let task = word(&task, "id");
        let received = async || office.detail(&id).await["fan_in"][0]["received"].clone();
        let answer = |who: &str, doc_type: &str| json!({ "operator": who, "doc_type": doc_type });
        act(&office, task, "submit", answer("ana", "payslip")).await.expect(403);
        act(&office, task, "claim", json!({ "operator": "ana" })).await.expect(200);
        act(&office, task, "claim", json!({ "operator": "ana" })).await.expect(200);
        act(&office, task, "claim", json!({ "operator": "luis" })).await.expect(409);
        act(&office, task, "submit", answer("luis", "payslip")).await.expect(403);
        for bad in [
            answer("ana", "spaceship"),
            answer("ana", ""),
            json!({ "operator": "ana" }),
            json!({ "operator": "ana", "extracted_data": [1, 2] }),
            json!({ "operator": "ana", "extracted_data": "[1]" }),
            json!({ "operator": "ana", "extracted_data": "{" }),
            json!({ "operator": "ana", "extracted_data": { "total": 1 } }),
            json!({ "operator": "ana", "groups": 7 }),
            json!({ "doc_type": "payslip" }),
            json!({ "operator": "x".repeat(200), "doc_type": "payslip" }),
        ] {
            let refused = act(&office, task, "submit", bad.clone()).await.expect(422);
            assert!(!word(&refused, "detail").is_empty(), "{bad}");
        }
        act(&office, task, "submit", json!([1])).await.expect(422);
        assert_eq!(only_task(&office).await["assigned_to"], "ana", "still hers");
        assert_eq!(received().await, 1);
        act(&office, task, "submit", answer("ana", "payslip")).await.expect(200);
        assert_eq!(received().await, 2);
        let again = act(&office, task, "submit", answer("ana", "payslip")).await.expect(409);
        assert_eq!(again["code"], "TAREA_TERMINADA");
        assert_eq!(received().await, 2);
        act(&office, task, "claim", json!({ "operator": "luis" })).await.expect(409);
        let nobody = "00000000-0000-7000-8000-000000000000";
        act(&office, nobody, "claim", json!({ "operator": "ana" })).await.expect(404);
        act(&office, "x", "claim", json!({ "operator": "ana" })).await.expect(422);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn values_that_break_the_schema_are_told_by_field() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let page = "TYPE invoice 0.95\nFIELD invoice_number F-1 0.95";
        let id = sent(&office, &[page]).await;
        let task = only_task(&office).await;
        let task = word(&task, "id");
        act(&office, task, "claim", json!({ "operator": "ana" })).await.expect(200);
        let data = json!({ "total_amount": "mucho", "date": "ayer", "colour": "red" });
        let body = json!({ "operator": "ana", "extracted_data": data });
        let refused = act(&office, task, "submit", body).await.expect(422);
        let mut paths: Vec<_> =
            refused["errors"].as_array().unwrap().iter().map(|e| word(e, "path")).collect();
        paths.sort_unstable();
        assert_eq!(paths, ["colour", "date", "total_amount"]);
        let body = json!({ "operator": "ana", "extracted_data": {} });
        act(&office, task, "submit", body).await.expect(422);
        assert_eq!(only_task(&office).await["status"], "assigned", "unchanged");
        // It is really not on the paper.
        let body = json!({ "operator": "ana", "absent": ["total_amount"] });
        act(&office, task, "submit", body).await.expect(200);
        office.client.advance(0).await;
        let done = office.status(&id).await;
        assert_eq!(done["status"], "completed");
        assert_eq!(done["result"]["documents"][0]["extracted_data"]["total_amount"], Json::Null);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_11_a_task_goes_to_whoever_can_and_has_least() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        operator(&office, "A", &["classification"]).await;
        sent(&office, &[&doubtful("invoice")]).await;
        sent(&office, &[&doubtful("invoice")]).await;
        assert_eq!(tasks(&office, "?status=assigned").await.len(), 2, "A has both");
        operator(&office, "B", &["classification"]).await;
        operator(&office, "C", &["extraction"]).await;
        let more = |extra: Json| {
            let mut body = json!({ "skills": ["classification"] });
            body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            body
        };
        let d = more(json!({ "username": "D", "is_active": false }));
        office.client.post("/api/docproc/operators", d).await.expect(201);
        let night = json!([{ "days": ["Lu", "tue", 3], "from": "22:00", "to": "06:00" }]);
        let e = more(json!({ "username": "E", "shifts": night }));
        office.client.post("/api/docproc/operators", e).await.expect(201);
        for _ in 0..2 {
            let id = sent(&office, &[&doubtful("invoice")]).await;
            let all = tasks(&office, "?status=assigned").await;
            let task = all.iter().find(|task| task["request_id"] == id.as_str()).unwrap();
            assert_eq!(task["assigned_to"], "B");
        }
        let listed = office.client.get("/api/docproc/operators").await.expect(200);
        let open: Vec<_> =
            listed.as_array().unwrap().iter().map(|o| o["open_tasks"].as_i64().unwrap()).collect();
        assert_eq!(open, [2, 2, 0, 0, 0]);
        assert_eq!(
            (&listed[4]["in_shift"], &listed[3]["is_active"]),
            (&json!(false), &json!(false))
        );
        // An extraction goes to C, and to nobody without the skill.
        let doubt = "TYPE invoice 0.95\nFIELD invoice_number F-1 0.2\nFIELD total_amount 1 0.9";
        let id = sent(&office, &[doubt]).await;
        let all = tasks(&office, "?status=assigned&skill=extraction").await;
        assert_eq!((&all[0]["assigned_to"], &all[0]["request_id"]), (&json!("C"), &json!(id)));
        let task = word(&all[0], "id");
        let refused = act(&office, task, "claim", json!({ "operator": "A" })).await.expect(409);
        assert_eq!(refused["code"], "TAREA_OCUPADA");
        act(&office, task, "release", json!({ "operator": "C" })).await.expect(200);
        let refused = act(&office, task, "claim", json!({ "operator": "A" })).await.expect(403);
        assert_eq!(refused["code"], "SIN_HABILIDAD");
        let why = office.client.get(&format!("/api/docproc/tasks/{task}/why")).await.expect(200);
        assert_eq!(why["reasons"][0]["code"], "DEVUELTA", "{why}");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_12_silence_gives_a_task_to_the_next() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        operator(&office, "A", &["classification"]).await;
        sent(&office, &[&doubtful("payslip")]).await;
        operator(&office, "B", &["classification"]).await;
        let task = only_task(&office).await;
        assert_eq!(task["assigned_to"], "A");
        let task = word(&task, "id");
        let hers = json!({ "operator": "A" });
        // With a heartbeat every 30 s it stays.
        for _ in 0..6 {
            office.client.advance(30).await;
            act(&office, task, "heartbeat", hers.clone()).await.expect(200);
        }
        assert_eq!(only_task(&office).await["assigned_to"], "A");
        office.client.advance(SILENCE_TIMEOUT - 1).await;
        assert_eq!(only_task(&office).await["assigned_to"], "A");
        office.client.advance(1).await;
        let now = only_task(&office).await;
        assert_eq!((&now["assigned_to"], &now["status"]), (&json!("B"), &json!("assigned")));
        let events = office.client.get("/api/docproc/operators").await.expect(200);
        assert_eq!(events[0]["presence"], "silent");
        // Too late: refused, and what was typed is kept.
        office.client.advance(10).await;
        let late = json!({ "operator": "A", "doc_type": "payslip" });
        let refused = act(&office, task, "submit", late).await.expect(409);
        assert_eq!(refused["code"], "TAREA_VENCIDA");
        act(&office, task, "heartbeat", hers.clone()).await.expect(409);
        let kept = office.client.get(&format!("/tasks/{task}?operator=A")).await.expect(200);
        assert_eq!(kept["draft"], json!({ "doc_type": "payslip" }));
        assert_eq!(kept["assigned_to"], "B");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn silence_without_anybody_else_leaves_a_task_to_be_claimed() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let id = sent(&office, &[&doubtful("payslip")]).await;
        let task = only_task(&office).await;
        let task = word(&task, "id");
        act(&office, task, "claim", json!({ "operator": "ana" })).await.expect(200);
        let draft = json!({ "operator": "ana", "data": { "doc_type": "payslip" } });
        act(&office, task, "draft", draft).await.expect(204);
        office.client.advance(SILENCE_TIMEOUT).await;
        let now = only_task(&office).await;
        assert_eq!((&now["status"], &now["assigned_to"]), (&json!("timeout"), &Json::Null));
        assert_eq!(tasks(&office, "?status=pending").await.len(), 1, "nobody has it");
        let why = office.client.get(&format!("/api/docproc/tasks/{task}/why")).await.expect(200);
        assert_eq!(why["reasons"][0]["code"], "SIN_HABILIDAD");
        // She comes back, and what she typed is there.
        let back = act(&office, task, "claim", json!({ "operator": "ana" })).await.expect(200);
        assert_eq!(back["draft"]["doc_type"], "payslip");
        let put_off = json!({ "operator": "ana", "minutes": 30 });
        act(&office, task, "postpone", put_off).await.expect(200);
        operator(&office, "luis", &["classification"]).await;
        assert_eq!(only_task(&office).await["status"], "pending", "nobody is offered it");
        office.client.advance(30 * 60 - 1).await;
        assert_eq!(only_task(&office).await["status"], "pending");
        office.client.advance(1).await;
        assert_eq!(only_task(&office).await["assigned_to"], "luis");
        let cancel = format!("/api/docproc/requests/{id}/cancel");
        office.client.post(&cancel, json!({})).await.expect(200);
        let late = json!({ "operator": "luis", "doc_type": "payslip" });
        let refused = act(&office, task, "submit", late).await.expect(409);
        assert_eq!(refused["code"], "TAREA_RETIRADA");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_13_tasks_are_narrowed_by_skill() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        for _ in 0..3 {
            sent(&office, &[&doubtful("invoice")]).await;
        }
        for _ in 0..2 {
            sent(&office, &["TYPE invoice 0.95\nFIELD invoice_number F-1 0.2"]).await;
        }
        let by = async |skill: &str| {
            tasks(&office, &format!("?status=pending&skill={skill}")).await.len()
        };
        assert_eq!(by("classification").await, 3);
        assert_eq!(by("extraction").await, 2);
        assert_eq!(by("invoice").await, 2);
        assert_eq!(by("nothing").await, 0);
        // The next task is the most urgent one, and never one that is on the desk already.
        let mut seen = Vec::new();
        for _ in 0..5 {
            let body = json!({ "operator": "ana", "but": seen });
            let next = office.client.post("/api/docproc/desk/next", body).await.expect(200);
            seen.push(word(&next, "id").to_owned());
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 5);
        let body = json!({ "operator": "luis" });
        office.client.post("/api/docproc/desk/next", body).await.expect(204);
        // A supervisor moves one.
        operator(&office, "B", &["classification"]).await;
        let all = tasks(&office, "?status=assigned&skill=classification").await;
        let path = format!("/api/docproc/tasks/{}/reassign", word(&all[0], "id"));
        let moved = office.client.post(&path, json!({ "operator": "B" })).await.expect(200);
        assert_eq!(moved["assigned_to"], "B");
        office.client.post(&path, json!({ "operator": "nobody" })).await.expect(422);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_submission_sent_again_with_its_key_is_one() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        sent(&office, &[&doubtful("payslip")]).await;
        let task = only_task(&office).await;
        let task = word(&task, "id");
        act(&office, task, "claim", json!({ "operator": "ana" })).await.expect(200);
        let body = json!({ "operator": "ana", "doc_type": "payslip" });
        for _ in 0..3 {
            let path = format!("/tasks/{task}/submit");
            let request = office.client.request(reqwest::Method::POST, &path);
            let request = request.header("Idempotency-Key", "k-1").json(&body);
            assert_eq!(request.send().await.unwrap().status().as_u16(), 200);
        }
        let learnt = office.client.get("/api/docproc/corrections").await.expect(200);
        assert_eq!(learnt["items"].as_array().unwrap().len(), 1);
        office.close().await;
    })
    .await;
}
