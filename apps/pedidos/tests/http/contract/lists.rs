//! Lists: by cursor, newest first, and never shorter than they look.

use db::Scope;
use serde_json::{Value as Json, json};
use testkit::{Client, TestDb};

use crate::shop::{Shop, Who, friday, plain};

/// Follows `Link` to the end; the ids in order, and how many pages there were.
async fn walk(client: &Client, first: &str) -> (Vec<i64>, usize) {
    let (mut ids, mut pages, mut path) = (Vec::new(), 0, first.to_owned());
    loop {
        let page = client.get(&path).await;
        let next = page.header("link").map(str::to_owned);
        assert_eq!(next.is_some(), page.header("x-next-cursor").is_some());
        let items: Json = page.expect(200);
        ids.extend(items.as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()));
        pages += 1;
        let Some(link) = next else { return (ids, pages) };
        assert!(link.ends_with(">; rel=\"next\""), "{link}");
        link[1..].split('>').next().unwrap().clone_into(&mut path);
    }
}

pub(super) async fn lists_go_on_by_cursor(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let manager = shop.client(Who::Manager);
    let mut orders = Vec::new();
    for _ in 0..5 {
        orders.push(shop.order(10).await["id"].as_i64().unwrap());
    }
    orders.reverse();
    for list in [
        "/pedidos?limit=2",
        "/pedidos?estado=EN_PREPARACION&limit=2",
        "/pedidos?dia=2026-06-19&limit=2",
    ] {
        assert_eq!(walk(&manager, list).await, (orders.clone(), 3), "{list}");
    }
    assert_eq!(walk(&manager, "/pedidos").await, (orders.clone(), 1));
    // Tickets in preparation come first to be due; when ready, the latest first.
    let (tickets, pages) = walk(&manager, "/comandas?limit=2").await;
    assert_eq!((tickets.len(), pages, tickets.is_sorted()), (5, 3, true));
    for id in &orders {
        let ready = json!({ "estado": "LISTO" });
        manager.put(&format!("/pedidos/{id}/estado"), ready).await.expect(200);
    }
    let (ready, pages) = walk(&manager, "/comandas?estado=LISTO&limit=2").await;
    assert_eq!((ready.len(), pages, ready.is_sorted_by(|a, b| a > b)), (5, 3, true));
    for name in ["a", "b", "c"] {
        let dish = json!({ "nombre": name, "precio": 1 });
        manager.post("/articulos", dish).await.expect(201);
    }
    assert_eq!(walk(&manager, "/articulos?limit=2").await.1, 2);
}

/// After 2,151 delivered orders the newest never appeared, and the panel lost whole days.
pub(super) async fn the_newest_are_never_cut_away(db: &TestDb) {
    const DELIVERED: usize = 2_151;
    let shop = Shop::open(db, friday()).await;
    let manager = shop.client(Who::Manager);
    let store = shop.store();
    let now = friday();
    let mut decision = store.decide(&Scope::new("test"), now).await.unwrap();
    for _ in 0..DELIVERED {
        let sql = "INSERT INTO orders (state, received_at, estimate_minutes, mode, channel, effort,
                   total_cents, created_by, started_at, expected_finish, ready_at, delivered_at)
                   VALUES ('ENTREGADO', $1, 10, 'RETIRO', 'MOSTRADOR', 1, 100, 'x', $1, $1, $1, $1)";
        decision.tx.execute(sql, &[now.into()]).await.unwrap();
    }
    decision.commit().await.unwrap();
    let newest = manager.get("/pedidos?estado=ENTREGADO&limit=1").await.expect(200);
    assert_eq!(newest[0]["id"], DELIVERED as i64);
    let (all, pages) = walk(&manager, "/pedidos?estado=ENTREGADO").await;
    assert_eq!((all.len(), pages), (DELIVERED, 2));
    let day = json!({ "dia": "2026-06-19", "capacidad": 8 });
    let told = manager.post("/api/pedidos/simulacion", day).await.expect(200);
    assert_eq!(told["pedidos"], DELIVERED);
    let panel = manager.get("/pedidos-panel").await;
    assert!(panel.text.contains("2.151 pedidos"), "{}", panel.text);
}

/// `?estacion=` gives a station its tickets with its lines; the whole is told beside them.
pub(super) async fn a_station_is_given_its_own(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let manager = shop.client(Who::Manager);
    let line = |name: &str, station: Json| json!({ "nombre": name, "peso": 1, "cantidad": 1, "precio": 1, "estacion": station });
    let body = json!({ "modalidad": "RETIRO", "articulos": [
        line("burger", json!("Plancha")), line("agua", json!("Barra")), line("pan", json!(null)) ] });
    manager.post("/pedidos", body).await.expect(201);
    shop.order(10).await;
    let names = |tickets: &Json| -> Vec<Vec<String>> {
        let tickets = tickets.as_array().unwrap().iter();
        tickets
            .map(|ticket| {
                let lines = ticket["lineas"].as_array().unwrap().iter();
                lines.map(|line| line["nombre"].as_str().unwrap().to_owned()).collect()
            })
            .collect()
    };
    let bar = manager.get("/comandas?estacion=barra").await.expect(200);
    assert_eq!(names(&bar), [["agua"]]);
    let progress = json!([
        { "estacion": "Plancha", "pendientes": 1, "listas": 0, "lista": false },
        { "estacion": "Barra", "pendientes": 1, "listas": 0, "lista": false },
        { "estacion": "", "pendientes": 1, "listas": 0, "lista": false } ]);
    assert_eq!(bar[0]["estaciones"], progress);
    let none = manager.get("/comandas?estacion=").await.expect(200);
    assert_eq!(names(&none), [["pan"], ["plato"]]);
    let whole = manager.get("/comandas").await.expect(200);
    assert_eq!(names(&whole), [vec!["burger", "agua", "pan"], vec!["plato"]]);
    assert_eq!(names(&manager.get("/comandas?estacion=Horno").await.expect(200)).len(), 0);
}

/// Ctrl K: nobody types accents, and SQLite knows no capital ones.
pub(super) async fn a_customer_is_found_without_accents(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let cashier = shop.client(Who::Cashier);
    let mut body = plain(10);
    body["cliente_nombre"] = json!("ÁNGEL Núñez");
    let id = cashier.post("/pedidos", body).await.expect(201)["id"].clone();
    for typed in ["angel", "nunez", "N%C3%BA%C3%B1ez", "%C3%A1ngel%20n"] {
        let found = cashier.get(&format!("/api/search?q={typed}")).await.expect(200);
        assert_eq!(found["items"][0]["href"], format!("/mostrador?pedido={id}"), "{typed}");
    }
}
