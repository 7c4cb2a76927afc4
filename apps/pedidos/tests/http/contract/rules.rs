//! Settings and capacity rules.

use serde_json::json;
use testkit::TestDb;

use crate::shop::{Shop, Who, friday};

pub(super) async fn settings_out_of_range_change_nothing(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let manager = shop.client(Who::Manager);
    let numbers = [
        ("MAX_PEDIDOS_EN_PREPARACION", 0, 21),
        ("capacidad_tope", 0, 201),
        ("envejecimiento_minutos", -1, 241),
        ("horas_vencido", 0, 49),
        ("worker_interval_segundos", 4, 601),
        ("recordatorio_atrasos_minutos", 0, 121),
        ("piso_estimacion_minutos", 0, 61),
        ("TIEMPO_BASE_PEDIDO_MINUTOS", 0, 181),
        ("personal_en_cocina", -1, 51),
    ];
    let words = ["unidad_capacidad", "politica_prioridad", "corte_jornada"];
    let switches = ["AUTO_MOVER_PEDIDOS", "aprendizaje_aplicado", "capacidad_adaptativa_aplicada"];
    shop.unchanged(async |_: &Shop| {
        let refuse = async |key: &str, value: serde_json::Value| {
            let path = format!("/configuracion-sistema/{key}");
            let problem = manager.put(&path, json!({ "valor": value })).await.expect(400);
            assert_eq!(problem["code"], "VALOR_INVALIDO", "{key} {value}");
            assert_eq!(problem["errors"][0]["path"], "valor", "{key} {value}");
        };
        for (key, below, above) in numbers {
            for value in [below, above, i64::MIN, i64::MAX] {
                refuse(key, json!(value)).await;
            }
            for value in [json!(8.5), json!("8"), json!(null), json!(true), json!([8]), json!({})] {
                refuse(key, value).await;
            }
        }
        for key in words {
            for value in [json!("nada"), json!(""), json!(7), json!(null), json!("25:00")] {
                refuse(key, value).await;
            }
        }
        for key in switches {
            for value in [json!("true"), json!(1), json!(null)] {
                refuse(key, value).await;
            }
        }
        let path = "/configuracion-sistema/capacidad_tope";
        manager.put(path, json!({})).await.expect(400);
        manager.put(path, json!({ "value": 8 })).await.expect(400);
    })
    .await;
    for setting in manager.get("/configuracion-sistema").await.expect(200).as_array().unwrap() {
        assert_eq!(setting["origen"], "defecto", "{setting}");
        let path = format!("/configuracion-sistema/{}", setting["clave"].as_str().unwrap());
        let kept = manager.put(&path, json!({ "valor": setting["valor"] })).await.expect(200);
        assert_eq!(kept["valor"], setting["valor"], "every default is accepted");
    }
    // The ceiling may not sink under what it covers.
    manager.put("/configuracion-sistema/capacidad_tope", json!({ "valor": 5 })).await.expect(400);
}

