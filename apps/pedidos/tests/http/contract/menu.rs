//! The menu and what an order makes of it: stock, prices, names, extras.

use serde_json::{Value as Json, json};
use testkit::{Answer, Client, TestDb};

use crate::shop::{Shop, Who, friday};

async fn dish(shop: &Shop, body: Json) -> i64 {
    let made = shop.client(Who::Manager).post("/articulos", body).await.expect(201);
    made["id"].as_i64().unwrap()
}

fn order(line: &Json) -> Json {
    json!({ "modalidad": "RETIRO", "articulos": [line] })
}

async fn put_tagged(client: &Client, path: &str, tag: &str, body: &Json) -> Answer {
    let request = client.request(reqwest::Method::PUT, path).header("if-match", tag).json(body);
    Answer::of(request, path).await
}

pub(super) async fn an_old_tag_brings_no_stock_back(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let manager = shop.client(Who::Manager);
    let body = json!({ "nombre": "flan", "precio": 10, "controla_stock": true, "stock_actual": 5 });
    let flan = dish(&shop, body.clone()).await;
    let path = format!("/articulos/{flan}");
    let read = manager.get(&path).await;
    let tag = read.header("etag").expect("an article has a tag").to_owned();
    let sold = order(&json!({ "articulo_id": flan, "cantidad": 3 }));
    let sold = shop.client(Who::Cashier).post("/pedidos", sold).await.expect(201);
    let answer = put_tagged(&manager, &path, &tag, &body).await;
    assert_eq!(answer.expect(412)["code"], "VERSION_DISTINTA");
    assert_eq!(manager.get(&path).await.expect(200)["stock_actual"], 2);
    // What a cancellation gives back is news too.
    let tag = manager.get(&path).await.header("etag").unwrap().to_owned();
    let cancel = format!("/pedidos/{}/cancelar", sold["id"]);
    manager.post(&cancel, json!({ "motivo": "se fue" })).await.expect(200);
    put_tagged(&manager, &path, &tag, &json!({ "stock_actual": 2 })).await.expect(412);
    assert_eq!(manager.get(&path).await.expect(200)["stock_actual"], 5);
}

pub(super) async fn a_field_left_out_stays(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let manager = shop.client(Who::Manager);
    let body = json!({ "nombre": "flan", "precio": 10, "peso": 3, "estacion": "Fríos",
                       "categoria": "Postres", "controla_stock": true, "stock_actual": 5 });
    let path = format!("/articulos/{}", dish(&shop, body).await);
    let dearer = manager.put(&path, json!({ "precio": 12 })).await.expect(200);
    let kept = json!({ "nombre": "flan", "peso": 3, "estacion": "Fríos", "categoria": "Postres",
                       "controla_stock": true, "stock_actual": 5, "activo": true });
    for (field, value) in kept.as_object().unwrap() {
        assert_eq!(&dearer[field], value, "{field}");
    }
    assert_eq!(dearer["precio"], 12.0);
    // Null is said, and empties what may be empty.
    let moved = manager.put(&path, json!({ "estacion": null })).await.expect(200);
    assert_eq!((&moved["estacion"], &moved["categoria"]), (&Json::Null, &json!("Postres")));

    let rule = json!({ "dia_semana": 5, "desde": "12:00", "hasta": "15:00", "capacidad": 4,
                       "personal": 2, "nota": "almuerzo" });
    let made = manager.post("/capacidad-horarios", rule).await.expect(201);
    let path = format!("/capacidad-horarios/{}", made["id"]);
    let changed = manager.put(&path, json!({ "capacidad": 6 })).await.expect(200);
    for field in ["dia_semana", "desde", "hasta", "personal", "nota"] {
        assert_eq!(changed[field], made[field], "{field}");
    }
    let daily = manager.put(&path, json!({ "dia_semana": null })).await.expect(200);
    assert_eq!((&daily["dia_semana"], &daily["capacidad"]), (&Json::Null, &json!(6)));
}

pub(super) async fn an_open_order_keeps_what_left_the_menu(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let (manager, cashier) = (shop.client(Who::Manager), shop.client(Who::Cashier));
    let flan = dish(&shop, json!({ "nombre": "flan", "precio": 10 })).await;
    let soup = dish(&shop, json!({ "nombre": "sopa", "precio": 20 })).await;
    let mut body = order(&json!({ "articulo_id": flan, "cantidad": 2 }));
    body["transicion_automatica"] = json!(false);
    let made = cashier.post("/pedidos", body).await.expect(201);
    manager.put(&format!("/articulos/{flan}"), json!({ "precio": 15 })).await.expect(200);
    manager.delete(&format!("/articulos/{flan}")).await.expect(204);
    let path = format!("/pedidos/{}", made["id"]);
    // As the counter sends it back: with the name and price the order has.
    let mut lines =
        vec![json!({ "articulo_id": flan, "nombre": "flan", "precio": 10, "cantidad": 2 })];
    lines.push(json!({ "articulo_id": soup, "cantidad": 1 }));
    let edited = cashier.put(&path, json!({ "articulos": lines })).await.expect(200);
    assert_eq!(edited["total"], 40.0, "{edited}");
    // More of it, or in a new order, is not to be had.
    lines[0]["cantidad"] = json!(3);
    let more = cashier.put(&path, json!({ "articulos": lines })).await.expect(400);
    assert_eq!(more["errors"][0]["path"], "articulos[0].articulo_id");
    let new = order(&json!({ "articulo_id": flan, "cantidad": 1 }));
    cashier.post("/pedidos", new).await.expect(400);
}

