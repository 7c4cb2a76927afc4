//! S-25: the database goes away for a while. Nobody enters, everybody can see it, nothing is lost
//! and nothing happens twice.

use std::sync::Arc;

use db::{Scope, Store};
use host::Access;
use serde_json::json;
use testkit::{TestDb, on_postgres, on_sqlite};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};

use crate::{
    shop::{Shop, Who, friday, plain},
    stream::Stream,
};

/// The wire to a server. Cut, it drops every connection and lets none through.
struct Wire {
    whole: watch::Sender<bool>,
    url: String,
    _carrying: JoinSet<()>,
}

impl Wire {
    async fn to(url: &str) -> Self {
        let (before, after) = url.split_once('@').unwrap();
        let (server, database) = after.split_once('/').unwrap();
        let (server, listener) =
            (Arc::<str>::from(server), TcpListener::bind("127.0.0.1:0").await.unwrap());
        let url = format!("{before}@{}/{database}", listener.local_addr().unwrap());
        let (whole, state) = watch::channel(true);
        let mut carrying = JoinSet::new();
        carrying.spawn(async move {
            let mut wires = JoinSet::new();
            loop {
                let (near, _) = listener.accept().await.unwrap();
                wires.spawn(carry(near, server.clone(), state.clone()));
            }
        });
        Self { whole, url, _carrying: carrying }
    }

    fn cut(&self) {
        self.whole.send_replace(false);
    }

    fn mend(&self) {
        self.whole.send_replace(true);
    }
}

async fn carry(mut near: TcpStream, server: Arc<str>, mut state: watch::Receiver<bool>) {
    if !*state.borrow_and_update() {
        return;
    }
    let mut far = TcpStream::connect(&*server).await.unwrap();
    tokio::select! {
        _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
        _ = state.wait_for(|whole| !whole) => {}
    }
}

/// A tick that failed is tried again this soon.
const NEXT_TRY: jiff::SignedDuration = jiff::SignedDuration::from_secs(5);

/// A scheduled order that falls due during the outage, and one that waits for a db.
async fn backlog(shop: &Shop) -> (String, String) {
    let cashier = shop.client(Who::Cashier);
    let mut body = plain(15);
    body["horario_entrega"] = json!("2026-06-19T20:15:20-03:00");
    let due = cashier.post("/pedidos", body.clone()).await.expect(201);
    body["horario_entrega"] = json!("2026-06-19T20:15:25-03:00");
    let later = cashier.post("/pedidos", body).await.expect(201);
    shop.nobody().advance(0).await;
    assert_eq!(shop.nobody().get("/health/worker").await.expect(200)["status"], "OK");
    (format!("/pedidos/{}", due["id"]), format!("/pedidos/{}", later["id"]))
}

/// After the outage both enter, once each: at the next try, or before it, when the line between
/// processes is there again and wakes everyone.
async fn recovered(shop: &Shop, orders: &(String, String), at: &str) {
    let cashier = shop.client(Who::Cashier);
    for path in [&orders.0, &orders.1] {
        assert_eq!(cashier.get(path).await.expect(200)["estado"], "RECIBIDO");
    }
    shop.nobody().advance(5).await;
    let health = shop.nobody().get("/health/worker").await.expect(200);
    assert_eq!((&health["status"], &health["lastError"]), (&json!("OK"), &json!(null)));
    let at: jiff::Timestamp = at.parse().unwrap();
    for path in [&orders.0, &orders.1] {
        let order = cashier.get(path).await.expect(200);
        assert_eq!(order["estado"], "EN_PREPARACION", "{order}");
        let began: jiff::Timestamp = order["iniciado_en"].as_str().unwrap().parse().unwrap();
        assert!((at - NEXT_TRY..=at).contains(&began), "{began}");
    }
    shop.nobody().advance(60).await;
    assert_eq!(cashier.get("/comandas").await.expect(200).as_array().unwrap().len(), 2);
    let mut tx = shop.store().read().await.unwrap();
    let sql = "SELECT COUNT(*) AS n FROM events WHERE name = 'pedido:estado-cambiado'";
    let told: i64 = tx.one(sql, &[]).await.unwrap().get("n").unwrap();
    assert_eq!(told, 2, "each entry is told once");
}

async fn the_server_goes_away(db: &TestDb) {
    let wire = Wire::to(&db.url).await;
    let shop = Shop::with(db, &wire.url, friday(), Access::Open).await;
    let orders = backlog(&shop).await;
    let mut screen = Stream::open(&shop.client(Who::Cashier), 0).await;
    assert_eq!(screen.next().await.event, "pedido:creado");
    wire.cut();
    let (cashier, nobody) = (shop.client(Who::Cashier), shop.nobody());
    for answer in [
        cashier.post("/pedidos", plain(10)).await,
        cashier.get("/pedidos").await,
        nobody.post("/pedidos", plain(10)).await,
        nobody.get("/pedidos/capacidad").await,
    ] {
        assert_eq!(answer.expect(503)["code"], "BASE_DE_DATOS_NO_DISPONIBLE");
    }
    nobody.advance(60).await;
    let health = nobody.get("/health/worker").await.expect(200);
    assert_eq!(health["status"], "ERROR", "{health}");
    assert!(!health["lastError"].is_null(), "{health}");
    assert_eq!(nobody.get("/health").await.expect(200)["status"], "degraded");
    assert_eq!(nobody.get("/ready").await.status, 503);
    nobody.advance(10).await;
    wire.mend();
    recovered(&shop, &orders, "2026-06-19T20:01:15-03:00").await;
    assert_eq!(nobody.get("/ready").await.status, 200);
    // A screen that was connected all along missed nothing.
    let told = [screen.next().await, screen.next().await, screen.next().await];
    let entered = ["pedido:creado", "pedido:estado-cambiado", "comanda:actualizada"];
    assert_eq!(told.map(|frame| frame.event), entered);
}

/// Another program keeps the file locked. Each attempt waits for it as long as the store is patient,
/// so the outage is short in virtual time.
async fn the_file_is_locked(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let orders = backlog(&shop).await;
    let other = Store::open(&db.url).await.unwrap();
    let lock = other.decide(&Scope::new("other"), friday()).await.unwrap();
    let (cashier, nobody) = (shop.client(Who::Cashier), shop.nobody());
    // Behind the first, so that both wait for the same lock at the same time.
    let (refused, _) = tokio::join!(cashier.post("/pedidos", plain(10)), nobody.advance(30));
    assert_eq!(refused.expect(503)["code"], "BASE_DE_DATOS_NO_DISPONIBLE");
    let health = nobody.get("/health/worker").await.expect(200);
    assert_eq!(health["status"], "ERROR", "{health}");
    assert!(!health["lastError"].is_null(), "{health}");
    drop(lock);
    recovered(&shop, &orders, "2026-06-19T20:00:35-03:00").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s25_nobody_enters_while_the_database_is_gone() {
    tokio::join!(on_postgres(the_server_goes_away), on_sqlite(the_file_is_locked));
}
