//! S-14 and S-15: deploys that go wrong.

use serde_json::json;

use crate::farm::{Farm, on_both};

async fn reserved(farm: &Farm) {
    farm.runner(1, None).await;
    farm.online(20, 1, None).await;
    farm.reserve(20, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_14_a_deploy_that_timed_out_after_it_was_accepted_is_adopted_not_repeated() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        let silent = json!({ "after_accept": true, "drop": true, "times": 1 });
        farm.faults(json!({ "deploy": silent })).await;
        reserved(&farm).await;
        farm.settle().await;
        let run = farm.runs("activas=true").await[0].clone();
        assert_eq!(run["estado"], "PENDING_EXECUTION");
        assert_eq!(farm.deployments().await.len(), 1, "accepted");
        let why = farm.client.get("/api/sam/why/equipo/1").await.expect(200).to_string();
        assert!(why.contains("no confirmó si la tomó"), "{why}");
        farm.client.advance(30).await;
        let run = farm.runs("activas=true").await[0].clone();
        assert_eq!(run["estado"], "DEPLOYED");
        let known = farm.deployments().await;
        assert_eq!(known.len(), 1, "exactly one");
        assert_eq!(run["deployment_id"], known[0]["deploymentId"]);
        assert_eq!(run["intentos"], 1);
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deploy_in_doubt_that_never_arrived_is_taken_back_and_tried_anew() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.faults(json!({ "deploy": { "drop": true, "times": 1 } })).await;
        reserved(&farm).await;
        farm.settle().await;
        assert_eq!(farm.deployments().await.len(), 0);
        let doubtful = farm.runs("activas=true").await[0]["id"].as_i64().unwrap();
        farm.client.advance(600).await;
        let run = farm.runs("activas=true").await[0].clone();
        assert!(run["id"].as_i64().unwrap() > doubtful, "{run}");
        assert_eq!(run["estado"], "DEPLOYED");
        assert_eq!(farm.deployments().await.len(), 1);
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_15_an_offline_runner_is_tried_twice_each_time_and_told_at_the_twentieth() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        let offline = json!({ "status": 412, "message": "device is offline" });
        farm.faults(json!({ "deploy": offline })).await;
        farm.set("LANZADOR_CICLO_INTERVALO_SEG", 15).await;
        reserved(&farm).await;
        farm.settle().await;
        farm.client.advance(10).await;
        assert_eq!(farm.runs("").await.len(), 0, "nothing ran, nothing is listed");
        assert_eq!(farm.why("robot/20").await[0], "EQUIPO_SUSPENDIDO");
        let kept = farm.client.get("/api/sam/asignaciones").await.expect(200);
        assert_eq!(kept["items"].as_array().unwrap().len(), 1, "the assignment is kept");
        let failures = async || {
            let all = farm.client.get("/api/sam/suspensiones").await.expect(200);
            all["items"][0]["fallos"].as_i64().unwrap_or(0)
        };
        // Tried, five seconds later tried again, and after fifteen more the next time.
        farm.client.advance(20 * 18 - 15).await;
        assert_eq!((failures().await, farm.alerts().await.len()), (18, 0));
        farm.client.advance(20).await;
        assert_eq!((failures().await, farm.alerts().await.len()), (19, 0));
        farm.client.advance(20).await;
        assert_eq!((failures().await, farm.alerts().await), (20, vec!["sam/equipo/1".to_owned()]));
        farm.faults(json!({})).await;
        farm.client.advance(60).await;
        assert_eq!(farm.running().await, [(20, 1)]);
        assert_eq!(farm.alerts().await, [""; 0], "and it is right again");
        assert_eq!(failures().await, 0);
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_15_a_robot_that_fits_nowhere_is_suspended_and_stays_active() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        let message = "No compatible targets found in automation";
        farm.faults(json!({ "deploy": { "status": 412, "message": message } })).await;
        reserved(&farm).await;
        farm.settle().await;
        let failed = farm.runs("").await[0].clone();
        assert_eq!(failed["estado"], "DEPLOY_FAILED");
        assert!(failed["fecha_fin"].is_string() && failed["causa"].is_string(), "{failed}");
        let robot = farm.client.get("/api/sam/robots/20").await.expect(200);
        assert_eq!(robot["activo"], true, "what the operator set stays");
        assert_eq!(farm.why("robot/20").await[0], "ROBOT_SUSPENDIDO");
        assert_eq!(farm.alerts().await, ["sam/robot/20"]);
        let audit = farm.client.get("/api/audit?app=sam").await.expect(200);
        let suspended = audit["items"].as_array().unwrap().iter();
        assert!(suspended.clone().any(|one| one["action"] == "suspension"), "{audit}");
        farm.client.advance(3599).await;
        assert_eq!(farm.runs("").await.len(), 1, "it is left alone for an hour");
        farm.faults(json!({})).await;
        farm.client.advance(15).await;
        assert_eq!(farm.running().await, [(20, 1)], "then tried again");
        assert_eq!(farm.alerts().await, [""; 0]);
        farm.close().await;
    })
    .await;
}

