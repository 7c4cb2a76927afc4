//! S-15, S-16 and S-17: what happens as time runs out, to the second.

use std::time::Duration;

use docproc::store::scope;
use serde_json::{Value as Json, json};

use crate::{
    logs,
    office::{Desk, Office, exact, on_both},
    outside::sure,
};

/// An invoice with one field that a person has to look at.
pub(crate) const DOUBTFUL: &str = "TYPE invoice 0.95\nFIELD invoice_number F-1 0.95\n\
    FIELD total_amount 121 0.50";

/// A workflow like `exact` with another name and changes to its text.
pub(crate) async fn workflow(desk: &Desk, office: &Office, name: &str, changes: &[(&str, &str)]) {
    let mut text = exact(name, &office.outside.url);
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    std::fs::write(desk.dir.join(format!("workflows/{name}.yaml")), text).unwrap();
    docproc::decisions::refresh(office.context()).await.unwrap();
}

/// Stands for the person: the doubtful documents of a request become sure, and what follows is
/// decided as after any fact.
pub(crate) async fn answer(office: &Office, id: &str) {
    let context = office.context();
    let mut decision = context.store.decide(&scope(id), context.clock.now()).await.unwrap();
    for sql in [
        "UPDATE documents SET standing = 'DONE', extraction_confidence = 1.0, missing_required = 0,
         origin = 'BACKOFFICE' WHERE request_id = $1 AND standing = 'REVIEW'",
        "UPDATE review_tasks SET status = 'completed' WHERE request_id = $1",
    ] {
        decision.tx.execute(sql, &[id.into()]).await.unwrap();
    }
    let ids = [id.to_owned()];
    docproc::decisions::course::settle(context, &mut decision, &ids).await.unwrap();
    decision.commit().await.unwrap();
}

pub(crate) async fn count(office: &Office, sql: &'static str) -> i64 {
    let mut tx = office.context().store.read().await.unwrap();
    tx.one(sql, &[]).await.unwrap().get("n").unwrap()
}

async fn reached(office: &Office, id: &str) -> Vec<String> {
    let mut tx = office.context().store.read().await.unwrap();
    let sql = "SELECT checkpoint FROM sla_checkpoints WHERE request_id = $1 ORDER BY due_at";
    let rows = tx.all(sql, &[id.into()]).await.unwrap();
    rows.iter().map(|row| row.get("checkpoint").unwrap()).collect()
}

