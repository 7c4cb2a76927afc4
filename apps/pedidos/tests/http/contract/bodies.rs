//! Bodies, texts, numbers and addresses that make no sense.

use reqwest::Method;
use serde_json::{Value as Json, json};
use testkit::{Answer, TestDb};

use crate::shop::{BODY_BYTES, Shop, Who, friday, plain};

const JSON: &str = "application/json";

/// Every address that takes a body, with one that would be accepted.
fn takers(order: &Json) -> Vec<(Method, String, Json)> {
    let of = |end: &str| format!("/pedidos/{}/{end}", order["id"]);
    let rule = json!({ "desde": "12:00", "hasta": "15:00", "capacidad": 4 });
    vec![
        (Method::POST, "/pedidos".into(), plain(10)),
        (Method::POST, "/pedidos/cotizacion".into(), json!({ "articulos": [] })),
        (Method::PUT, format!("/pedidos/{}", order["id"]), json!({ "articulos": [] })),
        (Method::PUT, of("estado"), json!({ "estado": "LISTO" })),
        (Method::POST, of("forzar-estado"), json!({ "estado": "LISTO", "motivo": "x" })),
        (Method::PUT, of("horario-entrega"), json!({ "horario_entrega": null })),
        (Method::POST, of("retener"), json!({ "motivo": "x" })),
        (Method::POST, of("cancelar"), json!({ "motivo": "x" })),
        (Method::POST, of("cobrar"), json!({ "medio_pago": "EFECTIVO" })),
        (Method::PUT, of("pago"), json!({ "medio_pago": "EFECTIVO", "estado_pago": "PAGADO" })),
        (Method::POST, "/articulos".into(), json!({ "nombre": "flan", "precio": 1 })),
        (Method::PUT, "/articulos/1".into(), json!({ "nombre": "flan", "precio": 1 })),
        (Method::PUT, "/configuracion-sistema/capacidad_tope".into(), json!({ "valor": 30 })),
        (Method::POST, "/capacidad-horarios".into(), rule.clone()),
        (Method::PUT, "/capacidad-horarios/1".into(), rule),
        (Method::POST, "/api/pedidos/automatizacion/pausar".into(), json!({ "motivo": "x" })),
        (Method::POST, "/api/pedidos/simulacion".into(), json!({ "dia": "x", "capacidad": 1 })),
    ]
}

async fn send(shop: &Shop, method: &Method, path: &str, kind: &str, body: Vec<u8>) -> Answer {
    let request = shop.client(Who::Manager).request(method.clone(), path);
    let request = request.header("content-type", kind).body(body);
    Answer::of(request, &format!("{method} {path}")).await
}

fn expect_problem(answer: &Answer, status: u16, code: &str) {
    let problem = answer.json();
    let got = (answer.status, problem["code"].as_str().unwrap_or_default());
    assert_eq!(got, (status, code), "{}", answer.text);
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    assert_eq!(problem["status"], status);
    assert!(!problem["detail"].as_str().unwrap_or_default().is_empty(), "{}", answer.text);
    assert!(!problem["title"].as_str().unwrap_or_default().is_empty(), "{}", answer.text);
}

pub(super) async fn a_bad_body_changes_nothing(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let order = shop.held().await;
    shop.unchanged(async |shop: &Shop| {
        for (method, path, body) in takers(&order) {
            for malformed in ["", "{", "\u{feff}{}", "nonsense"] {
                let answer = send(shop, &method, &path, JSON, malformed.into()).await;
                let optional = path.ends_with("retener") && malformed.is_empty();
                if !optional {
                    expect_problem(&answer, 400, "JSON_INVALIDO");
                }
            }
            for shape in ["[]", "7", "\"text\"", "null"] {
                let answer = send(shop, &method, &path, JSON, shape.into()).await;
                expect_problem(&answer, 400, "CUERPO_INVALIDO");
            }
            let mut unknown = body.clone();
            unknown["campo_desconocido"] = json!(1);
            let answer = send(shop, &method, &path, JSON, unknown.to_string().into()).await;
            expect_problem(&answer, 400, "CUERPO_INVALIDO");
            let deep = "[".repeat(10_000);
            let answer = send(shop, &method, &path, JSON, deep.into()).await;
            assert_eq!(answer.status, 400, "{}", answer.text);
            let huge = vec![b' '; BODY_BYTES + 1];
            let answer = send(shop, &method, &path, JSON, huge).await;
            expect_problem(&answer, 413, "CUERPO_DEMASIADO_GRANDE");
            for kind in ["text/plain", "application/x-www-form-urlencoded", "json"] {
                let answer = send(shop, &method, &path, kind, body.to_string().into()).await;
                expect_problem(&answer, 415, "TIPO_NO_ADMITIDO");
            }
            let binary = vec![0xff, 0xfe, 0x00];
            let answer = send(shop, &method, &path, JSON, binary).await;
            assert_eq!(answer.status, 400, "{}", answer.text);
        }
    })
    .await;
}

