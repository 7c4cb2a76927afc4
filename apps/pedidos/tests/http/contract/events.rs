//! The live stream: names, shapes, numbers, and coming back after a while away.

use db::{Scope, events};
use serde_json::{Value as Json, json};
use testkit::TestDb;

use crate::{
    shop::{Shop, Who, friday},
    stream::{Frame, Stream},
};

async fn newest(shop: &Shop) -> i64 {
    events::bounds(&mut shop.store().read().await.unwrap()).await.unwrap().1
}

/// The fields each event had in the original system, and those added since.
fn fields(name: &str) -> &'static [&'static str] {
    match name {
        "pedido:creado" | "pedido:actualizado" => {
            &["pedidoId", "pedido", "timestamp", "version", "causa"]
        }
        "pedido:estado-cambiado" | "pedido:entregado" => &[
            "pedidoId",
            "estadoAnterior",
            "estadoNuevo",
            "pedido",
            "timestamp",
            "version",
            "causa",
        ],
        "pedido:cobrado" => &["pedidoId", "ventaId", "pedido", "timestamp", "version", "causa"],
        "capacidad:actualizada" => &["capacidad", "timestamp"],
        "pedidos:atrasados" => &["pedidos", "cantidad", "timestamp", "causa"],
        "comanda:actualizada" => &["pedidoId", "comandaId", "revision", "timestamp"],
        other => panic!("nobody knows the event {other}"),
    }
}

fn check_shape(frame: &Frame) {
    let Frame { id, event, data } = frame;
    assert_eq!(data["seq"], *id, "{frame:?}");
    assert_eq!(data["name"], event.as_str(), "{frame:?}");
    assert_eq!(data["app"], "pedidos", "{frame:?}");
    let at: jiff::Timestamp = data["at"].as_str().unwrap().parse().unwrap();
    let told = &data["data"];
    for field in fields(event) {
        assert!(told.get(field).is_some_and(|value| !value.is_null()), "{field}: {frame:?}");
    }
    let stamp: jiff::Timestamp = told["timestamp"].as_str().unwrap().parse().unwrap();
    assert_eq!(stamp, at);
    if let Some(order) = told.get("pedido") {
        assert_eq!(order["id"], told["pedidoId"]);
        assert_eq!(order["version"], told["version"]);
        for key in ORDER {
            assert!(order.get(key).is_some(), "{key}: {order}");
        }
    }
}

/// *Pedido* as R-13 lists it.
const ORDER: [&str; 19] = [
    "id",
    "estado",
    "prioridad",
    "transicion_automatica",
    "horario_entrega",
    "tiempo_estimado_preparacion",
    "hora_inicio_preparacion",
    "iniciado_en",
    "hora_esperada_finalizacion",
    "hora_listo",
    "entregado_en",
    "modalidad",
    "origen_pedido",
    "medio_pago",
    "estado_pago",
    "total",
    "articulos",
    "version",
    "nivel_atraso",
];

pub(super) async fn events_have_the_shapes_clients_know(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let (cashier, kitchen) = (shop.client(Who::Cashier), shop.client(Who::Kitchen));
    let mut screen = Stream::open(&cashier, 0).await;
    let order = shop.order(10).await;
    for key in ORDER {
        assert!(order.get(key).is_some(), "{key}: {order}");
    }
    let path = |end: &str| format!("/pedidos/{}/{end}", order["id"]);
    shop.nobody().at("2026-06-19T20:12:30-03:00").await;
    kitchen.put(&path("estado"), json!({ "estado": "LISTO" })).await.expect(200);
    let charged = json!({ "medio_pago": "DEBITO" });
    cashier.post(&path("cobrar"), charged.clone()).await.expect(200);
    cashier.post(&path("cobrar"), charged).await.expect(200);
    cashier.put(&path("estado"), json!({ "estado": "ENTREGADO" })).await.expect(200);
    let frames = screen.until(newest(&shop).await).await;
    frames.iter().for_each(check_shape);
    let names: Vec<_> = frames.iter().map(|frame| frame.event.as_str()).collect();
    let expected = [
        "pedido:creado",
        "pedido:estado-cambiado",
        "comanda:actualizada",
        "capacidad:actualizada",
        "pedidos:atrasados",
        "pedido:estado-cambiado",
        "capacidad:actualizada",
        "pedidos:atrasados",
        "pedido:cobrado",
        "pedido:actualizado",
        "pedido:estado-cambiado",
        "pedido:entregado",
    ];
    assert_eq!(names, expected);
    let told = |index: usize| &frames[index].data["data"];
    let causes = [told(0), told(1), told(5), told(8)].map(|data| data["causa"].clone());
    assert_eq!(causes, ["CREACION", "AUTOMATICA", "MANUAL", "COBRO"].map(Json::from));
    let capacity = json!({ "capacidadMaxima": 8, "pedidosEnPreparacion": 1,
        "espaciosDisponibles": 7, "porcentajeUso": 13, "estaLlena": false,
        "unidad": "pedidos", "regla": null });
    assert_eq!(told(3)["capacidad"], capacity);
    let late = &told(4)["pedidos"][0];
    assert_eq!(told(4)["cantidad"], 1);
    assert_eq!(late["id"], order["id"]);
    assert_eq!(late["hora_esperada_finalizacion"], order["hora_esperada_finalizacion"]);
    assert_eq!(late["hora_inicio_preparacion"], order["iniciado_en"]);
    assert_eq!((&told(7)["cantidad"], &told(7)["pedidos"]), (&json!(0), &json!([])));
}

