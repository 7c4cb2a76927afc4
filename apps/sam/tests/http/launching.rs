//! S-1 to S-10: what starts, where and when.

use serde_json::json;

use crate::farm::{Farm, on_both};

#[tokio::test(flavor = "multi_thread")]
async fn scenario_1_a_slot_opens_at_its_hour_and_closes_after_its_tolerance() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        for (n, time) in [(1, "09:00:00"), (2, "09:15:00"), (3, "09:30:00"), (4, "09:30:01")] {
            farm.runner(n, None).await;
            farm.robot(10 + n, json!({})).await;
            // In maintenance until its hour: so each slot is first looked at then.
            let off = json!({ "activo_sam": false });
            farm.client.put(&format!("/api/sam/equipos/{n}"), off).await.expect(200);
            farm.schedule(10 + n, &[n], json!({})).await;
            let _ = time;
        }
        farm.at("08:59:59").await;
        assert_eq!(farm.running().await, []);
        let mut expected = Vec::new();
        for (n, time) in [(1, "09:00:00"), (2, "09:15:00"), (3, "09:30:00"), (4, "09:30:01")] {
            farm.at(time).await;
            let on = json!({ "activo_sam": true });
            farm.client.put(&format!("/api/sam/equipos/{n}"), on).await.expect(200);
            farm.settle().await;
            if n < 4 {
                expected.push((10 + n, n));
            }
            assert_eq!(farm.running().await, expected, "{time}");
        }
        farm.at("09:31:00").await;
        let missed = farm.client.get("/api/sam/programaciones/perdidos").await.expect(200);
        let missed = missed["items"].as_array().unwrap();
        assert_eq!(missed.len(), 1, "{missed:?}");
        assert_eq!(missed[0]["equipo_id"], 4);
        assert_eq!(missed[0]["motivo"], "EQUIPO_INACTIVO");
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_2_a_slot_runs_once_on_each_of_its_runners() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.runner(1, None).await;
        farm.robot(10, json!({})).await;
        let id = farm.schedule(10, &[1], json!({})).await;
        farm.at("09:00:00").await;
        let run = farm.runs("activas=true").await[0].clone();
        assert_eq!(
            (run["hora"].as_str(), run["estado"].as_str()),
            (Some("09:00"), Some("DEPLOYED"))
        );
        farm.becomes(run["deployment_id"].as_str().unwrap(), "RUN_COMPLETED").await;
        farm.at("09:10:00").await;
        assert_eq!(farm.running().await, [], "once is enough");
        farm.runner(2, None).await;
        let more = json!({ "equipos": [1, 2] });
        farm.client.put(&format!("/api/sam/programaciones/{id}"), more).await.expect(200);
        farm.settle().await;
        assert_eq!(farm.running().await, [(10, 2)], "the other runner has not had its run");
        assert_eq!(farm.why("equipo/1").await, ["TURNO_CUMPLIDO"]);
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_3_a_slot_belongs_to_the_day_it_began() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.set("BALANCEADOR_CICLO_INTERVALO_SEG", 3600).await;
        farm.runner(1, None).await;
        farm.runner(2, None).await;
        farm.robot(10, json!({})).await;
        let weekly = json!({
            "tipo_programacion": "Semanal", "dias_semana": ["Lu"], "hora_inicio": "23:50",
        });
        farm.schedule(10, &[1, 2], weekly).await;
        farm.at("23:49:00").await;
        assert_eq!(farm.running().await, []);
        let off = json!({ "activo_sam": false });
        farm.client.put("/api/sam/equipos/2", off).await.expect(200);
        farm.at("23:55:00").await;
        assert_eq!(farm.running().await, [(10, 1)]);
        farm.at("2026-03-03T00:10:00Z").await;
        let on = json!({ "activo_sam": true });
        farm.client.put("/api/sam/equipos/2", on).await.expect(200);
        farm.settle().await;
        assert_eq!(farm.running().await, [(10, 1), (10, 2)], "still inside its tolerance");
        for run in farm.runs("activas=true").await {
            assert_eq!(run["turno"], "2026-03-02");
            farm.becomes(run["deployment_id"].as_str().unwrap(), "RUN_COMPLETED").await;
        }
        farm.at("2026-03-03T00:15:00Z").await;
        assert_eq!(farm.running().await, [], "not again");
        farm.at("2026-03-03T00:21:00Z").await;
        assert_eq!(farm.running().await, []);
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_4_a_late_start_does_not_cost_the_next_night() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.set("BALANCEADOR_CICLO_INTERVALO_SEG", 3600).await;
        farm.runner_with(1, json!({ "activo_sam": false })).await;
        farm.robot(10, json!({})).await;
        farm.schedule(10, &[1], json!({ "hora_inicio": "23:50" })).await;
        farm.at("2026-03-03T00:05:00Z").await;
        let on = json!({ "activo_sam": true });
        farm.client.put("/api/sam/equipos/1", on).await.expect(200);
        farm.settle().await;
        let run = farm.runs("activas=true").await[0].clone();
        assert_eq!(run["turno"], "2026-03-02");
        farm.at("2026-03-03T00:08:00Z").await;
        farm.becomes(run["deployment_id"].as_str().unwrap(), "RUN_COMPLETED").await;
        farm.at("2026-03-03T00:12:00Z").await;
        assert_eq!(farm.running().await, []);
        farm.at("2026-03-03T23:50:00Z").await;
        assert_eq!(farm.running().await, [(10, 1)]);
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_5_ranges_of_the_month_as_the_preview_shows_them() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.robot(10, json!({})).await;
        let end = json!({ "tipo_programacion": "RangoMensual", "ultimos_dias_mes": 5 });
        let id = farm.schedule(10, &[], end).await;
        let path = format!("/api/sam/programaciones/{id}/preview?dias=60");
        let preview = farm.client.get(&path).await.expect(200);
        let days: Vec<String> = preview["ocurrencias"]
            .as_array()
            .unwrap()
            .iter()
            .map(|at| at.as_str().unwrap()[5..10].to_owned())
            .collect();
        let expected = [
            "03-27", "03-28", "03-29", "03-30", "03-31", "04-26", "04-27", "04-28", "04-29",
            "04-30",
        ];
        assert_eq!(days, expected);
        let last = json!({ "tipo_programacion": "Mensual", "dia_del_mes": 31 });
        let id = farm.schedule(10, &[], last).await;
        let path = format!("/api/sam/programaciones/{id}/preview?dias=60");
        let preview = farm.client.get(&path).await.expect(200);
        assert_eq!(preview["ocurrencias"], json!(["2026-03-31T09:00:00Z"]), "not on 30 April");
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_6_a_cyclic_schedule_rests_between_runs() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.set("BALANCEADOR_CICLO_INTERVALO_SEG", 3600).await;
        farm.runner(1, None).await;
        farm.robot(10, json!({})).await;
        let cyclic = json!({
            "hora_inicio": "08:00", "hora_fin": "18:00", "es_ciclico": true,
            "intervalo_entre_ejecuciones": 30,
        });
        farm.schedule(10, &[1], cyclic).await;
        farm.at("09:00:00").await;
        assert_eq!(farm.running().await, [(10, 1)]);
        let end = async |time: &str| {
            farm.at(time).await;
            let run = farm.runs("activas=true").await[0].clone();
            farm.becomes(run["deployment_id"].as_str().unwrap(), "RUN_COMPLETED").await;
        };
        end("10:00:00").await;
        farm.at("10:29:59").await;
        assert_eq!(farm.running().await, []);
        assert_eq!(farm.why("robot/10").await, ["INTERVALO"]);
        farm.at("10:30:00").await;
        assert_eq!(farm.running().await, [(10, 1)]);
        end("17:30:00").await;
        farm.at("18:00:00").await;
        assert_eq!(farm.running().await, [(10, 1)], "the last second belongs to the window");
        end("18:00:00").await;
        farm.at("18:31:00").await;
        assert_eq!(farm.running().await, []);
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_7_nothing_starts_in_the_pause() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.set("LANZADOR_PAUSA_INICIO", "09:00").await;
        farm.set("LANZADOR_PAUSA_FIN_HHMM", "09:15").await;
        farm.runner(1, None).await;
        farm.robot(10, json!({})).await;
        farm.schedule(10, &[1], json!({})).await;
        farm.at("09:14:59").await;
        assert_eq!(farm.running().await, []);
        assert_eq!(farm.why("robot/10").await, ["PAUSA_OPERACIONAL"]);
        farm.at("09:15:00").await;
        assert_eq!(farm.running().await, [(10, 1)]);
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_8_maintenance_and_licence_hold_a_due_schedule() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.runner_with(1, json!({ "activo_sam": false })).await;
        farm.runner_with(2, json!({ "licencia": "DEVELOPMENT" })).await;
        farm.runner_with(3, json!({ "licencia": "RUNTIME, ANALYTICS" })).await;
        farm.robot(10, json!({})).await;
        farm.schedule(10, &[1, 2, 3], json!({})).await;
        farm.at("09:05:00").await;
        assert_eq!(farm.running().await, [(10, 3)]);
        assert_eq!(farm.why("equipo/1").await, ["EQUIPO_INACTIVO"]);
        assert_eq!(farm.why("equipo/2").await, ["EQUIPO_SIN_LICENCIA"]);
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_9_schedules_go_before_reservations_and_priority_decides_among_equals() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.runner(1, None).await;
        farm.robot(10, json!({ "prioridad_balanceo": 10 })).await;
        farm.robot(11, json!({ "prioridad_balanceo": 50 })).await;
        farm.online(12, 1, None).await;
        farm.schedule(11, &[1], json!({})).await;
        let beside = json!({
            "robot_id": 10, "tipo_programacion": "Diaria", "hora_inicio": "09:00",
            "tolerancia": 30, "equipos": [1],
        });
        let refused = farm.client.post("/api/sam/programaciones", beside).await.expect(409);
        assert_eq!(refused["code"], "SOLAPAMIENTO");
        farm.schedule(10, &[1], json!({ "permitir_solapamiento": true })).await;
        farm.set("LANZADOR_PAUSA_INICIO", "08:00").await;
        farm.set("LANZADOR_PAUSA_FIN", "09:10").await;
        farm.reserve(12, 1).await;
        farm.at("09:10:00").await;
        assert_eq!(farm.running().await, [(10, 1)], "the calendar first, then priority");
        let why = farm.client.get("/api/sam/why/robot/11").await.expect(200);
        assert_eq!(why["reasons"][0]["code"], "EQUIPO_OCUPADO");
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_9_a_reservation_takes_a_runner_from_the_balancer() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.runner(1, None).await;
        farm.online(20, 1, None).await;
        farm.online(21, 90, None).await;
        farm.set("LANZADOR_PAUSA_INICIO", "08:00").await;
        farm.set("LANZADOR_PAUSA_FIN", "08:10").await;
        farm.tickets(20, 5).await;
        farm.at("08:01:00").await;
        assert_eq!(farm.dynamic().await, [(20, 1)]);
        farm.reserve(21, 1).await;
        farm.at("08:10:00").await;
        assert_eq!(farm.running().await, [(21, 1)], "by hand, whatever the priority");
        farm.at("08:30:00").await;
        assert_eq!(farm.dynamic().await, [], "and the balancer leaves it alone");
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_runners_of_a_schedule_are_fixed_while_it_stands() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.runner(1, None).await;
        farm.robot(10, json!({})).await;
        let shown = async || {
            let one = farm.client.get("/api/sam/equipos/1").await.expect(200);
            one["permite_balanceo_dinamico"].as_bool().unwrap()
        };
        assert!(shown().await);
        let first = farm.schedule(10, &[1], json!({})).await;
        let second = farm.schedule(10, &[1], json!({ "hora_inicio": "20:00" })).await;
        assert!(!shown().await);
        let on = json!({ "permite_balanceo_dinamico": true });
        let refused = farm.client.put("/api/sam/equipos/1", on).await.expect(409);
        assert_eq!(refused["code"], "EQUIPO_PROGRAMADO");
        farm.client.delete(&format!("/api/sam/programaciones/{first}")).await;
        assert!(!shown().await, "one still stands");
        farm.client.delete(&format!("/api/sam/programaciones/{second}")).await;
        assert!(shown().await, "as it was before");
        farm.close().await;
    })
    .await;
}