/// The system's trouble: one notice, everybody's assignment kept, and all of them run afterwards.
async fn costs_nobody_their_assignment(fault: serde_json::Value) {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.faults(fault.clone()).await;
        for id in 1..=3 {
            farm.runner(id, None).await;
            farm.online(20 + id, 1, None).await;
            farm.reserve(20 + id, id).await;
        }
        farm.settle().await;
        farm.client.advance(20).await;
        let kept = farm.client.get("/api/sam/asignaciones").await.expect(200);
        assert_eq!(kept["items"].as_array().unwrap().len(), 3);
        assert_eq!(farm.alerts().await, ["sam/a360"], "one for the system");
        assert!(farm.why("robot/21").await.contains(&"A360_SUSPENDIDO".to_owned()));
        farm.faults(json!({})).await;
        farm.client.advance(3600).await;
        assert_eq!(farm.running().await.len(), 3);
        assert_eq!(farm.deployments().await.len(), 3);
        assert_eq!(farm.alerts().await, [""; 0]);
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_15_refused_credentials_cost_nobody_their_assignment() {
    let refused = json!({ "status": 401 });
    costs_nobody_their_assignment(json!({ "deploy": refused, "authentication": refused })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_15_a_limit_is_waited_for_as_long_as_it_says() {
    costs_nobody_their_assignment(json!({ "deploy": { "status": 429, "retry_after": 90 } })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_15_a_control_room_that_is_down_is_left_alone_for_a_while() {
    costs_nobody_their_assignment(json!({ "deploy": { "status": 503 } })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_deploy_suspends_the_pair_and_does_not_use_up_the_slot() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.runner(1, None).await;
        farm.robot(10, json!({})).await;
        farm.schedule(10, &[1], json!({ "tolerancia": 120 })).await;
        let bad = json!({ "status": 400, "message": "invalid parameters", "times": 1 });
        farm.faults(json!({ "deploy": bad })).await;
        farm.at("09:00:00").await;
        assert_eq!(farm.runs("").await[0]["estado"], "DEPLOY_FAILED");
        assert_eq!(farm.why("robot/10").await[0], "PAR_SUSPENDIDO");
        // A person mends it and does not wait.
        let lift = farm
            .client
            .request(reqwest::Method::DELETE, "/api/sam/suspensiones")
            .json(&json!({ "robot_id": 10, "equipo_id": 1 }));
        assert_eq!(lift.send().await.unwrap().status().as_u16(), 204);
        farm.settle().await;
        let run = farm.runs("activas=true").await[0].clone();
        assert_eq!(
            (run["turno"].as_str(), run["estado"].as_str()),
            (Some("2026-03-02"), Some("DEPLOYED"))
        );
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_unlocks_a_runner_once_and_says_why() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        reserved(&farm).await;
        farm.settle().await;
        let id = farm.runs("activas=true").await[0]["id"].as_i64().unwrap();
        let path = format!("/api/sam/ejecuciones/{id}/desbloquear");
        farm.client.post(&path, json!({ "motivo": "  " })).await.expect(422);
        let done = farm.client.post(&path, json!({ "motivo": "colgado" })).await.expect(200);
        assert_eq!(
            (done["estado"].as_str(), done["causa"].as_str()),
            (Some("RUN_ABORTED"), Some("colgado"))
        );
        farm.client.post(&path, json!({ "motivo": "otra vez" })).await.expect(409);
        farm.settle().await;
        assert_eq!(farm.running().await, [(20, 1)], "the runner serves again");
        farm.close().await;
    })
    .await;
}