/// Last seen 120 of 127: 121 to 127 come, in order, once, and then what happens.
pub(super) async fn a_client_resumes_where_it_left(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let cashier = shop.client(Who::Cashier);
    while newest(&shop).await < 120 {
        shop.order(10).await;
    }
    let seen = newest(&shop).await;
    let mut before = Stream::open(&cashier, seen).await;
    shop.held().await;
    shop.order(10).await;
    let last = newest(&shop).await;
    assert!(last > seen);
    let live: Vec<_> = before.until(last).await.iter().map(|frame| frame.id).collect();
    let mut after = Stream::open(&cashier, seen).await;
    let replayed: Vec<_> = after.until(last).await.iter().map(|frame| frame.id).collect();
    assert_eq!(replayed, (seen + 1..=last).collect::<Vec<_>>());
    assert_eq!(live, replayed);
    shop.held().await;
    let next = after.next().await;
    assert_eq!((next.id, next.event.as_str()), (last + 1, "pedido:creado"));
    // The same by the address, for clients that cannot set a header.
    let path = format!("/api/events?topics=pedidos&since={seen}");
    let mut by_address = Stream::from(&cashier, 0, &path).await;
    assert_eq!(by_address.next().await.id, seen + 1);
    // Topics are applications: of another one there is nothing to hear.
    let mut other = Stream::from(&cashier, seen, "/api/events?topics=sam,pedidos").await;
    assert_eq!(other.next().await.id, seen + 1);
}

pub(super) async fn a_client_that_was_away_too_long_reloads(db: &TestDb) {
    let shop = Shop::open(db, friday()).await;
    let cashier = shop.client(Who::Cashier);
    let first = shop.held().await;
    shop.nobody().at("2026-06-19T20:00:01-03:00").await;
    shop.held().await;
    let later = shop.context().clock.now();
    let mut decision = shop.store().decide(&Scope::new("housekeeping"), later).await.unwrap();
    assert!(events::prune(&mut decision.tx, later).await.unwrap() > 0);
    decision.commit().await.unwrap();
    let last = newest(&shop).await;
    let (oldest, _) = events::bounds(&mut shop.store().read().await.unwrap()).await.unwrap();
    for (since, why) in
        [(0, "forgotten"), (oldest - 2, "forgotten"), (last + 50, "from another life")]
    {
        let mut stream = Stream::open(&cashier, since).await;
        let told = stream.next().await;
        assert_eq!((told.event.as_str(), told.id), ("resync", last), "{why}");
    }
    // Nothing is missing for who saw everything that was forgotten.
    let mut stream = Stream::open(&cashier, oldest - 1).await;
    assert_eq!(stream.next().await.id, oldest);
    // After the reload the stream goes on live.
    let mut stream = Stream::open(&cashier, 0).await;
    assert_eq!(stream.next().await.event, "resync");
    let path = format!("/pedidos/{}/cancelar", first["id"]);
    cashier.post(&path, json!({ "motivo": "nadie vino" })).await.expect(200);
    let next = stream.next().await;
    assert_eq!((next.id, next.event.as_str()), (last + 1, "pedido:estado-cambiado"));
}
