//! Every move between two states of an order: the legal ones are made, the others refused.

use engine::Word as _;
use pedidos::model::OrderState;
use serde_json::{Value as Json, json};
use testkit::TestDb;

use crate::shop::{Shop, Who, friday, plain};

/// A new order in this state, paid, so that money refuses nothing.
async fn order_in(shop: &Shop, state: OrderState) -> i64 {
    let manager = shop.client(Who::Manager);
    let mut body = plain(10);
    body["transicion_automatica"] = json!(false);
    body["estado_pago"] = json!("PAGADO");
    body["medio_pago"] = json!("EFECTIVO");
    let id = manager.post("/pedidos", body).await.expect(201)["id"].as_i64().unwrap();
    let way: &[OrderState] = match state {
        OrderState::Received => &[],
        OrderState::Preparing => &[OrderState::Preparing],
        OrderState::Ready => &[OrderState::Preparing, OrderState::Ready],
        OrderState::Delivered => &[OrderState::Preparing, OrderState::Ready, OrderState::Delivered],
        OrderState::Cancelled => &[OrderState::Cancelled],
    };
    for step in way {
        let body = json!({ "estado": step.word() });
        manager.put(&format!("/pedidos/{id}/estado"), body).await.expect(200);
    }
    id
}

async fn check(shop: &Shop, force: bool) {
    let manager = shop.client(Who::Manager);
    let capacity = json!({ "valor": 20 });
    manager.put("/configuracion-sistema/MAX_PEDIDOS_EN_PREPARACION", capacity).await.expect(200);
    for from in OrderState::ALL {
        for to in OrderState::ALL {
            let id = order_in(shop, *from).await;
            let before = manager.get(&format!("/pedidos/{id}")).await.expect(200);
            let rows = shop.rows().await.len();
            let answer = if force {
                let body = json!({ "estado": to.word(), "motivo": "prueba" });
                manager.post(&format!("/pedidos/{id}/forzar-estado"), body).await
            } else {
                manager.put(&format!("/pedidos/{id}/estado"), json!({ "estado": to.word() })).await
            };
            let after = manager.get(&format!("/pedidos/{id}")).await.expect(200);
            let moved = format!("{} to {}: {}", from.word(), to.word(), answer.text);
            if from == to {
                assert_eq!(answer.status, 200, "{moved}");
                assert_eq!(after, before, "{moved}");
            } else if engine::allows(*from, *to) {
                assert_eq!(answer.status, 200, "{moved}");
                assert_eq!(after["estado"], to.word(), "{moved}");
                consistent(&after);
            } else {
                assert_eq!(answer.expect(409)["code"], "TRANSICION_INVALIDA", "{moved}");
                assert_eq!(after, before, "{moved}");
                assert_eq!(shop.rows().await.len(), rows, "{moved}");
            }
            let done = json!({ "estado": "CANCELADO", "motivo": "fin" });
            manager.post(&format!("/pedidos/{id}/forzar-estado"), done).await;
        }
    }
}

/// The instants of an order tell the same story as its state.
fn consistent(order: &Json) {
    let has = |key: &str| !order[key].is_null();
    let state = order["estado"].as_str().unwrap();
    let cooked = ["EN_PREPARACION", "LISTO", "ENTREGADO"].contains(&state);
    if state != "CANCELADO" {
        assert_eq!(has("iniciado_en"), cooked, "{order}");
        assert_eq!(has("hora_esperada_finalizacion"), cooked, "{order}");
        assert_eq!(has("hora_listo"), ["LISTO", "ENTREGADO"].contains(&state), "{order}");
    }
    assert_eq!(has("entregado_en"), state == "ENTREGADO", "{order}");
    assert_eq!(has("cancelado_en"), state == "CANCELADO", "{order}");
}

pub(super) async fn only_legal_moves_are_made(db: &TestDb) {
    check(&Shop::open(db, friday()).await, false).await;
}

pub(super) async fn force_obeys_the_same_graph(db: &TestDb) {
    check(&Shop::open(db, friday()).await, true).await;
}