/// A change to the plain order that makes it wrong, and the field that is to blame.
const WRONG: &[(&str, &str, &str)] = &[
    ("/articulos", "[]", "articulos"),
    ("/articulos", "7", "articulos"),
    ("/articulos/0/cantidad", "0", "articulos[0].cantidad"),
    ("/articulos/0/cantidad", "-1", "articulos[0].cantidad"),
    ("/articulos/0/cantidad", "1000", "articulos[0].cantidad"),
    ("/articulos/0/cantidad", "1.5", "articulos[0].cantidad"),
    ("/articulos/0/cantidad", "\"2\"", "articulos[0].cantidad"),
    ("/articulos/0/cantidad", "99999999999999999999", "articulos[0].cantidad"),
    ("/articulos/0/cantidad", "null", "articulos[0].cantidad"),
    ("/articulos/0/peso", "0", "articulos[0].peso"),
    ("/articulos/0/peso", "5", "articulos[0].peso"),
    ("/articulos/0/peso", "-2", "articulos[0].peso"),
    ("/articulos/0/precio", "-0.01", "articulos[0].precio"),
    ("/articulos/0/precio", "1e300", "articulos[0].precio"),
    ("/articulos/0/precio", "\"10\"", "articulos[0].precio"),
    ("/articulos/0/nombre", "\"\"", "articulos[0].nombre"),
    ("/articulos/0/nombre", "\"   \"", "articulos[0].nombre"),
    ("/articulos/0/nombre", "null", "articulos[0].nombre"),
    ("/articulos/0/articulo_id", "999", "articulos[0].articulo_id"),
    ("/articulos/0/articulo_id", "-1", "articulos[0].articulo_id"),
    ("/modalidad", "\"AVION\"", "modalidad"),
    ("/modalidad", "\"retiro\"", "modalidad"),
    ("/modalidad", "7", "modalidad"),
    ("/origen_pedido", "\"RADIO\"", "origen_pedido"),
    ("/medio_pago", "\"ORO\"", "medio_pago"),
    ("/estado_pago", "\"TAL_VEZ\"", "estado_pago"),
    ("/estado", "\"EN_PREPARACION\"", "estado"),
    ("/estado", "\"CANCELADO\"", "estado"),
    ("/estado", "\"PROGRAMADO\"", "estado"),
    ("/transicion_automatica", "\"no\"", "transicion_automatica"),
    ("/horario_entrega", "\"mañana\"", "horario_entrega"),
    ("/horario_entrega", "\"2026-06-19\"", "horario_entrega"),
    ("/horario_entrega", "\"2026-06-18T20:00:00-03:00\"", "horario_entrega"),
    ("/horario_entrega", "\"2036-06-19T20:00:00-03:00\"", "horario_entrega"),
    ("/horario_entrega", "\"2026-06-19T19:58:00-03:00\"", "horario_entrega"),
    ("/horario_entrega", "20", "horario_entrega"),
    ("/articulos/0/precio", "99999999999", "articulos"),
    (
        "/articulos/0/personalizaciones",
        "{\"extras\":[{\"precio_extra\":-5}]}",
        "articulos[0].personalizaciones.extras[0]",
    ),
    ("/modalidad", "\"DELIVERY\"", "cliente_direccion"),
    ("/cliente_email", "\"nadie\"", "cliente_email"),
    ("/cliente_email", "\"a b@c.d\"", "cliente_email"),
    ("/cliente_email", "\"a@b\"", "cliente_email"),
    ("/observaciones", "7", "observaciones"),
];

