//! Two people at the same order: the second sees that the first was there.

use reqwest::Method;
use serde_json::{Value as Json, json};
use testkit::{Answer, Client, TestDb};

use crate::shop::{Shop, Who, friday, plain};

async fn with_tag(client: &Client, method: &str, path: &str, tag: &str, body: Json) -> Answer {
    let method: Method = method.parse().unwrap();
    let mut request = client.request(method, path).header("if-match", tag);
    if !body.is_null() {
        request = request.json(&body);
    }
    Answer::of(request, path).await
}

pub(super) async fn an_old_version_is_refused(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let cashier = shop.client(Who::Manager);
    let id = shop.held().await["id"].clone();
    let read = cashier.get(&format!("/pedidos/{id}")).await;
    assert_eq!(read.header("etag"), Some("\"1\""));
    let path = format!("/pedidos/{id}/retener");
    let held = with_tag(&cashier, "POST", &path, "\"1\"", json!({ "motivo": "llama" })).await;
    assert_eq!(held.header("etag"), Some("\"2\""));
    assert_eq!(held.expect(200)["version"], 2);

    let of = |end: &str| format!("/pedidos/{id}/{end}");
    let stale = [
        ("PUT", format!("/pedidos/{id}"), json!({ "articulos": plain(20)["articulos"] })),
        ("PUT", of("estado"), json!({ "estado": "EN_PREPARACION" })),
        ("POST", of("forzar-estado"), json!({ "estado": "EN_PREPARACION", "motivo": "x" })),
        ("POST", of("iniciar-preparacion-manual"), Json::Null),
        ("PUT", of("horario-entrega"), json!({ "horario_entrega": "2026-06-19T23:00:00-03:00" })),
        ("POST", of("retener"), json!({ "motivo": "otra cosa" })),
        ("POST", of("liberar"), Json::Null),
        ("POST", of("cancelar"), json!({ "motivo": "x" })),
        ("POST", of("cobrar"), json!({ "medio_pago": "EFECTIVO" })),
        ("PUT", of("pago"), json!({ "medio_pago": "EFECTIVO", "estado_pago": "PAGADO" })),
    ];
    shop.unchanged(async |_: &Shop| {
        for (method, path, body) in &stale {
            for old in ["\"1\"", "W/\"1\"", "1", "\"3\""] {
                let problem = with_tag(&cashier, method, path, old, body.clone()).await.expect(412);
                assert_eq!(problem["code"], "VERSION_DISTINTA", "{path}");
                assert!(problem["detail"].as_str().unwrap().contains('2'), "{problem}");
            }
            let problem = with_tag(&cashier, method, path, "nonsense", body.clone()).await;
            assert_eq!(problem.expect(400)["code"], "IF_MATCH_INVALIDO", "{path}");
        }
    })
    .await;
    with_tag(&cashier, "POST", &of("liberar"), "*", Json::Null).await.expect(200);
}

pub(super) async fn articles_and_rules_have_versions(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let manager = shop.client(Who::Manager);
    let dish = json!({ "nombre": "flan", "precio": 10, "peso": 2 });
    let made = manager.post("/articulos", dish.clone()).await.expect(201);
    let article = format!("/articulos/{}", made["id"]);
    assert_eq!(made["version"], 1);
    assert_eq!(
        with_tag(&manager, "PUT", &article, "\"1\"", dish.clone()).await.expect(200)["version"],
        2
    );
    let rule = json!({ "dia_semana": 5, "desde": "12:00", "hasta": "15:00", "capacidad": 4 });
    let made = manager.post("/capacidad-horarios", rule.clone()).await.expect(201);
    let path = format!("/capacidad-horarios/{}", made["id"]);
    assert_eq!(
        with_tag(&manager, "PUT", &path, "\"1\"", rule.clone()).await.expect(200)["version"],
        2
    );
    let key = "/configuracion-sistema/MAX_PEDIDOS_EN_PREPARACION";
    assert_eq!(manager.put(key, json!({ "valor": 9 })).await.expect(200)["version"], 1);
    shop.unchanged(async |_: &Shop| {
        with_tag(&manager, "PUT", &article, "\"1\"", dish).await.expect(412);
        with_tag(&manager, "PUT", &path, "\"1\"", rule).await.expect(412);
        with_tag(&manager, "PUT", key, "\"0\"", json!({ "valor": 5 })).await.expect(412);
    })
    .await;
    assert_eq!(with_tag(&manager, "PUT", key, "\"1\"", json!({ "valor": 5 })).await.status, 200);
}
