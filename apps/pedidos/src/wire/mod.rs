//! The words and shapes of the outside contract. Inside, everything is typed; here it becomes JSON.

mod kitchen;
mod order;
mod ticket;

use engine::{Roles as _, Word as _};
use host::Actor;
use serde_json::Value as Json;

pub use kitchen::{CapacityView, PauseView, ReasonView, WhyView};
pub use order::{LineView, OrderView};
pub use ticket::{StationView, TicketLineView, TicketView};

use crate::{model::Role, policy::Action};

/// The names under which events are published (§4.2, F-6).
pub mod event {
    pub const CREATED: &str = "pedido:creado";
    pub const STATE_CHANGED: &str = "pedido:estado-cambiado";
    pub const UPDATED: &str = "pedido:actualizado";
    pub const CAPACITY: &str = "capacidad:actualizada";
    pub const LATE: &str = "pedidos:atrasados";
    pub const CHARGED: &str = "pedido:cobrado";
    pub const DELIVERED: &str = "pedido:entregado";
    pub const TICKET: &str = "comanda:actualizada";
    pub const AUTOMATION: &str = "automatizacion:cambiada";
}

pub fn role_of(actor: &Actor) -> Option<Role> {
    actor.role_in(crate::NAME).and_then(Role::from_word)
}

pub fn pesos(cents: i64) -> f64 {
    cents as f64 / 100.0
}

/// Rounds to whole cents; `None` for what is not an amount of money.
pub fn cents(pesos: f64) -> Option<i64> {
    const MOST: f64 = 1e11;
    (pesos.is_finite() && (0.0..=MOST).contains(&pesos)).then(|| (pesos * 100.0).round() as i64)
}

fn parsed(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or(Json::Null)
}

/// Events as a role may see them; `None` hides the event.
pub fn redact(actor: &Actor, _name: &str, mut data: Json) -> Option<Json> {
    if !role_of(actor)?.can(Action::SeeCustomers) {
        hide_customer(&mut data);
    }
    Some(data)
}

/// Takes the customer out of an event's order.
pub fn hide_customer(data: &mut Json) {
    if let Some(order) = data.get_mut("pedido").and_then(Json::as_object_mut) {
        for key in ["cliente_nombre", "cliente_telefono", "cliente_direccion", "cliente_email"] {
            order.insert(key.to_owned(), Json::Null);
        }
    }
}
