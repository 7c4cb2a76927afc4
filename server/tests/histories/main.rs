//! One seed makes a history: commands, time that passes, faults outside, crashes, restores. It is played
//! at virtual time on the model in memory, on SQLite and on PostgreSQL, and all tell the same.
//!
//! Two hundred in `make test`, ten thousand in `make soak`; `TURNO_SEED` plays one again. A history that
//! fails is printed as short as it can be, and what it found stays here under a name.

// Every function here is test code.
#![allow(clippy::unwrap_used)]

mod coordinador;
mod docproc;
mod house;
mod kitchen;
mod pedidos;
mod play;
mod sam;
mod step;
mod story;

use serde_json::json;
use step::{Step::*, ask, refusing};

#[test]
fn histories_of_pedidos() {
    play::histories(&pedidos::PLAY);
}

#[test]
fn histories_of_sam() {
    play::histories(&sam::PLAY);
}

#[test]
fn histories_of_coordinador() {
    play::histories(&coordinador::PLAY);
}

#[test]
fn histories_of_docproc() {
    play::histories(&docproc::PLAY);
}

/// On PostgreSQL the number of an order, a ticket or a sale that was not written in the end used to be
/// gone, and on SQLite not.
#[test]
fn an_order_that_fails_takes_no_number_with_it() {
    let order = || {
        let line = json!({ "nombre": "Plato", "peso": 1, "cantidad": 1, "precio": 7 });
        let body = json!({ "modalidad": "RETIRO", "articulos": [line], "medio_pago": "EFECTIVO",
                           "estado_pago": "PAGADO" });
        ask("cashier", "POST /pedidos", body)
    };
    let history = [
        order(),
        refusing("order_lines", order()),
        refusing("sales", order()),
        refusing("tickets", order()),
        Crash,
        order(),
        Restore,
        Advance(60),
        order(),
    ];
    play::named(&pedidos::PLAY, &history);
}
