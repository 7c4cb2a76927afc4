//! Who may do what, address by address.

use reqwest::Method;
use serde_json::{Value as Json, json};
use testkit::{Answer, Client, TestDb};

use crate::shop::{Shop, Who, friday, plain};

/// Method, address and the roles that may: A(dmin), M(anager), C(ashier), K(itchen). `{held}`,
/// `{cooking}` and `{ticket}` are fresh ones every time.
const TABLE: &[(&str, &str, &str)] = &[
    ("GET", "/pedidos", "AMCK"),
    ("POST", "/pedidos", "AMC"),
    ("POST", "/pedidos/cotizacion", "AMC"),
    ("GET", "/pedidos/capacidad", "AMCK"),
    ("GET", "/pedidos/atrasados", "AMCK"),
    ("GET", "/pedidos/{held}", "AMCK"),
    ("GET", "/pedidos/{held}/why", "AMCK"),
    ("GET", "/pedidos/{held}/historia", "AMCK"),
    ("PUT", "/pedidos/{held}", "AMC"),
    ("PUT", "/pedidos/{held}/estado", "AMCK"),
    ("POST", "/pedidos/{held}/forzar-estado", "AM"),
    ("POST", "/pedidos/{held}/iniciar-preparacion-manual", "AMCK"),
    ("PUT", "/pedidos/{held}/horario-entrega", "AMC"),
    ("POST", "/pedidos/{held}/retener", "AMC"),
    ("POST", "/pedidos/{held}/liberar", "AMC"),
    ("POST", "/pedidos/{held}/cancelar", "AMC"),
    ("POST", "/pedidos/{held}/cobrar", "AMC"),
    ("PUT", "/pedidos/{held}/pago", "AMC"),
    ("GET", "/comandas", "AMCK"),
    ("GET", "/comandas/{ticket}", "AMCK"),
    ("POST", "/comandas/{ticket}/lineas/1/lista", "AMK"),
    ("POST", "/comandas/{ticket}/lista", "AMK"),
    ("POST", "/comandas/{ticket}/confirmar", "AMK"),
    ("GET", "/articulos", "AMCK"),
    ("POST", "/articulos", "AM"),
    ("GET", "/articulos/{article}", "AMCK"),
    ("PUT", "/articulos/{article}", "AM"),
    ("DELETE", "/articulos/{article}", "AM"),
    ("GET", "/configuracion-sistema", "AM"),
    ("GET", "/configuracion-sistema/capacidad_tope", "AM"),
    ("PUT", "/configuracion-sistema/capacidad_tope", "AM"),
    ("GET", "/capacidad-horarios", "AM"),
    ("POST", "/capacidad-horarios", "AM"),
    ("PUT", "/capacidad-horarios/{rule}", "AM"),
    ("DELETE", "/capacidad-horarios/{rule}", "AM"),
    ("GET", "/api/pedidos/capacidad/semana", "AM"),
    ("GET", "/api/pedidos/tablero", "AMCK"),
    ("POST", "/api/pedidos/automatizacion/pausar", "AM"),
    ("POST", "/api/pedidos/automatizacion/reanudar", "AM"),
    ("POST", "/api/pedidos/simulacion", "AM"),
];

fn body_for(path: &str) -> Option<Json> {
    let end = path.rsplit('/').next().unwrap_or_default();
    let dish = json!({ "nombre": "flan", "precio": 10 });
    Some(match end {
        "pedidos" => plain(10),
        "cotizacion" | "{held}" => json!({ "articulos": plain(15)["articulos"] }),
        "estado" => json!({ "estado": "EN_PREPARACION" }),
        "forzar-estado" => json!({ "estado": "EN_PREPARACION", "motivo": "prueba" }),
        "horario-entrega" => json!({ "horario_entrega": "2026-06-19T23:00:00-03:00" }),
        "retener" | "cancelar" | "pausar" => json!({ "motivo": "prueba" }),
        "cobrar" => json!({ "medio_pago": "EFECTIVO" }),
        "pago" => json!({ "medio_pago": "EFECTIVO", "estado_pago": "PAGADO" }),
        "articulos" | "{article}" => dish,
        "capacidad_tope" => json!({ "valor": 25 }),
        "capacidad-horarios" => json!({ "desde": "05:00", "hasta": "06:00", "capacidad": 4 }),
        "{rule}" => json!({ "desde": "07:00", "hasta": "08:00", "capacidad": 4 }),
        "simulacion" => json!({ "dia": "2026-06-18", "capacidad": 5 }),
        _ => return None,
    })
}