#[tokio::test]
async fn scenario_15_each_checkpoint_at_its_second_and_once() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let id = office.pages(&[DOUBTFUL], "exact").await;
        let steps = [
            (0, 0),
            (41, 0),
            (1, 1), // 42 s
            (5, 1),
            (1, 2), // 48 s
            (5, 2),
            (1, 3), // 54 s
            (5, 3),
            (1, 4), // 60 s
            (300, 4),
        ];
        let all = ["warn", "alert", "escalate", "breach"];
        for (seconds, expected) in steps {
            office.client.advance(seconds).await;
            assert_eq!(reached(&office, &id).await, all[..expected], "after {seconds} more");
            let tasks = office.client.get("/api/tasks?status=pending").await.expect(200);
            let top = expected >= 3;
            assert_eq!(tasks[0]["priority"] == 0, top, "the task is at the top from 54 s on");
            let status = office.status(&id).await;
            assert_eq!(status["partial"], top, "{status}");
            assert_eq!(office.detail(&id).await["priority"] == 0, top);
        }
        let sql = "SELECT COUNT(*) AS n FROM events WHERE name = 'request.sla_breached'";
        assert_eq!(count(&office, sql).await, 1);
        let sql = "SELECT COUNT(*) AS n FROM answers WHERE kind = 'partial'";
        assert_eq!(count(&office, sql).await, 1);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_16_a_hundred_deadlines_in_one_look() {
    logs::listen();
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let mut done = Vec::new();
        for _ in 0..3 {
            done.push(office.pages(&[&sure("invoice")], "exact").await);
        }
        office.client.advance(0).await;
        for _ in 0..100 {
            office.pages(&[DOUBTFUL], "exact").await;
        }
        office.client.advance(59).await;
        let breached = "SELECT COUNT(*) AS n FROM requests WHERE sla_breached_at IS NOT NULL";
        assert_eq!(count(&office, breached).await, 0);
        let before = logs::heard("sla_breached", "").len();
        office.client.advance(5).await;
        assert_eq!(count(&office, breached).await, 100);
        let lines = logs::heard("sla_breached", "");
        assert_eq!(lines.len() - before, 100, "one line each");
        assert!(lines.iter().all(|line| line.level == Some(tracing::Level::ERROR)));
        let list = office.client.get("/api/docproc/requests?status=sla_breached&limit=200").await;
        let list = list.expect(200);
        let exact = |row: &Json| row["sla_breached_at"] == row["deadline_utc"];
        assert!(list["items"].as_array().unwrap().iter().all(exact));
        for id in done {
            let status = office.status(&id).await;
            assert_eq!(
                (&status["status"], &status["sla_breached_at"]),
                (&json!("completed"), &Json::Null)
            );
        }
        // The monitor lives: a request that comes later is looked after as well.
        let id = office.pages(&[DOUBTFUL], "exact").await;
        office.client.advance(120).await;
        assert_eq!(office.status(&id).await["status"], "sla_breached");
        let health = office.client.get("/health").await.expect(200);
        assert_eq!(health["ticks"]["docproc.sla"]["last_error"], Json::Null);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_17_partial_at_27_seconds_and_final_at_40() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        workflow(desk, &office, "hasty", &[("deadline_seconds: 60", "deadline_seconds: 30")]).await;
        let pages = [sure("id_card"), sure("payslip"), DOUBTFUL.to_owned()];
        let id = office.pages(&[&pages[0], &pages[1], &pages[2]], "hasty").await;
        office.client.advance(26).await;
        let status = office.status(&id).await;
        assert_eq!((&status["partial"], &status["result"]), (&json!(false), &Json::Null));
        office.client.advance(1).await;
        let status = office.status(&id).await;
        assert_eq!((&status["status"], &status["partial"]), (&json!("extracting"), &json!(true)));
        assert_eq!(status["result"]["documents"].as_array().unwrap().len(), 2, "{status}");
        let pending = status["pending"].as_array().unwrap();
        assert_eq!(pending.len(), 1);
        assert_eq!(
            (&pending[0]["doc_type"], &pending[0]["waits_for"]),
            (&json!("invoice"), &json!("person"))
        );
        office.client.advance(3).await;
        let status = office.status(&id).await;
        assert_eq!(status["status"], "sla_breached");
        assert_eq!(status["sla_breached_at"], "2026-11-16T12:00:30Z");
        assert_eq!(status["result"]["total_documents"], 2);
        office.client.advance(10).await;
        answer(&office, &id).await;
        office.client.advance(0).await;
        let status = office.status(&id).await;
        assert_eq!((&status["status"], &status["partial"]), (&json!("completed"), &json!(false)));
        assert_eq!(status["result"]["documents"].as_array().unwrap().len(), 3);
        assert_eq!(status["sla_breached_at"], "2026-11-16T12:00:30Z", "it remains on record");
        assert_eq!(status["completed_at"], "2026-11-16T12:00:40Z");
        assert_eq!(status["pending"], json!([]));
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn an_escalated_request_goes_before_all_others() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let late = office.pages(&[&format!("{DOUBTFUL}\nWAIT")], "exact").await;
        let (wait, id) = (Duration::from_millis(5), &late);
        while count(
            &office,
            "SELECT COUNT(*) AS n FROM messages WHERE component = 'http'
                              AND state = 'CLAIMED'",
        )
        .await
            == 0
        {
            office.status(id).await;
            tokio::time::sleep(wait).await;
        }
        // The clock cannot wait for a page that is out; the monitor is called by itself.
        let context = office.context().clone();
        let deadline = "2026-11-16T12:00:55Z".parse().unwrap();
        docproc::decisions::deadlines::watch(context, deadline).await.unwrap();
        let sql = "SELECT COUNT(*) AS n FROM messages WHERE state = 'CLAIMED' AND priority = 0";
        assert_eq!(count(&office, sql).await, 1);
        office.outside.release(1);
        office.client.advance(0).await;
        let tasks = office.client.get("/api/tasks?status=pending").await.expect(200);
        assert_eq!(tasks[0]["priority"], 0, "what is asked later is as urgent");
        let sql = "SELECT COUNT(*) AS n FROM messages WHERE stage = 'extract' AND priority = 0";
        assert_eq!(count(&office, sql).await, 1);
        office.close().await;
    })
    .await;
}