pub(super) async fn capacity_rules_may_not_contradict_each_other(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let manager = shop.client(Who::Manager);
    let path = "/capacidad-horarios";
    let evening = json!({ "dia_semana": 5, "desde": "19:00", "hasta": "02:00", "capacidad": 10 });
    let made = manager.post(path, evening).await.expect(201);
    assert_eq!(made["hasta"], "02:00");
    let capacity = manager.get("/pedidos/capacidad").await.expect(200);
    assert_eq!((&capacity["capacidadMaxima"], &capacity["regla"]), (&json!(10), &made["id"]));
    let other = json!({ "dia_semana": 1, "desde": "12:00", "hasta": "15:00", "capacidad": 4 });
    let other = manager.post(path, other).await.expect(201);
    shop.unchanged(async |_: &Shop| {
        for (day, from, to) in [(5, "18:00", "20:00"), (5, "19:00", "02:00"), (6, "01:00", "03:00")]
        {
            let body = json!({ "dia_semana": day, "desde": from, "hasta": to, "capacidad": 6 });
            let problem = manager.post(path, body.clone()).await.expect(409);
            assert!(!problem["detail"].as_str().unwrap().is_empty());
            let edited = format!("{path}/{}", other["id"]);
            manager.put(&edited, body).await.expect(409);
        }
        for wrong in [
            json!({ "desde": "12:00", "hasta": "12:00", "capacidad": 0 }),
            json!({ "desde": "12:00", "hasta": "15:00", "capacidad": 21 }),
            json!({ "desde": "12:00", "hasta": "15:00", "capacidad": -1 }),
            json!({ "desde": "12", "hasta": "15:00", "capacidad": 4 }),
            json!({ "desde": "24:00", "hasta": "15:00", "capacidad": 4 }),
            json!({ "desde": "12:00:00", "hasta": "15:00", "capacidad": 4 }),
            json!({ "dia_semana": 7, "desde": "12:00", "hasta": "15:00", "capacidad": 4 }),
            json!({ "dia_semana": -1, "desde": "12:00", "hasta": "15:00", "capacidad": 4 }),
            json!({ "desde": "12:00", "hasta": "15:00", "capacidad": 4, "personal": 0 }),
            json!({ "desde": "12:00", "hasta": "15:00", "capacidad": 4,
                    "vigente_desde": "ayer" }),
            json!({ "desde": "12:00", "hasta": "15:00", "capacidad": 4,
                    "vigente_desde": "2026-07-01", "vigente_hasta": "2026-06-01" }),
        ] {
            let answer = manager.post(path, wrong.clone()).await;
            assert_eq!(answer.status, 400, "{wrong}: {}", answer.text);
        }
    })
    .await;
    // The week shows what holds when: Friday's evening reaches into Saturday.
    let week = manager.get("/api/pedidos/capacidad/semana").await.expect(200);
    let cell = |day: &str, hour: &str| {
        let cells = week["celdas"].as_array().unwrap();
        let found = cells.iter().find(|cell| cell["fecha"] == day && cell["hora"] == hour);
        found.unwrap()["capacidad"].as_i64().unwrap()
    };
    assert_eq!(cell("2026-06-19", "18:30"), 8);
    assert_eq!(cell("2026-06-19", "19:00"), 10);
    assert_eq!(cell("2026-06-20", "01:30"), 10);
    assert_eq!(cell("2026-06-20", "02:00"), 8);
    // The clock passes the end of the rule: everyone is told of the capacity that holds then,
    // however seldom the safety net looks.
    let seldom = json!({ "valor": 600 });
    manager.put("/configuracion-sistema/worker_interval_segundos", seldom).await.expect(200);
    shop.nobody().at("2026-06-20T02:00:00-03:00").await;
    let capacity = manager.get("/pedidos/capacidad").await.expect(200);
    assert_eq!((&capacity["capacidadMaxima"], &capacity["regla"]), (&json!(8), &json!(null)));
    let mut tx = shop.store().read().await.unwrap();
    let told = db::events::latest(&mut tx, i64::MAX, None, None, 1).await.unwrap();
    assert_eq!(told[0].name, "capacidad:actualizada");
    assert_eq!(told[0].data["capacidad"]["capacidadMaxima"], 8);
}

/// Ticks with nothing due do not run: an idle day costs the end of the business day and no more.
pub(super) async fn an_idle_day_hardly_ticks(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    shop.nobody().advance(0).await;
    let runs = || shop.context().tick_health(pedidos::decisions::TICK).unwrap().runs;
    let before = runs();
    shop.nobody().advance(24 * 3_600).await;
    assert!(runs() - before <= 2, "{} runs", runs() - before);
}

/// what was learned is shown, and corrects nothing until somebody wants that.
pub(super) async fn what_was_learned_counts_once_it_is_switched_on(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let manager = shop.client(Who::Manager);
    for _ in 0..6 {
        let order = shop.order(10).await;
        shop.nobody().advance(30 * 60).await;
        let path = format!("/pedidos/{}/estado", order["id"]);
        manager.put(&path, json!({ "estado": "LISTO" })).await.expect(200);
    }
    let estimate = async || shop.order(10).await["tiempo_estimado_preparacion"].clone();
    assert_eq!(estimate().await, 10, "six orders took thirty minutes, and nobody asked for that");
    let path = "/configuracion-sistema/aprendizaje_aplicado";
    manager.put(path, json!({ "valor": true })).await.expect(200);
    assert_eq!(estimate().await, 20, "corrected, and by a factor of two at most");
    manager.put(path, json!({ "valor": false })).await.expect(200);
    assert_eq!(estimate().await, 10);
}
