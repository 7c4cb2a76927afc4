//! S-6 and S-7: what a machine is not sure of goes to people, and nothing else does.

use serde_json::{Value as Json, json};

use crate::{
    office::{Office, exact, on_both},
    outside::fields,
};

async fn tasks(office: &Office, id: &str) -> Vec<Json> {
    let all = office.client.get("/api/tasks?status=pending").await.expect(200);
    let all = all.as_array().unwrap().clone();
    all.into_iter().filter(|task| task["request_id"] == id).collect()
}

#[tokio::test]
async fn scenario_6_the_threshold_itself_is_enough() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let page = |confidence: &str| format!("TYPE invoice {confidence}\n{}", fields("invoice"));
        let id = office.pages(&[&page("0.80")], "exact").await;
        office.client.advance(0).await;
        assert_eq!(office.status(&id).await["status"], "completed");
        let id = office.pages(&[&page("0.79")], "exact").await;
        office.client.advance(0).await;
        assert_eq!(office.status(&id).await["status"], "processing");
        let waiting = tasks(&office, &id).await;
        assert_eq!(waiting.len(), 1, "exactly one task");
        let input = &waiting[0]["input_data"];
        assert_eq!(waiting[0]["task_type"], "classification");
        assert_eq!(
            (&input["suggested_type"], &input["confidence"]),
            (&json!("invoice"), &json!(0.79))
        );
        let why = office.client.get(&format!("/api/docproc/requests/{id}/why")).await.expect(200);
        assert_eq!(why["reasons"][0]["code"], "ESPERA_PERSONA", "{why}");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_6_the_workflow_beats_the_house() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let strict = exact("strict", &office.outside.url).replace("0.80", "0.90");
        let silent =
            exact("silent", &office.outside.url).replace("    confidence_threshold: 0.80\n", "");
        std::fs::write(desk.dir.join("workflows/strict.yaml"), strict).unwrap();
        std::fs::write(desk.dir.join("workflows/silent.yaml"), silent).unwrap();
        docproc::decisions::refresh(office.context()).await.unwrap();
        let page = format!("TYPE invoice 0.85\n{}", fields("invoice"));
        for (workflow, status) in
            [("strict", "processing"), ("exact", "completed"), ("silent", "completed")]
        {
            let id = office.pages(&[&page], workflow).await;
            office.client.advance(0).await;
            assert_eq!(office.status(&id).await["status"], status, "{workflow}");
        }
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn scenario_7_only_the_doubtful_field_is_flagged() {
    on_both(async |desk| {
        let office = Office::at_noon(desk).await;
        let page = "TYPE invoice 0.95\nFIELD invoice_number F-1 0.95\nFIELD total_amount 121 0.74\n\
                    FIELD vendor_name Norte 0.80\nFIELD date 2026-01-02 0.99";
        let id = office.pages(&[page], "exact").await;
        office.client.advance(0).await;
        let waiting = tasks(&office, &id).await;
        assert_eq!(waiting.len(), 1);
        assert_eq!(waiting[0]["required_skills"], json!(["extraction", "invoice"]));
        let fields = waiting[0]["input_data"]["fields"].as_array().unwrap();
        let flagged: Vec<_> = fields
            .iter()
            .filter(|field| field["needs_review"] == true)
            .map(|field| field["name"].clone())
            .collect();
        assert_eq!((flagged, fields.len()), (vec![json!("total_amount")], 4));
        let detail = office.detail(&id).await;
        assert_eq!(detail["documents"][0]["extraction_confidence"], 0.74);
        // A required field that is not there is flagged too.
        let page = "TYPE invoice 0.95\nFIELD invoice_number F-1 0.95";
        let id = office.pages(&[page], "exact").await;
        office.client.advance(0).await;
        let waiting = tasks(&office, &id).await;
        let fields = waiting[0]["input_data"]["fields"].as_array().unwrap();
        let missing = fields.iter().find(|field| field["name"] == "total_amount").unwrap();
        assert_eq!((&missing["needs_review"], &missing["value"]), (&json!(true), &Json::Null));
        office.close().await;
    })
    .await;
}
