//! A ticket on paper: a small server stands for the printer and keeps the bytes it is sent.

use std::sync::{Arc, Mutex};

use serde_json::json;
use testkit::{Client, TestDb};
use tokio::{io::AsyncReadExt as _, net::TcpListener};

use crate::shop::{Shop, Who, friday};

/// A printer on a port of its own, and the slips it was sent.
async fn printer() -> (String, Arc<Mutex<Vec<Vec<u8>>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let slips = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&slips);
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut bytes = Vec::new();
            let _ = socket.read_to_end(&mut bytes).await;
            kept.lock().unwrap().push(bytes);
        }
    });
    (address, slips)
}

async fn set(client: &Client, key: &str, value: &str) {
    let path = format!("/configuracion-sistema/{key}");
    client.put(&path, json!({ "valor": value })).await.expect(200);
}

fn holds(slip: &[u8], text: &[u8]) -> bool {
    slip.windows(text.len()).any(|window| window == text)
}

pub(super) async fn a_ticket_reaches_the_printer(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let (manager, cook) = (shop.client(Who::Manager), shop.client(Who::Kitchen));
    let order = shop.order(10).await;
    let tickets = manager.get("/comandas").await.expect(200);
    let path = format!("/comandas/{}/imprimir", tickets[0]["id"]);
    assert_eq!(cook.post(&path, json!({})).await.expect(409)["code"], "SIN_IMPRESORA");
    let wrong = json!({ "valor": "una impresora" });
    manager.put("/configuracion-sistema/impresora_comandas", wrong).await.expect(400);

    let (address, slips) = printer().await;
    set(&manager, "impresora_comandas", &address).await;
    assert_eq!(cook.post(&path, json!({})).await.status, 202);
    shop.nobody().advance(0).await;
    {
        let slips = slips.lock().unwrap();
        let [slip] = slips.as_slice() else { panic!("{} slips", slips.len()) };
        assert!(slip.starts_with(&[0x1b, b'@']), "initialised");
        assert!(slip.ends_with(&[0x1d, b'V', 66, 0]), "cut");
        assert!(holds(slip, format!("#{}\n", order["id"]).as_bytes()));
        assert!(holds(slip, b"8 x plato\n") && !holds(slip, b"COPIA"));
    }
    let ticket = manager.get("/comandas").await.expect(200)[0].clone();
    assert_eq!(ticket["impresiones"], 1);
    assert!(!ticket["impresa_en"].is_null(), "{ticket}");
    // Again is a copy, so that nobody cooks it twice.
    cook.post(&path, json!({})).await;
    shop.nobody().advance(0).await;
    assert!(holds(&slips.lock().unwrap()[1], b"COPIA"));
}

pub(super) async fn tickets_print_as_they_enter_and_change(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let manager = shop.client(Who::Manager);
    let (address, slips) = printer().await;
    set(&manager, "impresora_comandas", &address).await;
    set(&manager, "imprimir_comandas", "al_entrar").await;
    let order = shop.order(10).await;
    shop.nobody().advance(0).await;
    assert_eq!(slips.lock().unwrap().len(), 1, "it entered");
    let more = json!({ "articulos": [
        { "nombre": "plato", "peso": 1, "cantidad": 8, "precio": 100 },
        { "nombre": "Ñoquis", "peso": 1, "cantidad": 1, "precio": 100 } ] });
    manager.put(&format!("/pedidos/{}", order["id"]), more).await.expect(200);
    shop.nobody().advance(0).await;
    let slips = slips.lock().unwrap();
    assert_eq!(slips.len(), 2, "it changed");
    assert!(holds(&slips[1], b"CAMBIO 2\n") && !holds(&slips[1], b"COPIA"));
    assert!(holds(&slips[1], b"+ AGREGADO 1 x \xa5oquis\n"));
}

pub(super) async fn a_printer_that_is_off_is_told(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let manager = shop.client(Who::Manager);
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    set(&manager, "impresora_comandas", &gone.to_string()).await;
    set(&manager, "imprimir_comandas", "al_entrar").await;
    shop.order(10).await;
    shop.nobody().advance(0).await;
    let firing = async || {
        let all = manager.get("/api/alerts").await.expect(200);
        let all = all["items"].as_array().unwrap().clone();
        all.iter().any(|one| one["fingerprint"] == "pedidos/impresora" && one["firing"] == true)
    };
    assert!(firing().await);
    let (address, slips) = printer().await;
    set(&manager, "impresora_comandas", &address).await;
    shop.nobody().advance(10).await;
    assert_eq!(slips.lock().unwrap().len(), 1, "what waited comes out");
    assert!(!firing().await);
}

pub(super) async fn the_browser_prints_too(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let manager = shop.client(Who::Manager);
    shop.order(10).await;
    let id = manager.get("/comandas").await.expect(200)[0]["id"].clone();
    let page = manager.get(&format!("/comandas/{id}/impresion")).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("8 × plato") && page.text.contains("CUANTO ANTES"));
    manager.get("/comandas/4000000/impresion").await.expect(404);
}