pub(super) async fn a_bad_field_is_named(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let cashier = shop.client(Who::Cashier);
    shop.unchanged(async |_: &Shop| {
        for (pointer, value, blamed) in WRONG {
            let mut body = plain(10).to_string();
            let whole: Json = serde_json::from_str(&body).unwrap();
            let old = whole.pointer(pointer);
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            let opening = if parent.is_empty() { "{" } else { "[{" };
            // Written into the text, since some of these numbers are none that JSON can hold here.
            body = match old {
                Some(old) => {
                    body.replacen(&format!("\"{key}\":{old}"), &format!("\"{key}\":{value}"), 1)
                }
                None => body.replacen(opening, &format!("{opening}\"{key}\":{value},"), 1),
            };
            let request = cashier.request(Method::POST, "/pedidos");
            let request = request.header("content-type", "application/json").body(body.clone());
            let answer = Answer::of(request, "POST /pedidos").await;
            assert_eq!(answer.status, 400, "{body}: {}", answer.text);
            let errors = &answer.json()["errors"];
            assert_eq!(errors[0]["path"], *blamed, "{body}: {}", answer.text);
            assert!(!errors[0]["message"].as_str().unwrap().is_empty());
        }
        let order = json!({ "articulos": [{ "nombre": "x", "peso": 4, "cantidad": 999 }],
                            "modalidad": "RETIRO" });
        let day = cashier.post("/pedidos", order).await.expect(400);
        assert_eq!(day["errors"][0]["path"], "articulos", "{day}");
        let missing = json!({ "articulos": plain(10)["articulos"] });
        assert_eq!(cashier.post("/pedidos", missing).await.status, 400);
        let mut crowd = plain(10);
        crowd["articulos"] = json!(vec![crowd["articulos"][0].clone(); 101]);
        assert_eq!(cashier.post("/pedidos", crowd).await.expect(400)["code"], "VALIDACION");
    })
    .await;
}

/// Text that is too long, or that a database or a screen would choke on.
pub(super) async fn absurd_text_changes_nothing(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let (cashier, manager) = (shop.client(Who::Cashier), shop.client(Who::Manager));
    let held = shop.held().await;
    let id = &held["id"];
    shop.unchanged(async |_: &Shop| {
        for bad in ["x".repeat(300), "a\u{0}b".into(), "a\u{1b}[2Jb".into()] {
            for field in [
                "cliente_nombre",
                "cliente_telefono",
                "cliente_direccion",
                "cliente_email",
                "observaciones",
            ] {
                let mut body = plain(10);
                body[field] = json!(bad);
                let problem = cashier.post("/pedidos", body).await.expect(400);
                assert_eq!(problem["errors"][0]["path"], field);
            }
            for field in ["nombre", "observaciones", "estacion"] {
                let mut body = plain(10);
                body["articulos"][0][field] = json!(bad);
                cashier.post("/pedidos", body).await.expect(400);
            }
            let reason = json!({ "motivo": bad });
            for end in ["retener", "cancelar"] {
                cashier.post(&format!("/pedidos/{id}/{end}"), reason.clone()).await.expect(400);
            }
            let forced = json!({ "estado": "EN_PREPARACION", "motivo": bad });
            manager.post(&format!("/pedidos/{id}/forzar-estado"), forced).await.expect(400);
            let cancelled = json!({ "estado": "CANCELADO", "motivo": bad });
            cashier.put(&format!("/pedidos/{id}/estado"), cancelled).await.expect(400);
            manager.post("/api/pedidos/automatizacion/pausar", reason).await.expect(400);
            let dish = json!({ "nombre": bad, "precio": 1 });
            manager.post("/articulos", dish).await.expect(400);
            let noted = json!({ "desde": "12:00", "hasta": "15:00", "capacidad": 4, "nota": bad });
            manager.post("/capacidad-horarios", noted).await.expect(400);
        }
        for extras in [json!("x".repeat(5_000)), json!({ "salsa": "a\u{0}b" })] {
            let mut body = plain(10);
            body["articulos"][0]["personalizaciones"] = extras;
            cashier.post("/pedidos", body).await.expect(400);
        }
    })
    .await;
    // What is merely unusual is kept to the letter.
    let mut body = plain(10);
    body["cliente_nombre"] = json!("O'Higgins \u{1f35f} \"<b>\" \\ ñandú; DROP TABLE orders");
    let made = cashier.post("/pedidos", body.clone()).await.expect(201);
    let read = cashier.get(&format!("/pedidos/{}", made["id"])).await.expect(200);
    assert_eq!(read["cliente_nombre"], body["cliente_nombre"]);
}

