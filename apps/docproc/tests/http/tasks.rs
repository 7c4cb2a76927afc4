//! Lists of tasks when there are more of them than a page has (§13.4).

use std::collections::{BTreeMap, BTreeSet};

use docproc::store::{people_scope, reviews};
use serde_json::{Value as Json, json};

use crate::office::{Office, on_both};

/// With the one that was asked, more than the longest page.
const COPIES: usize = 1_204;

async fn write(office: &Office, statements: &[&'static str]) {
    let context = office.context();
    let mut decision = context.store.decide(&people_scope(), context.clock.now()).await.unwrap();
    for sql in statements {
        decision.tx.execute(*sql, &[]).await.unwrap();
    }
    decision.commit().await.unwrap();
}

/// A task, its copies, and of these one that goes last and asks for what no other does.
async fn crowded(office: &Office) {
    office.pages(&["TYPE invoice 0.60"], "exact").await;
    office.client.advance(0).await;
    let copied = "WITH RECURSIVE numbers (k) AS
        (SELECT 1 UNION ALL SELECT k + 1 FROM numbers WHERE k < 1204)
        INSERT INTO review_tasks (id, request_id, run, task_type, item, stage_at, source_stage,
        workflow_name, queue, deadline_utc, required_skills, input_data, created_at)
        SELECT 'copy-' || k, request_id, run, task_type, 'p' || (k + 10), stage_at, source_stage,
        workflow_name, queue, deadline_utc, required_skills, input_data, created_at
        FROM review_tasks, numbers";
    let rare = "UPDATE review_tasks SET required_skills = '[\"rare\"]', priority = 9,
        queue = 'raros' WHERE id = 'copy-1204'";
    write(office, &[copied, rare]).await;
}

fn ids(tasks: &Json) -> Vec<String> {
    let tasks = tasks.as_array().unwrap().iter();
    tasks.map(|task| task["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn no_list_of_tasks_is_cut_without_a_word() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        crowded(&office).await;
        let whole = office.client.get("/api/tasks").await;
        let last = ids(&whole.json()).pop();
        assert_eq!(ids(&whole.json()).len(), 1_000);
        assert_eq!(whole.header("x-next-cursor"), last.as_deref());
        let rare = office.client.get("/api/tasks?status=pending&skill=rare").await;
        assert_eq!(ids(&rare.json()), ["copy-1204"]);
        assert_eq!((rare.header("x-next-cursor"), rare.header("link")), (None, None));
        let mut path = Some("/api/tasks?status=pending&limit=500".to_owned());
        let (mut found, mut pages) = (Vec::new(), Vec::new());
        while let Some(at) = path {
            let page = office.client.get(&at).await;
            let next = page.header("link").and_then(|link| link.strip_prefix('<'));
            path = next.and_then(|link| link.split_once('>')).map(|(path, _)| path.to_owned());
            let shown = ids(&page.expect(200));
            pages.push(shown.len());
            found.extend(shown);
        }
        assert_eq!(pages, [500, 500, 205]);
        assert_eq!(found.last().map(String::as_str), Some("copy-1204"), "most urgent first");
        assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), COPIES + 1, "each once");
        for asked in ["limit=0", "limit=1001", "cursor=nobody"] {
            let answer = office.client.get(&format!("/api/tasks?{asked}")).await;
            assert_eq!(answer.status, 400, "{asked}: {}", answer.text);
        }
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn what_waits_for_a_team_is_found_behind_what_waits_for_all() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        crowded(&office).await;
        let team = Some("task.raros");
        let only = |tasks: Vec<reviews::TaskRow>| {
            assert_eq!(tasks.len(), 1);
            assert_eq!(tasks[0].id, "copy-1204");
        };
        let mut tx = office.context().store.read().await.unwrap();
        only(reviews::waits(&mut tx, team).await.unwrap());
        drop(tx);
        let now = "UPDATE review_tasks SET status = 'assigned', assigned_to = 'luis',
            assigned_at = created_at";
        write(&office, &[now]).await;
        let mut tx = office.context().store.read().await.unwrap();
        assert!(reviews::waits(&mut tx, team).await.unwrap().is_empty());
        only(reviews::assigned(&mut tx, team).await.unwrap());
        let loads = BTreeMap::from([("luis".to_owned(), COPIES as u32 + 1)]);
        assert_eq!(reviews::loads(&mut tx).await.unwrap(), loads);
        drop(tx);
        office.close().await;
    })
    .await;
}

/// Nobody can do what comes first, and more of it waits than one look takes in.
const BLOCKED: &str = "UPDATE review_tasks SET required_skills = '[\"nobody\"]', priority = 0
    WHERE id <> 'copy-1204'";
const RARE: &str = "00000000-0000-7000-8000-000000001204";
const NAMED: &str = "UPDATE review_tasks SET id = '00000000-0000-7000-8000-000000001204'
    WHERE id = 'copy-1204'";

#[tokio::test]
async fn what_somebody_can_do_is_not_hidden_behind_what_nobody_can() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        crowded(&office).await;
        write(&office, &[BLOCKED, NAMED]).await;
        let why = office.client.get(&format!("/api/docproc/tasks/{RARE}/why")).await.expect(200);
        assert_eq!(why["reasons"][0]["code"], "SIN_HABILIDAD", "{why}");
        let rare = json!({ "username": "ana", "skills": ["rare"] });
        office.client.post("/api/docproc/operators", rare).await.expect(201);
        office.client.advance(1).await;
        let offered = office.client.get("/api/tasks?skill=rare").await.expect(200);
        assert_eq!(offered[0]["assigned_to"], "ana", "it is offered: {offered}");
        let given = json!({ "operator": "ana" });
        let release = format!("/tasks/{RARE}/release");
        office.client.post(&release, given.clone()).await.expect(200);
        let left = office.client.get("/api/docproc/desk?operator=ana").await.expect(200);
        assert_eq!(left["waiting"], 0, "what was given back is for the others: {left}");
        write(&office, &["DELETE FROM review_turns"]).await;
        let left = office.client.get("/api/docproc/desk?operator=ana").await.expect(200);
        assert_eq!(left["waiting"], 1, "{left}");
        let next = office.client.post("/api/docproc/desk/next", given).await.expect(200);
        assert_eq!(next["id"], RARE);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn what_waits_is_counted_whole_and_what_one_has_is_shown_behind_it() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        crowded(&office).await;
        let mine = "UPDATE review_tasks SET status = 'assigned', assigned_to = 'ana',
            assigned_at = created_at, priority = 9 WHERE id = 'copy-1203'";
        write(&office, &[mine]).await;
        let left = office.client.get("/api/docproc/desk?operator=ana").await.expect(200);
        assert_eq!(left["waiting"], COPIES + 1, "{left}");
        let page = office.client.get("/backoffice?operator=ana").await.text;
        assert!(page.contains("copy-1203"), "what is hers is on her page");
        assert!(page.contains(&format!("100 de {COPIES}.")), "{page}");
        office.close().await;
    })
    .await;
}