/// The address with fresh things in it.
async fn fresh(shop: &Shop, path: &str) -> String {
    let manager = shop.client(Who::Manager);
    if path.contains("{held}") {
        return path.replace("{held}", &shop.held().await["id"].to_string());
    }
    if path.contains("{ticket}") {
        let id = shop.held().await["id"].clone();
        let body = json!({ "estado": "EN_PREPARACION", "motivo": "prueba" });
        manager.post(&format!("/pedidos/{id}/forzar-estado"), body).await.expect(200);
        let tickets = manager.get("/comandas").await.expect(200);
        let ticket = tickets.as_array().unwrap().iter().find(|one| one["pedido_id"] == id);
        return path.replace("{ticket}", &ticket.unwrap()["id"].to_string());
    }
    if path.contains("{article}") {
        clear_menu(&manager).await;
        let made = manager.post("/articulos", json!({ "nombre": "flan", "precio": 10 })).await;
        return path.replace("{article}", &made.expect(201)["id"].to_string());
    }
    if path.contains("{rule}") {
        clear_rules(&manager).await;
        let rule = json!({ "desde": "05:00", "hasta": "06:00", "capacidad": 4 });
        let made = manager.post("/capacidad-horarios", rule).await.expect(201);
        return path.replace("{rule}", &made["id"].to_string());
    }
    path.to_owned()
}

async fn clear_rules(manager: &Client) {
    for rule in manager.get("/capacidad-horarios").await.expect(200).as_array().unwrap() {
        manager.delete(&format!("/capacidad-horarios/{}", rule["id"])).await.expect(204);
    }
}

async fn clear_menu(manager: &Client) {
    for article in manager.get("/articulos").await.expect(200).as_array().unwrap() {
        manager.delete(&format!("/articulos/{}", article["id"])).await.expect(204);
    }
}

async fn ask(client: &Client, method: &str, path: &str, body: Option<&Json>) -> Answer {
    let method: Method = method.parse().unwrap();
    let mut request = client.request(method, path);
    if let Some(body) = body {
        request = request.json(body);
    }
    Answer::of(request, path).await
}

pub(super) async fn every_role_may_do_its_part(db: &TestDb) {
    let shop = Shop::guarded(db).await;
    let stranger = shop.stranger().await;
    let manager = shop.client(Who::Manager);
    let capacity = json!({ "valor": 20 });
    manager.put("/configuracion-sistema/MAX_PEDIDOS_EN_PREPARACION", capacity).await.expect(200);
    for (method, pattern, may) in TABLE {
        let body = (*method != "GET").then(|| body_for(pattern)).flatten();
        for (who, letter) in Who::ALL.into_iter().zip("AMCK".chars()) {
            if *pattern == "/capacidad-horarios" && *method == "POST" {
                clear_rules(&manager).await;
            }
            if *pattern == "/articulos" && *method == "POST" {
                clear_menu(&manager).await;
            }
            let path = fresh(&shop, pattern).await;
            let client = shop.client(who);
            if may.contains(letter) {
                let answer = ask(&client, method, &path, body.as_ref()).await;
                let fine = (200..300).contains(&answer.status);
                assert!(fine, "{who:?} {method} {path}: {} {}", answer.status, answer.text);
            } else {
                shop.unchanged(async |_: &Shop| {
                    let answer = ask(&client, method, &path, body.as_ref()).await;
                    assert_eq!(answer.status, 403, "{who:?} {method} {path}: {}", answer.text);
                    assert_eq!(answer.json()["code"], "ROL_INSUFICIENTE", "{who:?} {path}");
                })
                .await;
            }
            if pattern.contains("{held}") || pattern.contains("{ticket}") || *pattern == "/pedidos"
            {
                empty_the_kitchen(&manager).await;
            }
        }
        let path = fresh(&shop, pattern).await;
        let answer = ask(&stranger, method, &path, body.as_ref()).await;
        assert_eq!(answer.status, 403, "a stranger, {method} {path}: {}", answer.text);
        empty_the_kitchen(&manager).await;
    }
}

async fn empty_the_kitchen(manager: &Client) {
    for order in manager.get("/pedidos?estado=EN_PREPARACION").await.expect(200).as_array().unwrap()
    {
        let ready = json!({ "estado": "LISTO" });
        manager.put(&format!("/pedidos/{}/estado", order["id"]), ready).await.expect(200);
    }
}

pub(super) async fn strangers_are_asked_who_they_are(db: &TestDb) {
    let shop = Shop::guarded(db).await;
    let nobody = shop.nobody();
    let order = shop.held().await;
    shop.unchanged(async |_: &Shop| {
        for (method, path, _) in TABLE {
            let body = body_for(path);
            let path = path.replace("{held}", &order["id"].to_string());
            let answer = ask(&nobody, method, &path, body.as_ref()).await;
            assert_eq!(answer.status, 401, "{method} {path}: {}", answer.text);
            assert_eq!(answer.json()["code"], "NO_AUTENTICADO");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
            let wrong = nobody.with_token("turno_nonsense");
            let answer = ask(&wrong, method, &path, body.as_ref()).await;
            assert_eq!(answer.status, 401, "{method} {path}: {}", answer.text);
            assert_eq!(answer.json()["code"], "TOKEN_INVALIDO");
        }
        assert_eq!(nobody.get("/api/events").await.status, 401);
        let advance = json!({ "advance_seconds": 60 });
        assert_eq!(nobody.post("/debug/clock", advance.clone()).await.status, 401);
        assert_eq!(shop.client(Who::Manager).post("/debug/clock", advance).await.status, 403);
    })
    .await;
    assert_eq!(shop.context().clock.now(), friday());
    // Where nobody is asked, a wrong token is still wrong.
    let open = nobody.with_token("turno_nonsense").get("/health/worker").await;
    assert_eq!(open.status, 401, "{}", open.text);
}