pub(super) async fn the_menu_says_what_things_cost(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let (manager, cashier) = (shop.client(Who::Manager), shop.client(Who::Cashier));
    let flan = dish(&shop, json!({ "nombre": "flan", "precio": 1500 })).await;
    let line = json!({ "articulo_id": flan, "cantidad": 2, "precio": 1, "nombre": "gratis" });
    shop.unchanged(async |_: &Shop| {
        let refused = cashier.post("/pedidos", order(&line)).await.expect(400);
        let told: Vec<_> = refused["errors"].as_array().unwrap().iter().collect();
        assert_eq!(told[0]["path"], "articulos[0].nombre");
        assert_eq!(told[1]["path"], "articulos[0].precio");
        let message = told[1]["message"].as_str().unwrap();
        assert!(message.contains("1500") && message.contains("GERENTE"), "{message}");
        cashier.post("/pedidos/cotizacion", json!({ "articulos": [line] })).await.expect(400);
    })
    .await;
    let given = manager.post("/pedidos", order(&line)).await.expect(201);
    assert_eq!(
        (&given["total"], &given["articulos"][0]["nombre"]),
        (&json!(2.0), &json!("gratis"))
    );
    // Written by hand a line has its own price, as a shop without a menu needs it.
    let free = json!({ "nombre": "flan", "peso": 1, "cantidad": 1, "precio": 1 });
    assert_eq!(cashier.post("/pedidos", order(&free)).await.expect(201)["total"], 1.0);
}

pub(super) async fn extras_are_in_the_total(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let cashier = shop.client(Who::Cashier);
    let burger = dish(&shop, json!({ "nombre": "burger", "precio": 1000 })).await;
    let extras = json!({ "extras": [{ "id": 1, "nombre": "cheddar", "precio_extra": 200 },
                                    { "nombre": "panceta", "precio_extra": 150, "cantidad": 2 }] });
    let line = |price: Json| {
        json!({ "articulo_id": burger, "cantidad": 2, "precio": price,
                              "personalizaciones": extras })
    };
    // The price of the article, the price with its extras, or none at all: it costs the same.
    for told in [json!(null), json!(1000), json!(1500)] {
        let made = cashier.post("/pedidos", order(&line(told.clone()))).await.expect(201);
        assert_eq!(made["total"], 3000.0, "{told}: {made}");
        assert_eq!(made["articulos"][0]["precio"], 1500.0);
    }
    let refused = cashier.post("/pedidos", order(&line(json!(1200)))).await.expect(400);
    assert_eq!(refused["errors"][0]["path"], "articulos[0].precio");
}

pub(super) async fn a_dish_is_on_the_menu_once(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let manager = shop.client(Who::Manager);
    let flan = dish(&shop, json!({ "nombre": "Flan casero", "precio": 10 })).await;
    let soup = dish(&shop, json!({ "nombre": "Sopa", "precio": 10 })).await;
    let again = json!({ "nombre": " flan  CASERO ", "precio": 12 });
    let refused = manager.post("/articulos", again.clone()).await.expect(409);
    assert_eq!(refused["code"], "ARTICULO_DUPLICADO");
    assert!(refused["detail"].as_str().unwrap().contains(&flan.to_string()), "{refused}");
    let path = format!("/articulos/{soup}");
    manager.put(&path, json!({ "nombre": "flan casero" })).await.expect(409);
    manager
        .put(&format!("/articulos/{flan}"), json!({ "nombre": "FLAN casero" }))
        .await
        .expect(200);
    // What left the menu is in nobody's way, and cannot come back beside its namesake.
    manager.delete(&format!("/articulos/{flan}")).await.expect(204);
    manager.post("/articulos", again).await.expect(201);
    manager.put(&format!("/articulos/{flan}"), json!({ "activo": true })).await.expect(409);
}

/// `{}` does not say “as soon as possible”.
pub(super) async fn a_schedule_is_said(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let cashier = shop.client(Who::Cashier);
    let held = shop.held().await;
    let path = format!("/pedidos/{}/horario-entrega", held["id"]);
    shop.unchanged(async |_: &Shop| {
        let refused = cashier.put(&path, json!({})).await.expect(400);
        assert!(refused["detail"].as_str().unwrap().contains("falta horario_entrega"), "{refused}");
        let past = json!({ "horario_entrega": "2026-06-19T19:00:00-03:00" });
        let refused = cashier.put(&path, past).await.expect(400);
        assert_eq!(refused["errors"][0]["message"], "ya pasó");
    })
    .await;
    cashier.put(&path, json!({ "horario_entrega": null })).await.expect(200);
}
