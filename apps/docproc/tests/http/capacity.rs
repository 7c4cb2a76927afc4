//! What a load needs, from what was measured.

use crate::office::{Office, on_both};

#[tokio::test]
async fn a_plan_stands_on_measured_times() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let ask = "/api/docproc/capacity?requests_per_hour=3600&pages=4&max_seconds=30";
        let nothing = office.client.get(ask).await.expect(409);
        assert_eq!(nothing["code"], "SIN_MEDIDAS");
        let told = office.client.get(&format!("{ask}&page_seconds=1.5")).await.expect(200);
        assert_eq!(told["possible"], true);
        assert!(told["hands"].as_u64().unwrap() >= 6, "six seconds of work a second: {told}");
        let id = office.pages(&["nothing anybody knows", "nor this"], "default").await;
        office.until(&id, |now| now["page_count"] == 2).await;
        office.all_read(&id).await;
        let plan = office.client.get(ask).await.expect(200);
        let measured = plan["measured"].as_array().unwrap();
        let ocr = measured.iter().find(|one| one["component"] == "ocr").expect("pages were read");
        assert_eq!(ocr["messages"], 2);
        assert!(plan["p95_seconds"].as_f64().unwrap() <= 30.0, "{plan}");
        for bad in ["requests_per_hour=-1&pages=4", "requests_per_hour=1&pages=0"] {
            let path = format!("/api/docproc/capacity?{bad}&max_seconds=30");
            assert_eq!(office.client.get(&path).await.expect(400)["code"], "FUERA_DE_RANGO");
        }
        let soon = format!("{ask}&page_seconds=40");
        assert_eq!(office.client.get(&soon).await.expect(200)["possible"], false);
        office.close().await;
    })
    .await;
}
