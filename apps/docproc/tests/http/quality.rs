//! How good the machine is, from what people said and from golden cases.

use serde_json::{Value as Json, json};

use crate::{
    deadlines::DOUBTFUL,
    office::{Office, on_both},
    outside::{fields, sure},
};

async fn task(office: &Office, request: &str) -> String {
    let all = office.client.get("/api/tasks").await.expect(200);
    let of = |one: &&Json| one["request_id"] == request && one["status"] != "completed";
    let task = all.as_array().unwrap().iter().find(of).unwrap().clone();
    let id = task["id"].as_str().unwrap().to_owned();
    let claim = json!({ "operator": "ana" });
    office.client.post(&format!("/tasks/{id}/claim"), claim).await.expect(200);
    id
}

#[tokio::test]
async fn thresholds_are_judged_by_what_people_said() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let nothing = office.client.get("/api/docproc/quality").await.expect(200);
        assert_eq!((&nothing["types"], &nothing["extraction"]["known"]), (&json!([]), &json!(0)));
        let page = office.client.get("/docproc/calidad").await;
        assert!(page.status == 200 && page.text.contains("Todavía no hay nada que contar"));

        // Two need nobody; one field and one type are put right by a person.
        let straight = [sure("invoice"), sure("invoice")];
        office.pages(&[&straight[0], &sure("id_card")], "exact").await;
        let fielded = office.pages(&[DOUBTFUL], "exact").await;
        let typed =
            office.pages(&[&format!("TYPE payslip 0.6\n{}", fields("invoice"))], "exact").await;
        office.client.advance(1).await;
        let id = task(&office, &fielded).await;
        let body = json!({ "operator": "ana", "extracted_data": { "total_amount": "99" } });
        office.client.post(&format!("/tasks/{id}/submit"), body).await.expect(200);
        let id = task(&office, &typed).await;
        let body = json!({ "operator": "ana", "doc_type": "invoice" });
        office.client.post(&format!("/tasks/{id}/submit"), body).await.expect(200);
        office.client.advance(1).await;

        let told = office.client.get("/api/docproc/quality?workflow=exact").await.expect(200);
        let invoices =
            told["types"].as_array().unwrap().iter().find(|t| t["doc_type"] == "invoice");
        let invoices = invoices.unwrap();
        assert_eq!((&invoices["documents"], &invoices["straight"]), (&json!(3), &json!(1)));
        let all = told["fields"].as_array().unwrap();
        let total = all.iter().find(|f| f["field"] == "total_amount").unwrap();
        assert_eq!((&total["answered"], &total["changed"]), (&json!(1), &json!(1)), "{total}");
        // The type was wrong at 0.6: below that it would have been accepted.
        let at = async |threshold: &str| {
            let path = format!("/api/docproc/quality?classification={threshold}");
            office.client.get(&path).await.expect(200)["classification"]["at"].clone()
        };
        assert_eq!((&at("0.6").await["wrong"], &at("0.61").await["wrong"]), (&json!(1), &json!(0)));
        assert_eq!((&at("0.61").await["asked"], &at("0.61").await["all"]), (&json!(1), &json!(4)));
        let curve = told["extraction"]["curve"].as_array().unwrap();
        let asked: Vec<u64> = curve.iter().map(|one| one["asked"].as_u64().unwrap()).collect();
        assert!(asked.is_sorted(), "{asked:?}");
        let half = curve.iter().find(|one| one["threshold"] == 0.5).unwrap();
        assert_eq!(
            (&half["wrong"], &half["asked"]),
            (&json!(1), &json!(0)),
            "0.50 was enough: {half}"
        );

        for bad in ["classification=1.5", "extraction=-1", "days=x"] {
            let path = format!("/api/docproc/quality?{bad}");
            office.client.get(&path).await.expect(400);
        }
        let page = office.client.get("/docproc/calidad?classification=0.61&days=7").await;
        assert!(page.status == 200 && page.text.contains("0,61"), "{}", page.text);
        let other = office.client.get("/api/docproc/quality?workflow=nobody").await.expect(200);
        assert_eq!(other["types"], json!([]));
        office.close().await;
    })
    .await;
}