pub(super) async fn what_does_not_exist_is_not_found(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let manager = shop.client(Who::Manager);
    let order = json!({ "id": 4_000_000 });
    let asks = [
        ("GET", "/pedidos/{}"),
        ("GET", "/pedidos/{}/why"),
        ("GET", "/pedidos/{}/historia"),
        ("POST", "/pedidos/{}/liberar"),
        ("POST", "/pedidos/{}/iniciar-preparacion-manual"),
        ("GET", "/comandas/{}"),
        ("POST", "/comandas/{}/lineas/1/lista"),
        ("POST", "/comandas/{}/lista"),
        ("POST", "/comandas/{}/deshacer"),
        ("POST", "/comandas/{}/confirmar"),
        ("GET", "/articulos/{}"),
        ("DELETE", "/articulos/{}"),
        ("DELETE", "/capacidad-horarios/{}"),
    ];
    shop.unchanged(async |shop: &Shop| {
        for (method, path) in asks {
            let method: Method = method.parse().unwrap();
            for (id, status) in [
                ("4000000", 404),
                ("-1", 400),
                ("abc", 400),
                ("1.5", 400),
                ("9".repeat(30).as_str(), 400),
            ] {
                let path = path.replace("{}", id);
                let answer = Answer::of(manager.request(method.clone(), &path), &path).await;
                assert_eq!(answer.status, status, "{method} {path}: {}", answer.text);
                assert_eq!(answer.header("content-type"), Some("application/problem+json"));
            }
        }
        for (method, path, mut body) in takers(&order) {
            if path.contains("4000000") {
                if body.get("articulos").is_some() {
                    body["articulos"] = plain(10)["articulos"].take();
                }
                let bytes = body.to_string().into();
                let answer = send(shop, &method, &path, "application/json", bytes).await;
                expect_problem(&answer, 404, "PEDIDO_INEXISTENTE");
            }
        }
        manager.get("/configuracion-sistema/NADA").await.expect(404);
        let value = json!({ "valor": 1 });
        manager.put("/configuracion-sistema/NADA", value.clone()).await.expect(404);
        manager.put("/configuracion-sistema/%00", value).await.expect(400);
        manager.get("/pedidos/1/nada").await.expect(404);
        manager.delete("/pedidos/1").await.expect(405);
    })
    .await;
}

pub(super) async fn bad_filters_are_refused(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let manager = shop.client(Who::Manager);
    for path in [
        "/pedidos?estado=COCIDO",
        "/pedidos?estado=recibido",
        "/pedidos?estado=",
        "/pedidos?dia=ayer",
        "/pedidos?dia=2026-02-30",
        "/pedidos?dia=19/06/2026",
        "/pedidos?dia=0001-01-01",
        "/pedidos?dia=9999-12-31",
        "/pedidos?estdo=LISTO",
        "/pedidos?limit=0",
        "/pedidos?limit=2001",
        "/pedidos?cursor=x",
        "/pedidos?cursor=4000000",
        "/comandas?estado=COCIDO",
        "/comandas?station=barra",
        "/comandas?cursor=4000000",
        "/articulos?cursor=4000000",
        "/articulos?nombre=flan",
        "/api/events?since=x",
    ] {
        let answer = manager.get(path).await;
        assert_eq!(answer.status, 400, "{path}: {}", answer.text);
    }
    let nobody = shop.nobody();
    assert_eq!(nobody.get("/api/audit?cursor=x").await.status, 400);
    assert_eq!(nobody.get("/eventos?cursor=x").await.status, 400);
    assert_eq!(nobody.get("/api/audit?limit=x").await.status, 400);
    for path in ["/pedidos?estado=LISTO", "/pedidos?dia=2000-01-01", "/pedidos?dia=2999-12-31"] {
        assert_eq!(manager.get(path).await.expect(200), json!([]), "{path}");
    }
    for body in [
        json!({ "dia": "2026-06-19", "capacidad": 0 }),
        json!({ "dia": "2026-06-19", "capacidad": 201 }),
        json!({ "dia": "hoy", "capacidad": 5 }),
        json!({ "dia": "9999-12-31", "capacidad": 5 }),
        json!({ "dia": "2026-06-19", "capacidad": 5, "politica": "azar" }),
    ] {
        manager.post("/api/pedidos/simulacion", body).await.expect(400);
    }
    let asked = json!({ "dia": "2999-12-31", "capacidad": 5 });
    manager.post("/api/pedidos/simulacion", asked).await.expect(200);
}
