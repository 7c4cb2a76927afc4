//! Idempotency keys: how long they may be, and what is another request (§13.1, §13.4).

use reqwest::{
    Method,
    multipart::{Form, Part},
};
use serde_json::{Value as Json, json};
use testkit::Answer;

use crate::office::{Office, on_both};

async fn send(office: &Office, key: &str, callback: Option<&'static str>) -> (u16, Json) {
    let mut form = Form::new().part("file", Part::text("one").file_name("a.txt"));
    if let Some(url) = callback {
        form = form.text("callback_url", url);
    }
    let request = office.client.request(Method::POST, "/process").header("Idempotency-Key", key);
    let answer = Answer::of(request.multipart(form), "POST /process").await;
    (answer.status, answer.json())
}

async fn submit(office: &Office, task: &str, key: &str) -> (u16, Json) {
    let path = format!("/tasks/{task}/submit");
    let request = office.client.request(Method::POST, &path).header("Idempotency-Key", key);
    let body = json!({ "operator": "ana", "doc_type": "invoice" });
    let answer = Answer::of(request.json(&body), &path).await;
    (answer.status, answer.json())
}

#[tokio::test]
async fn long_keys_that_begin_alike_are_two_and_longer_ones_are_refused() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let begin = "k".repeat(199);
        for key in [String::new(), format!("{begin}aa"), format!("{begin}ab")] {
            let (status, body) = send(&office, &key, None).await;
            assert_eq!((status, &body["code"]), (400, &json!("CLAVE_INVALIDA")), "{key}");
        }
        assert_eq!(office.count("SELECT COUNT(*) AS n FROM requests").await, 0);
        let (one, other) = (format!("{begin}a"), format!("{begin}b"));
        let (first, second) = (send(&office, &one, None).await, send(&office, &other, None).await);
        assert_eq!((first.0, second.0), (200, 200));
        assert_ne!(first.1, second.1, "two requests");
        assert_eq!(send(&office, &one, None).await, first);
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_key_too_long_for_an_answer_is_refused_and_not_cut() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        office.pages(&["TYPE invoice 0.60"], "exact").await;
        office.client.advance(0).await;
        let task = office.client.get("/api/tasks").await.expect(200)[0]["id"].clone();
        let task = task.as_str().unwrap();
        let claimed = json!({ "operator": "ana" });
        office.client.post(&format!("/tasks/{task}/claim"), claimed).await.expect(200);
        let begin = "k".repeat(200);
        for end in ["a", "b"] {
            let (status, body) = submit(&office, task, &format!("{begin}{end}")).await;
            assert_eq!((status, &body["code"]), (400, &json!("CLAVE_INVALIDA")));
        }
        for _ in 0..2 {
            let (status, body) = submit(&office, task, &begin).await;
            assert_eq!((status, &body["status"]), (200, &json!("completed")), "{body}");
        }
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn the_same_key_with_another_receiver_of_answers_is_refused() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let (here, there) = (Some("http://127.0.0.1:9/a"), Some("http://127.0.0.1:9/b"));
        let first = send(&office, "k-1", here).await;
        assert_eq!(first.0, 200, "{}", first.1);
        assert_eq!(send(&office, "k-1", here).await, first);
        for other in [there, None] {
            let (status, body) = send(&office, "k-1", other).await;
            assert_eq!((status, &body["code"]), (409, &json!("CLAVE_REUTILIZADA")), "{other:?}");
        }
        office.close().await;
    })
    .await;
}
