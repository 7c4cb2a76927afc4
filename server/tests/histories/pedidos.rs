//! Histories of *Pedidos*: orders, payments, people who hold, force and cancel, and a kitchen that is
//! paused and changed.

use engine::Chance;
use pedidos::store::policy;
use serde_json::{Value as Json, json};

use crate::{
    kitchen::{self, COUNTED, PRICE, STOCK, WEIGHT},
    play::{Play, World, as_json},
    step::{Step, ask, refusing},
};

pub(crate) const PEOPLE: &[(&str, &str)] =
    &[("manager", "GERENTE"), ("cashier", "CAJERO"), ("cook", "COCINA")];

pub(crate) static PLAY: Play = Play {
    name: "pedidos",
    tables: pedidos::store::MIGRATIONS,
    open: |setup| Box::pin(async { setup.prepare(pedidos::app()).await.start().await }),
    people: PEOPLE,
    prepared: || {
        let counted = json!({ "nombre": "Empanada", "precio": PRICE, "peso": WEIGHT,
                              "controla_stock": true, "stock_actual": STOCK });
        vec![("POST /articulos", counted)]
    },
    opening: Vec::new,
    draw,
    world: || Box::pin(async { World::default() }),
    send: as_json,
    ids: &[],
    reads: |_| {
        let whole = ["/pedidos", "/pedidos/atrasados", "/pedidos/capacidad", "/comandas"];
        let whole = whole.into_iter().map(str::to_owned);
        whole
            .chain((1..=ORDERS).map(|id| format!("/pedidos/{id}/why")))
            .map(|path| ("nobody", path))
            .collect()
    },
    left_out: &[],
    at_once: false,
    ranked: &["order_history", "bumps"],
    model: kitchen::model,
    steps: 24,
};

/// As many orders as most histories have.
const ORDERS: i64 = 6;

/// A way to pay that keeps an order out until it is paid.
const PREPAID: &str = "MERCADOPAGO";

const STATES: [&str; 5] = ["RECIBIDO", "EN_PREPARACION", "LISTO", "ENTREGADO", "CANCELADO"];

fn draw(chance: &mut Chance) -> Step {
    match chance.below(100) {
        0..18 => Step::Advance(*chance.pick(&[0, 1, 60, 300, 301, 900, 3_600, 30_000])),
        18..26 => {
            let table = *chance.pick(&["tickets", "order_lines", "sales"]);
            let asked = if chance.percent(60.0) { order(chance) } else { act(chance) };
            refusing(table, asked)
        }
        26..50 => order(chance),
        50..58 => house(chance),
        _ => act(chance),
    }
}

fn order(chance: &mut Chance) -> Step {
    let line = if chance.percent(40.0) {
        json!({ "articulo_id": COUNTED, "cantidad": chance.between(1, 4) })
    } else {
        json!({ "nombre": "Plato", "peso": chance.between(1, 4), "precio": 7,
                "cantidad": chance.between(1, 5) })
    };
    let mut body = json!({ "modalidad": "RETIRO", "articulos": [line] });
    if chance.percent(35.0) {
        body["horario_entrega"] = soon(chance);
        body["insistir"] = chance.percent(50.0).into();
    }
    if chance.percent(15.0) {
        body["transicion_automatica"] = json!(false);
    }
    let paying = chance.below(5);
    if paying == 0 {
        body["origen_pedido"] = json!("WEB");
        body["medio_pago"] = json!(PREPAID);
    } else if paying == 1 {
        body["medio_pago"] = json!("EFECTIVO");
        body["estado_pago"] = json!("PAGADO");
    }
    let key = if chance.percent(25.0) { format!(" k{}", chance.below(3)) } else { String::new() };
    let who = *chance.pick(&["cashier", "cashier", "manager", "cook"]);
    ask(who, format!("POST /pedidos{key}"), body)
}

fn soon(chance: &mut Chance) -> Json {
    format!("+{}", chance.pick(&[5, 20, 45, 90, 600])).into()
}

/// Somebody wants something of an order.
fn act(chance: &mut Chance) -> Step {
    let id = chance.between(1, ORDERS);
    let who = *chance.pick(&["cashier", "manager", "cook"]);
    let (method, verb, body) = match chance.below(20) {
        0..9 => ("PUT", "estado", json!({ "estado": chance.pick(&STATES) })),
        9..11 => {
            let reason = *chance.pick(&["", "apuro"]);
            let body = json!({ "estado": chance.pick(&STATES), "motivo": reason });
            ("POST", "forzar-estado", body)
        }
        11 => ("POST", "iniciar-preparacion-manual", Json::Null),
        12 => ("POST", "retener", json!({ "motivo": "llama antes" })),
        13 => ("POST", "liberar", Json::Null),
        14 => ("POST", "cancelar", json!({ "motivo": "se fue" })),
        15 => ("POST", "cobrar", json!({ "medio_pago": "EFECTIVO" })),
        16..18 => {
            let state = *chance.pick(&["PAGADO", "RECHAZADO"]);
            ("PUT", "pago", json!({ "medio_pago": PREPAID, "estado_pago": state }))
        }
        _ => {
            let due = if chance.percent(25.0) { Json::Null } else { soon(chance) };
            let body = json!({ "horario_entrega": due, "insistir": chance.percent(50.0) });
            ("PUT", "horario-entrega", body)
        }
    };
    ask(who, format!("{method} /pedidos/{id}/{verb}"), body)
}

/// Somebody changes how the kitchen works.
fn house(chance: &mut Chance) -> Step {
    let who = *chance.pick(&["manager", "manager", "manager", "cashier"]);
    let set = |key: &str, value: Json| {
        ask(who, format!("PUT /configuracion-sistema/{key}"), json!({ "valor": value }))
    };
    match chance.below(8) {
        0..3 => set(policy::CAPACITY, chance.pick(&[0, 1, 2, 3, 8]).to_owned().into()),
        3 => set(policy::UNIT, (*chance.pick(&["pedidos", "esfuerzo"])).into()),
        4 => set(policy::PRIORITY, (*chance.pick(&["estricta", "promesa"])).into()),
        5 => set(policy::AUTOMATION, chance.percent(60.0).into()),
        6 => {
            let mut body = json!({ "motivo": "horno roto" });
            if chance.percent(70.0) {
                body["minutos"] = chance.between(1, 30).into();
            }
            ask(who, "POST /api/pedidos/automatizacion/pausar", body)
        }
        _ => ask(who, "POST /api/pedidos/automatizacion/reanudar", Json::Null),
    }
}
