//! What the Control Room has is taken over; what the operator set stays.

use serde_json::json;

use crate::farm::{Farm, on_both};

#[tokio::test(flavor = "multi_thread")]
async fn scenario_8_maintenance_survives_a_sync() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        let user =
            json!({ "id": 7, "username": "bot7", "license_features": ["RUNTIME", "ANALYTICS"] });
        farm.room.post("/sim/users", user).await;
        let device = json!({ "id": 70, "host_name": "VM-70", "user_ids": [7] });
        farm.room.post("/sim/devices", device).await;
        farm.room
            .post("/sim/bots", json!({ "id": 900, "name": "P0900_Altas", "path": "Bots\\RPA\\x" }))
            .await;
        let done = farm.client.post("/api/sam/sync", json!({})).await;
        assert_eq!(done.status, 200, "{}", done.text);
        let runner = farm.client.get("/api/sam/equipos/70").await.expect(200);
        assert_eq!(runner["conectado"], true, "{runner}");
        assert_eq!(runner["licencia"], "ANALYTICS, RUNTIME");
        assert_eq!(runner["permite_balanceo_dinamico"], false);
        let robot = farm.client.get("/api/sam/robots/900").await.expect(200);
        assert_eq!(
            (robot["robot"].as_str(), robot["es_online"].as_bool()),
            (Some("P0900_Altas"), Some(false))
        );
        let ours = json!({ "activo_sam": false, "equipo": "Recepción" });
        farm.client.put("/api/sam/equipos/70", ours).await.expect(200);
        let priority = json!({ "prioridad_balanceo": 3, "robot": "Altas" });
        farm.client.put("/api/sam/robots/900", priority).await.expect(200);
        let again = farm.client.post("/api/sam/sync", json!({})).await.expect(200);
        assert_eq!(again["cambios"], 0, "nothing new");
        let runner = farm.client.get("/api/sam/equipos/70").await.expect(200);
        assert_eq!(
            (runner["activo_sam"].as_bool(), runner["equipo"].as_str()),
            (Some(false), Some("RECEPCIÓN"))
        );
        let robot = farm.client.get("/api/sam/robots/900").await.expect(200);
        assert_eq!(
            (robot["robot"].as_str(), robot["prioridad_balanceo"].as_i64()),
            (Some("Altas"), Some(3))
        );
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sync_that_fails_changes_nothing_and_says_so() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.runner(1, None).await;
        farm.faults(json!({ "devices": { "status": 500 } })).await;
        let failed = farm.client.post("/api/sam/sync", json!({})).await;
        assert_eq!(failed.status, 502, "{}", failed.text);
        let runner = farm.client.get("/api/sam/equipos/1").await.expect(200);
        assert_eq!(runner["conectado"], json!(null));
        assert_eq!(farm.alerts().await, ["sam/sync"]);
        farm.set("A360_URL", "").await;
        let off = farm.client.post("/api/sam/sync", json!({})).await.expect(409);
        assert_eq!(off["code"], "A360_SIN_CONFIGURAR");
        farm.close().await;
    })
    .await;
}
