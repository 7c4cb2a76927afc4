//! The kitchen is never told who the customer is.

use serde_json::{Value as Json, json};
use testkit::{Client, TestDb};

use crate::{
    shop::{Shop, Who, plain},
    stream::Stream,
};

const PERSONAL: [&str; 4] =
    ["Zulema Quiroga", "11-5555-0199", "Pasaje Oculto 742", "zq@example.net"];

pub(super) fn with_customer() -> Json {
    let mut body = plain(10);
    for (key, value) in ["nombre", "telefono", "direccion", "email"].iter().zip(PERSONAL) {
        body[format!("cliente_{key}")] = json!(value);
    }
    body
}

pub(super) fn knows_the_customer(text: &str) -> bool {
    PERSONAL.iter().any(|secret| text.contains(secret))
}

async fn read(client: &Client, id: &Json) -> Vec<(String, String)> {
    let paths = [
        "/pedidos".to_owned(),
        format!("/pedidos/{id}"),
        format!("/pedidos/{id}/why"),
        format!("/pedidos/{id}/historia"),
        "/pedidos/atrasados".into(),
        "/pedidos?dia=2026-06-19".into(),
        "/pedidos?estado=EN_PREPARACION".into(),
        "/comandas".into(),
        "/comandas/1".into(),
        "/api/pedidos/tablero".into(),
        "/api/pedidos/pantalla".into(),
        "/eventos".into(),
        "/cocina".into(),
    ];
    let mut texts = Vec::new();
    for path in paths {
        let answer = client.get(&path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        texts.push((path, answer.text));
    }
    texts
}

pub(super) async fn the_kitchen_learns_nothing_of_customers(db: &TestDb) {
    let shop = Shop::guarded(db).await;
    let (cashier, kitchen) = (shop.client(Who::Cashier), shop.client(Who::Kitchen));
    let made = cashier.post("/pedidos", with_customer()).await.expect(201);
    let id = &made["id"];
    assert!(knows_the_customer(&made.to_string()));
    for (path, text) in read(&kitchen, id).await {
        assert!(!knows_the_customer(&text), "{path}: {text}");
    }
    let counter = read(&cashier, id).await;
    assert!(knows_the_customer(&counter[0].1) && knows_the_customer(&counter[1].1));

    // What the kitchen does is answered without the customer, too.
    let ready = kitchen.put(&format!("/pedidos/{id}/estado"), json!({ "estado": "LISTO" })).await;
    assert!(!knows_the_customer(&ready.text), "{}", ready.text);
    let undone = kitchen.post("/comandas/1/deshacer", json!({})).await;
    assert_eq!(undone.status, 200, "{}", undone.text);
    assert!(!knows_the_customer(&undone.text), "{}", undone.text);

    // And so is the live stream, whose numbers are the same for everyone.
    let newest = {
        let mut tx = shop.store().read().await.unwrap();
        db::events::bounds(&mut tx).await.unwrap().1
    };
    let told = Stream::open(&kitchen, 0).await.until(newest).await;
    assert!(told.iter().any(|frame| frame.event == "pedido:creado"));
    for frame in &told {
        assert!(!knows_the_customer(&frame.data.to_string()), "{frame:?}");
    }
    let seen = Stream::open(&cashier, 0).await.until(newest).await;
    assert!(knows_the_customer(&seen[0].data.to_string()), "{:?}", seen[0]);
    let numbers = |frames: &[crate::stream::Frame]| frames.iter().map(|f| f.id).collect::<Vec<_>>();
    assert_eq!(numbers(&told), numbers(&seen));
}

pub(super) async fn health_and_screen_are_public_and_anonymous(db: &TestDb) {
    let shop = Shop::guarded(db).await;
    let made = shop.client(Who::Cashier).post("/pedidos", with_customer()).await.expect(201);
    let nobody = shop.nobody();
    for path in ["/health", "/ready", "/metrics", "/health/worker", "/pantalla"] {
        let answer = nobody.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        assert!(!knows_the_customer(&answer.text), "{path}");
    }
    let screen = nobody.get("/api/pedidos/pantalla").await.expect(200);
    assert_eq!(screen, json!({ "preparando": [made["id"]], "listos": [] }));
    for path in ["/pedidos", "/comandas", "/api/pedidos/tablero", "/eventos", "/api/audit"] {
        assert_eq!(nobody.get(path).await.status, 401, "{path}");
    }
}
