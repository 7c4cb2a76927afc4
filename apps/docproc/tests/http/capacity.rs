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
        let unread = |page: &serde_json::Value| page["ocr_text"].is_null();
        office.detail_until(&id, |now| !now["pages"].as_array().unwrap().iter().any(unread)).await;
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

#[tokio::test]
async fn scenario_29_a_load_is_shared_out_by_component() {
    on_both(async |desk| {
        let office = Office::open(desk).await;
        let page = office.client.get("/docproc/capacidad").await;
        assert_eq!(page.status, 200);
        assert!(page.text.contains("Todavía no hay tiempos"));
        let ask = "requests_per_hour=1200&pages=5&max_seconds=600&page_seconds=3";
        let plan = office.client.get(&format!("/api/docproc/capacity?{ask}")).await.expect(200);
        let components = plan["components"].as_array().unwrap();
        let ocr = components.iter().find(|one| one["component"] == "ocr").unwrap();
        assert!((ocr["per_second"].as_f64().unwrap() - 1.67).abs() < 0.01, "{ocr}");
        assert!((ocr["busy"].as_f64().unwrap() - 5.0).abs() < 1e-6, "{ocr}");
        assert_eq!(ocr["needed"], 8, "at seven tenths of their time");
        let page = office.client.get(&format!("/docproc/capacidad?{ask}")).await;
        assert_eq!(page.status, 200);
        assert!(page.text.contains("1,67") && page.text.contains("Lo que hay no"), "{}", page.text);
        // Whatever is typed into the address, the page is one.
        let odd = "/docproc/capacidad?pages=x&requests_per_hour=1e400&page_seconds=-3";
        assert_eq!(office.client.get(odd).await.status, 200);
        let tiny = format!("/api/docproc/capacity?{}", ask.replace("seconds=3", "seconds=5e-324"));
        let refused = office.client.get(&tiny).await.expect(400);
        assert_eq!(refused["code"], "FUERA_DE_RANGO");
        office.close().await;
    })
    .await;
}
