//! S-10 and S-11: runs that the Control Room loses.

use serde_json::json;

use crate::farm::{Farm, on_both};

async fn started(farm: &Farm) -> String {
    farm.runner(1, None).await;
    farm.online(20, 1, None).await;
    farm.reserve(20, 1).await;
    farm.settle().await;
    farm.runs("activas=true").await[0]["deployment_id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_10_a_lost_run_holds_its_runner_for_two_hours_from_the_first_unknown() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        let first = started(&farm).await;
        farm.at("09:59:00").await;
        farm.becomes(&first, "UNKNOWN").await;
        farm.at("10:00:00").await;
        let run = farm.runs("activas=true").await[0].clone();
        assert_eq!(run["estado"], "UNKNOWN");
        farm.at("11:59:00").await;
        assert_eq!(farm.runs("activas=true").await[0]["deployment_id"], first.as_str(), "busy");
        let why = farm.client.get("/api/sam/why/equipo/1").await.expect(200);
        assert_eq!(why["reasons"][0]["until"], "2026-03-02T12:00:00Z");
        farm.at("12:00:01").await;
        let now = farm.runs("activas=true").await;
        assert_eq!(now.len(), 1, "relaunched at once");
        assert_ne!(now[0]["deployment_id"], first.as_str());
        let old = farm.client.get(&format!("/api/sam/ejecuciones/{}", run["id"])).await.expect(200);
        assert_eq!(
            (old["cierre"].as_str(), old["activa"].as_bool()),
            (Some("UNKNOWN_2H"), Some(false))
        );
        assert!(old["causa"].as_str().unwrap().contains("2 h"), "{old}");
        // The late result is information only.
        farm.callback(&first, "RUN_COMPLETED").await.expect(200);
        let after =
            farm.client.get(&format!("/api/sam/ejecuciones/{}", run["id"])).await.expect(200);
        assert_eq!(after["estado"], "UNKNOWN");
        assert_eq!(
            after["pasos"].as_array().unwrap().last().unwrap()["estado_a360"],
            "RUN_COMPLETED"
        );
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_10_a_run_that_is_found_again_begins_a_new_streak() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        let run = started(&farm).await;
        farm.at("09:59:00").await;
        farm.becomes(&run, "UNKNOWN").await;
        farm.at("10:58:00").await;
        farm.becomes(&run, "RUNNING").await;
        farm.at("11:05:00").await;
        assert_eq!(farm.runs("activas=true").await[0]["estado"], "RUNNING");
        farm.at("11:28:00").await;
        farm.becomes(&run, "UNKNOWN").await;
        farm.at("11:30:00").await;
        assert_eq!(farm.runs("activas=true").await[0]["estado"], "UNKNOWN");
        farm.at("13:29:59").await;
        assert_eq!(farm.runs("activas=true").await[0]["deployment_id"], run.as_str());
        farm.at("13:30:00").await;
        assert_ne!(farm.runs("activas=true").await[0]["deployment_id"], run.as_str());
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_11_five_real_misses_infer_the_end_and_failed_questions_do_not_count() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        let run = started(&farm).await;
        let id = farm.runs("activas=true").await[0]["id"].as_i64().unwrap();
        // The Control Room forgets everything.
        farm.room.post("/sim/reset", json!({})).await;
        let misses = async || {
            let run = farm.client.get(&format!("/api/sam/ejecuciones/{id}")).await.expect(200);
            (
                run["intentos_conciliador_fallidos"].as_i64().unwrap(),
                run["activa"].as_bool().unwrap(),
            )
        };
        farm.at("08:04:59").await;
        let (before, live) = misses().await;
        assert!(live && before <= 1, "{before} {live}");
        farm.faults(json!({ "activity": { "status": 500 } })).await;
        farm.at("09:04:59").await;
        assert_eq!(misses().await, (before, true), "twelve failed questions");
        assert!(farm.alerts().await.contains(&"sam/conciliador".to_owned()));
        farm.faults(json!({})).await;
        let left = 5 - before;
        for n in 1..left {
            farm.client.advance(300).await;
            assert_eq!(misses().await, (before + n, true));
        }
        farm.client.advance(300).await;
        let closed = farm.client.get(&format!("/api/sam/ejecuciones/{id}")).await.expect(200);
        assert_eq!(closed["estado"], "COMPLETED_INFERRED");
        assert_eq!(closed["cierre"], "INFERENCIA");
        // What is known wins over what was concluded.
        farm.callback(&run, "RUN_FAILED").await.expect(200);
        let after = farm.client.get(&format!("/api/sam/ejecuciones/{id}")).await.expect(200);
        assert_eq!(
            (after["estado"].as_str(), after["cierre"].as_str()),
            (Some("RUN_FAILED"), Some("CALLBACK"))
        );
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_callback_a_run_is_closed_by_the_reconciler() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        started(&farm).await;
        farm.faults(json!({ "callback": { "drop": true } })).await;
        farm.both_at("08:11:00").await;
        let first = farm.runs("").await.last().unwrap().clone();
        assert!(first["activa"].as_bool().unwrap() || first["cierre"] == "CONCILIADOR");
        farm.at("08:16:00").await;
        let first = farm.runs("").await.last().unwrap().clone();
        assert_eq!(
            (first["estado"].as_str(), first["cierre"].as_str()),
            (Some("COMPLETED"), Some("CONCILIADOR"))
        );
        assert_eq!(farm.running().await, [(20, 1)], "and the runner goes on");
        farm.close().await;
    })
    .await;
}
