//! `Idempotency-Key`.

use reqwest::Method;
use serde_json::{Value as Json, json};
use testkit::{Answer, Client, TestDb};

use crate::shop::{Shop, Who, friday, plain};

async fn create(client: &Client, key: &str, body: &Json) -> Answer {
    let request = client.request(Method::POST, "/pedidos").header("idempotency-key", key);
    Answer::of(request.json(body), "POST /pedidos").await
}

pub(super) async fn one_key_is_one_order(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let cashier = shop.client(Who::Cashier);
    let first = create(&cashier, "abc", &plain(10)).await;
    assert_eq!(first.header("idempotency-replayed"), None);
    let first = first.expect(201);
    shop.unchanged(async |_: &Shop| {
        let again = create(&cashier, "abc", &plain(10)).await;
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        assert_eq!(again.expect(201), first, "the answer of then, to the letter");
        // Spaces and the order of keys make no other request.
        let text = "{\n \"articulos\": [{\"precio\": 100, \"cantidad\": 8, \"peso\": 1, \
                    \"nombre\": \"plato\"}],\n \"modalidad\": \"RETIRO\" }";
        let request = cashier.request(Method::POST, "/pedidos").header("idempotency-key", "abc");
        let request = request.header("content-type", "application/json").body(text);
        assert_eq!(Answer::of(request, "POST /pedidos").await.expect(201)["id"], first["id"]);
        let other = create(&cashier, "abc", &plain(15)).await.expect(409);
        assert_eq!(other["code"], "CLAVE_REUTILIZADA");
    })
    .await;
    let another = create(&cashier, "abd", &plain(10)).await.expect(201);
    assert_ne!(another["id"], first["id"]);
    let hers = create(&shop.client(Who::Manager), "abc", &plain(10)).await.expect(201);
    assert_ne!(hers["id"], first["id"], "a key belongs to its caller");
    // A refused request leaves its key free.
    let mut bad = plain(10);
    bad["modalidad"] = json!("AVION");
    create(&cashier, "abe", &bad).await.expect(400);
    create(&cashier, "abe", &plain(10)).await.expect(201);
}

pub(super) async fn a_key_must_be_a_key(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let cashier = shop.client(Who::Cashier);
    shop.unchanged(async |_: &Shop| {
        for bad in ["", "x".repeat(201).as_str()] {
            let problem = create(&cashier, bad, &plain(10)).await.expect(400);
            assert_eq!(problem["code"], "CLAVE_INVALIDA");
        }
    })
    .await;
    create(&cashier, &"x".repeat(200), &plain(10)).await.expect(201);
}

/// What a screen without a network kept and sends when it is back, perhaps for the second time.
pub(super) async fn one_key_is_one_act(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let cook = shop.client(Who::Kitchen);
    let order = shop.client(Who::Cashier).post("/pedidos", plain(10)).await.expect(201);
    let id = &order["id"];
    let ticket = cook.get("/comandas").await.expect(200)[0]["id"].clone();
    let act = async |key: &str, path: &str, body: Json| {
        let request = cook.request(Method::POST, path).header("idempotency-key", key);
        Answer::of(request.json(&body), path).await
    };
    // To mark a line twice is to take it back; with its key it is marked once.
    let line = format!("/comandas/{ticket}/lineas/1/lista");
    assert_eq!(act("k-1", &line, json!({})).await.expect(200)["estado"], "LISTO");
    shop.unchanged(async |_: &Shop| {
        assert_eq!(act("k-1", &line, json!({})).await.expect(200)["estado"], "LISTO");
        let other = format!("/comandas/{ticket}/deshacer");
        let reused = act("k-1", &other, json!({})).await.expect(409);
        assert_eq!(reused["code"], "CLAVE_REUTILIZADA");
    })
    .await;
    let undo = format!("/comandas/{ticket}/deshacer");
    assert_eq!(act("k-2", &undo, json!({})).await.expect(200)["estado"], "EN_PREPARACION");
    // Said again later, the first one is still what it was: done, and undone since.
    assert_eq!(act("k-1", &line, json!({})).await.expect(200)["estado"], "EN_PREPARACION");
    // A refused act leaves its key free.
    let path = format!("/pedidos/{id}/cobrar");
    act("k-3", &path, json!({ "medio_pago": "EFECTIVO" })).await.expect(403);
    let state = format!("/pedidos/{id}/estado");
    let request = cook.request(Method::PUT, &state).header("idempotency-key", "k-3");
    let ready = Answer::of(request.json(&json!({ "estado": "LISTO" })), &state).await;
    assert_eq!(ready.expect(200)["estado"], "LISTO");
}
