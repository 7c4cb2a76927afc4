//! Answers that are sent: partial, then final, in order, once.

use std::sync::atomic::Ordering;

use serde_json::{Value as Json, json};

use crate::{
    deadlines::{DOUBTFUL, answer, count, workflow},
    office::{Office, on_both, on_sqlite},
    outside::sure,
    receiver::Receiver,
};

async fn send(office: &Office, pages: &[&str], flow: &str, url: &str) -> String {
    let text = pages.join("\u{c}").into_bytes();
    let fields = [("workflow", flow), ("callback_url", url), ("external_id", "order 7")];
    let (status, body) = office.send(&[("pages.txt", text)], &fields).await;
    assert_eq!(status, 200, "{body}");
    body["request_id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn partial_at_27_seconds_and_final_afterwards_are_sent() {
    on_both(async |desk| {
        let (office, receiver) = (Office::at_noon(desk).await, Receiver::start().await);
        workflow(desk, &office, "hasty", &[("deadline_seconds: 60", "deadline_seconds: 30")]).await;
        let pages = [sure("id_card"), DOUBTFUL.to_owned()];
        let id = send(&office, &[&pages[0], &pages[1]], "hasty", &receiver.url).await;
        office.client.advance(26).await;
        assert_eq!(receiver.kinds(), [""; 0]);
        office.client.advance(1).await;
        assert_eq!(receiver.kinds(), ["partial"]);
        let partial = &receiver.acknowledged()[0];
        assert_eq!(
            (&partial["request_id"], &partial["external_id"], &partial["sequence"]),
            (&json!(id), &json!("order 7"), &json!(1))
        );
        assert_eq!(partial["result"]["total_documents"], 1);
        assert_eq!(partial["pending"].as_array().unwrap().len(), 1);
        assert_eq!(partial["sla_breached_at"], Json::Null);
        office.client.advance(13).await;
        answer(&office, &id).await;
        office.client.advance(5).await;
        assert_eq!(receiver.kinds(), ["partial", "final"]);
        let last = &receiver.acknowledged()[1];
        assert_eq!((&last["status"], &last["sequence"]), (&json!("completed"), &json!(2)));
        assert_eq!(last["result"]["total_documents"], 2);
        assert_eq!(last["sla_breached_at"], "2026-11-16T12:00:30Z");
        office.client.advance(600).await;
        assert_eq!(receiver.calls.load(Ordering::SeqCst), 2, "acknowledged, never again");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_receiver_down_for_an_hour_gets_everything_later_in_order() {
    on_both(async |desk| {
        let (office, receiver) = (Office::at_noon(desk).await, Receiver::start().await);
        receiver.answers(503);
        let id = send(&office, &[DOUBTFUL], "exact", &receiver.url).await;
        office.client.advance(61).await;
        answer(&office, &id).await;
        office.client.advance(3539).await;
        assert_eq!(office.status(&id).await["status"], "completed");
        let tried = receiver.calls.load(Ordering::SeqCst);
        assert!((5..=16).contains(&tried), "backed off: {tried} tries in an hour");
        assert_eq!(receiver.kinds(), [""; 0]);
        let path = format!("/api/docproc/requests/{id}/answers");
        let log = office.client.get(&path).await.expect(200);
        let first = &log["items"][0];
        assert_eq!((&first["delivery"], &first["attempts"]), (&json!("PENDING"), &json!(tried)));
        assert!(
            first["error"].as_str().unwrap().contains("503")
                && first["next_attempt_at"].is_string()
        );
        assert_eq!(
            (&log["items"][1]["attempts"], &log["checkpoints"][3]["checkpoint"]),
            (&json!(0), &json!("breach")),
            "the second waits for the first"
        );
        receiver.answers(200);
        office.client.at(first["next_attempt_at"].as_str().unwrap()).await;
        office.client.advance(5).await;
        assert_eq!(receiver.kinds(), ["partial", "final"]);
        assert_eq!(receiver.calls.load(Ordering::SeqCst), tried + 2);
        let sql = "SELECT COUNT(*) AS n FROM answers WHERE delivery = 'DONE'";
        assert_eq!(count(&office, sql).await, 2);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn an_answer_that_arrived_is_not_sent_again_after_a_crash() {
    on_both(async |desk| {
        let (office, receiver) = (Office::at_noon(desk).await, Receiver::start().await);
        let id = send(&office, &[&sure("invoice")], "exact", &receiver.url).await;
        office.client.advance(5).await;
        assert_eq!(receiver.kinds(), ["final"]);
        // The process ended after the acknowledgement was kept and before the effect was.
        let mut tx = office
            .context()
            .store
            .decide(&docproc::store::scope(&id), office.context().clock.now())
            .await
            .unwrap();
        let sql = "UPDATE effects SET state = 'PENDING', finished_at = NULL, claimed_until = NULL";
        tx.tx.execute(sql, &[]).await.unwrap();
        tx.commit().await.unwrap();
        office.client.advance(10).await;
        assert_eq!(receiver.calls.load(Ordering::SeqCst), 1);
        let left = "SELECT COUNT(*) AS n FROM effects WHERE state <> 'DONE'";
        assert_eq!(count(&office, left).await, 0);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_failure_is_told_too_and_one_who_wants_no_more_gets_no_more() {
    on_sqlite(async |desk| {
        let (office, receiver) = (Office::at_noon(desk).await, Receiver::start().await);
        send(&office, &["FAIL 400"], "exact", &receiver.url).await;
        office.client.advance(5).await;
        let told = receiver.acknowledged();
        assert_eq!((&told[0]["status"], told.len()), (&json!("failed"), 1));
        assert!(told[0]["error"].as_str().unwrap().contains("400"));
        receiver.answers(410);
        send(&office, &[&sure("invoice")], "exact", &receiver.url).await;
        office.client.advance(600).await;
        assert_eq!(receiver.calls.load(Ordering::SeqCst), 2);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn addresses_inside_need_a_setting() {
    on_sqlite(async |desk| {
        let office = Office::at_noon(desk).await;
        let page = || vec![("pages.txt", sure("invoice").into_bytes())];
        for url in ["ftp://example.com/", "nowhere", "http://u:p@example.com/"] {
            let (status, body) = office.send(&page(), &[("callback_url", url)]).await;
            assert_eq!((status, &body["code"]), (422, &json!("CALLBACK_NO_ADMITIDO")), "{url}");
        }
        let path = "/api/settings/docproc/DOCPROC_CALLBACK_PRIVATE";
        let set = office.client.put(path, json!({ "valor": "never" })).await;
        assert!(set.status < 300, "{} {}", set.status, set.text);
        for url in ["http://127.0.0.1:9/", "http://localhost/", "http://[::1]/", "http://10.0.0.1/"]
        {
            let (status, body) = office.send(&page(), &[("callback_url", url)]).await;
            assert_eq!((status, &body["code"]), (422, &json!("CALLBACK_NO_ADMITIDO")), "{url}");
        }
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn enough_is_answered_before_everything_is_done() {
    on_both(async |desk| {
        let (office, receiver) = (Office::at_noon(desk).await, Receiver::start().await);
        let rule = "version: 1\nsufficient:\n  - {doc_type: id_card, fields: [id_number]}\n  \
                    - {doc_type: invoice, fields: [invoice_number]}";
        workflow(desk, &office, "eager", &[("version: 1", rule)]).await;
        // The total waits for a person, but nobody needs it yet.
        let id = send(&office, &[&sure("id_card"), DOUBTFUL], "eager", &receiver.url).await;
        office.client.advance(1).await;
        assert_eq!(receiver.kinds(), ["early"]);
        let status = office.status(&id).await;
        assert_eq!((&status["partial"], &status["status"]), (&json!(true), &json!("extracting")));
        assert_eq!(status["pending"].as_array().unwrap().len(), 1);
        answer(&office, &id).await;
        office.client.advance(1).await;
        assert_eq!(receiver.kinds(), ["early", "final"]);
        // Without the card it is not enough.
        let id = send(&office, &[DOUBTFUL], "eager", &receiver.url).await;
        office.client.advance(1).await;
        assert_eq!(office.status(&id).await["partial"], false);
        office.close().await;
    })
    .await;
}
