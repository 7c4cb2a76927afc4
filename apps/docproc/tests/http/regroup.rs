//! People say which pages are one document; the pages go back to the grouping.

use serde_json::{Value as Json, json};

use crate::{
    backoffice::{act, only_task, sent, tasks, word},
    office::{Office, on_both},
};

const SURE: &str = "TYPE invoice 0.95\nFIELD invoice_number F-1 0.95\nFIELD total_amount 1 0.95";
const WEAK: &str = "TYPE invoice 0.95\nFIELD invoice_number F-1 0.30\nFIELD total_amount 1 0.95";

fn spans(detail: &Json) -> Vec<(String, Json)> {
    let documents = detail["documents"].as_array().unwrap();
    documents
        .iter()
        .map(|one| (word(one, "doc_type").to_owned(), one["page_indices"].clone()))
        .collect()
}

#[tokio::test]
async fn a_document_is_split_and_each_part_is_read_anew() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let id = sent(&office, &[SURE, SURE, WEAK]).await;
        assert_eq!(spans(&office.detail(&id).await), [("invoice".into(), json!([0, 1, 2]))]);
        let task = only_task(&office).await;
        let task = word(&task, "id");
        act(&office, task, "claim", json!({ "operator": "ana" })).await.expect(200);
        for bad in [
            json!([{ "doc_type": "invoice", "page_indices": [0] }]),
            json!([{ "doc_type": "spaceship", "page_indices": [0, 1, 2] }]),
            json!([{ "doc_type": "invoice", "page_indices": [0, 2] },
                   { "doc_type": "invoice", "page_indices": [1] }]),
            json!([]),
        ] {
            let body = json!({ "operator": "ana", "groups": bad });
            act(&office, task, "submit", body).await.expect(422);
        }
        assert_eq!(only_task(&office).await["status"], "assigned");
        let groups = json!([{ "doc_type": "invoice", "page_indices": [0] },
                            { "doc_type": "receipt", "page_indices": [1] },
                            { "doc_type": "invoice", "page_indices": [2] }]);
        let body = json!({ "operator": "ana", "groups": groups });
        act(&office, task, "submit", body).await.expect(200);
        office.client.advance(0).await;
        let now = office.detail(&id).await;
        assert_eq!(
            spans(&now),
            [
                ("invoice".into(), json!([0])),
                ("receipt".into(), json!([1])),
                ("invoice".into(), json!([2]))
            ]
        );
        assert_eq!(now["document_count"], 3);
        // The last is as weak as before, the receipt lacks its total: two new questions.
        let open = tasks(&office, "?status=pending").await;
        assert_eq!(open.len(), 2, "{open:?}");
        for task in &open {
            let id = word(task, "id");
            act(&office, id, "claim", json!({ "operator": "ana" })).await.expect(200);
            let data = match word(&task["input_data"], "doc_type") {
                "receipt" => json!({ "total": "9,50" }),
                _ => json!({ "invoice_number": "F-1" }),
            };
            let body = json!({ "operator": "ana", "extracted_data": data });
            act(&office, id, "submit", body).await.expect(200);
        }
        office.client.advance(0).await;
        assert_eq!(office.status(&id).await["status"], "completed");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn documents_are_merged_and_their_questions_with_them() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let other = WEAK.replace("TYPE invoice", "TYPE receipt");
        let id = sent(&office, &[WEAK, &other, SURE]).await;
        assert_eq!(spans(&office.detail(&id).await).len(), 3);
        let open = tasks(&office, "?status=pending").await;
        assert_eq!(open.len(), 2);
        let task = word(&open[0], "id");
        act(&office, task, "claim", json!({ "operator": "ana" })).await.expect(200);
        let groups = json!([{ "doc_type": "invoice", "page_indices": [0, 1] }]);
        let body = json!({ "operator": "ana", "groups": groups });
        act(&office, task, "submit", body).await.expect(200);
        office.client.advance(0).await;
        let now = office.detail(&id).await;
        assert_eq!(
            spans(&now),
            [("invoice".into(), json!([0, 1])), ("invoice".into(), json!([2]))],
            "the page behind them keeps its own document"
        );
        let cancelled = tasks(&office, "?status=cancelled").await;
        assert_eq!(cancelled.len(), 1, "the question about the receipt is moot");
        let task = only_task(&office).await;
        let task = word(&task, "id");
        act(&office, task, "claim", json!({ "operator": "ana" })).await.expect(200);
        let body = json!({ "operator": "ana", "extracted_data": { "invoice_number": "F-1" } });
        act(&office, task, "submit", body).await.expect(200);
        office.client.advance(0).await;
        assert_eq!(office.status(&id).await["status"], "completed");
        let learnt = office.client.get("/api/docproc/corrections?kind=grouping").await.expect(200);
        assert_eq!(learnt["items"].as_array().unwrap().len(), 1);
        office.close().await;
    })
    .await;
}
