//! S-16 to S-20: which runners serve which robots.

use serde_json::json;

use crate::farm::{Farm, on_both};

#[tokio::test(flavor = "multi_thread")]
async fn scenario_16_the_target_follows_the_tickets() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.set("BALANCEADOR_PERIODO_ENFRIAMIENTO_SEG", 0).await;
        let pool = farm.pool("A").await;
        for id in 1..=8 {
            farm.runner(id, Some(pool)).await;
        }
        farm.online(20, 1, Some(pool)).await;
        for (tickets, held) in [(1, 1), (10, 1), (11, 2), (25, 3), (100, 5), (0, 0)] {
            farm.tickets(20, tickets).await;
            farm.client.advance(60).await;
            assert_eq!(farm.held_by(20).await, held, "{tickets} tickets");
        }
        farm.client.put("/api/sam/robots/20", json!({ "min_equipos": 2 })).await.expect(200);
        farm.tickets(20, 3).await;
        farm.client.advance(60).await;
        assert_eq!(farm.held_by(20).await, 2);
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_17_one_decision_gives_everybody_what_they_need_by_priority() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        for (name, runners, expected) in [("A", 1..=4, (3, 1)), ("B", 11..=13, (3, 0))] {
            let pool = farm.pool(name).await;
            let first = *runners.start();
            for id in runners {
                farm.runner(id, Some(pool)).await;
            }
            let (important, other) = (100 + first, 200 + first);
            farm.online(important, 1, Some(pool)).await;
            farm.online(other, 50, Some(pool)).await;
            farm.tickets(important, 25).await;
            farm.tickets(other, 10).await;
            farm.client.advance(60).await;
            let held = (farm.held_by(important).await, farm.held_by(other).await);
            assert_eq!(held, expected, "pool {name}");
        }
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_18_priority_takes_runners_but_stops_no_run() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        let pool = farm.pool("A").await;
        for id in 1..=4 {
            farm.runner(id, Some(pool)).await;
        }
        farm.online(21, 1, Some(pool)).await;
        farm.online(22, 10, Some(pool)).await;
        farm.tickets(22, 40).await;
        farm.client.advance(60).await;
        assert_eq!(farm.held_by(22).await, 4);
        let running = farm.running().await;
        assert_eq!(running.len(), 4);
        farm.set("BALANCEADOR_PREEMPTION", false).await;
        farm.tickets(21, 20).await;
        farm.client.advance(360).await;
        assert_eq!(farm.held_by(21).await, 0, "switched off: nothing");
        assert!(farm.why("robot/21").await.contains(&"POOL_LLENO".to_owned()));
        farm.set("BALANCEO_PREEMPTION_MODE", "True").await;
        farm.client.advance(60).await;
        assert_eq!((farm.held_by(21).await, farm.held_by(22).await), (2, 2));
        assert_eq!(farm.running().await, running, "what runs goes on");
        let log = farm.client.get("/api/sam/balanceos?robot_id=21").await.expect(200);
        let told = log["items"][0]["justificacion"].as_str().unwrap();
        assert_eq!(told, "20 tickets ÷ 10 → 2 equipos; 2 de R22 (prioridad 10)");
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_19_idle_runners_are_lent_when_isolation_is_flexible_and_come_back() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        let (a, b) = (farm.pool("A").await, farm.pool("B").await);
        farm.runner(1, Some(a)).await;
        farm.runner(2, Some(b)).await;
        farm.runner(3, Some(b)).await;
        farm.runner(4, None).await;
        farm.online(20, 1, Some(a)).await;
        farm.online(30, 1, Some(b)).await;
        farm.tickets(20, 50).await;
        farm.client.advance(60).await;
        assert_eq!(farm.dynamic().await, [(20, 1)], "strict");
        farm.set("BALANCEADOR_POOL_AISLAMIENTO_ESTRICTO", false).await;
        farm.client.advance(360).await;
        assert_eq!(farm.dynamic().await, [(20, 1), (20, 2), (20, 3), (20, 4)]);
        farm.tickets(30, 15).await;
        farm.client.advance(60).await;
        assert_eq!(farm.held_by(30).await, 0, "still cooling");
        farm.client.advance(300).await;
        assert_eq!(farm.dynamic().await, [(20, 1), (20, 4), (30, 2), (30, 3)], "returned");
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_20_a_pool_that_changed_rests_and_a_failed_provider_releases_nothing() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        let pool = farm.pool("A").await;
        for id in 1..=6 {
            farm.runner(id, Some(pool)).await;
        }
        farm.online(20, 1, Some(pool)).await;
        farm.robot(10, json!({ "pool_id": pool })).await;
        farm.online(21, 5, Some(pool)).await;
        farm.schedule(10, &[6], json!({ "hora_inicio": "23:00" })).await;
        farm.reserve(21, 5).await;
        let fixed = async || {
            let all = farm.client.get("/api/sam/asignaciones").await.expect(200);
            let all = all["items"].as_array().unwrap().clone();
            let fixed = all
                .into_iter()
                .filter(|one| one["es_programado"] == true || one["reservado"] == true);
            fixed.collect::<Vec<_>>()
        };
        let before = fixed().await;
        assert_eq!(before.len(), 2);
        farm.at("09:59:00").await;
        farm.tickets(20, 25).await;
        farm.at("10:00:00").await;
        assert_eq!(farm.held_by(20).await, 3);
        farm.at("10:02:00").await;
        farm.tickets(20, 35).await;
        farm.at("10:04:59").await;
        assert_eq!(farm.held_by(20).await, 3, "the pool rests");
        assert!(farm.why("robot/20").await.contains(&"POOL_EN_ENFRIAMIENTO".to_owned()));
        farm.at("10:05:00").await;
        assert_eq!(farm.held_by(20).await, 4, "at five minutes exactly");
        farm.at("10:08:00").await;
        farm.tickets(20, 0).await;
        farm.at("10:09:59").await;
        assert_eq!(farm.held_by(20).await, 4, "also a fall waits: nothing moves in a cooling pool");
        farm.at("10:10:00").await;
        assert_eq!(farm.held_by(20).await, 0, "all at once");
        farm.tickets(20, 25).await;
        farm.at("10:15:00").await;
        assert_eq!(farm.held_by(20).await, 3);
        farm.tickets(20, json!(null)).await;
        farm.at("10:45:00").await;
        assert_eq!(farm.held_by(20).await, 3, "nothing is released for a demand that is not known");
        assert!(farm.why("robot/20").await.contains(&"DEMANDA_DESCONOCIDA".to_owned()));
        assert_eq!(fixed().await, before, "scheduled and reserved as they were");
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_simulation_shows_the_arithmetic_and_changes_nothing() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        let pool = farm.pool("A").await;
        for id in 1..=2 {
            farm.runner(id, Some(pool)).await;
        }
        farm.online(20, 1, Some(pool)).await;
        let asked = json!({ "tickets": { "20": 25 } });
        let plan = farm.client.post("/api/sam/balanceador/simular", asked).await.expect(200);
        let goal = &plan["objetivos"][0];
        assert_eq!((goal["objetivo"].as_i64(), goal["actuales"].as_i64()), (Some(3), Some(0)));
        assert_eq!(goal["justificacion"], "25 tickets ÷ 10 → 3 equipos; 2 libres; falta 1");
        assert_eq!(plan["cambios"].as_array().unwrap().len(), 2);
        assert_eq!(plan["cambios"][0]["accion"], "ASIGNAR");
        assert_eq!(farm.dynamic().await, []);
        let wrong = json!({ "tickets": { "99": 1 } });
        farm.client.post("/api/sam/balanceador/simular", wrong).await.expect(422);
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mapping_says_whom_a_provider_means() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.online(20, 1, None).await;
        let told = json!({ "proveedor": "Clouders", "robot": "Facturas", "pendientes": 3 });
        farm.client.put("/api/sam/tickets", told.clone()).await.expect(404);
        let mapping =
            json!({ "proveedor": "Clouders", "nombre_externo": "Facturas", "robot_id": 20 });
        farm.client.post("/api/sam/mapeos", mapping.clone()).await.expect(201);
        farm.client.post("/api/sam/mapeos", mapping).await.expect(409);
        assert_eq!(farm.client.put("/api/sam/tickets", told.clone()).await.status, 204);
        let both = json!([told, { "proveedor": "Clouders", "robot": "nadie", "pendientes": 1 }]);
        farm.client.put("/api/sam/tickets", both).await.expect(404);
        let kept = farm.client.get("/api/sam/tickets").await.expect(200);
        assert_eq!(kept["items"].as_array().unwrap().len(), 1, "all of them or none");
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_is_asked_at_every_balance_and_its_failure_is_not_zero() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.runner(1, None).await;
        farm.runner(2, None).await;
        farm.online(20, 1, None).await;
        farm.set("CLOUDERS_URL", farm.room.base()).await;
        farm.room.put("/sim/tickets", json!({ "R20": 12, "Otro": 5 })).await.expect(200);
        farm.client.advance(60).await;
        assert_eq!(farm.held_by(20).await, 2);
        farm.room.put("/sim/tickets", json!(null)).await.expect(200);
        farm.client.advance(3600).await;
        assert_eq!(farm.held_by(20).await, 2, "not known is not zero");
        assert_eq!(farm.alerts().await, ["sam/proveedor/Clouders"]);
        farm.room.put("/sim/tickets", json!({})).await.expect(200);
        farm.client.advance(60).await;
        assert_eq!(farm.held_by(20).await, 0, "a robot it no longer names has no tickets");
        assert_eq!(farm.alerts().await, [""; 0]);
        farm.close().await;
    })
    .await;
}
