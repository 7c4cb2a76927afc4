//! *Capacidad*, *pausa* and why something waits.

use engine::{Capacity, Word as _};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value as Json, json};
use utoipa::ToSchema;
use web::Lang;

use crate::{model::PaymentMethod, policy::Pause, rules::intake::Reason, store::KitchenView};

/// *Capacidad* of the kitchen now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Capacidad)]
pub struct CapacityView {
    pub capacidad_maxima: u32,
    pub pedidos_en_preparacion: u32,
    pub espacios_disponibles: u32,
    pub porcentaje_uso: u32,
    pub esta_llena: bool,
    pub unidad: &'static str,
    /// The capacity rule in force; empty when it is the base setting.
    pub regla: Option<i64>,
}

impl CapacityView {
    pub fn new(kitchen: &KitchenView) -> Self {
        let capacity: Capacity = kitchen.capacity;
        Self {
            capacidad_maxima: capacity.limit,
            pedidos_en_preparacion: capacity.in_use,
            espacios_disponibles: capacity.free(),
            porcentaje_uso: capacity.percent(),
            esta_llena: capacity.is_full(),
            unidad: kitchen.policy.unit.word(),
            regla: kitchen.effective.rule,
        }
    }
}

/// *Pausa* of the automation.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Pausa)]
pub struct PauseView {
    pub motivo: String,
    pub hasta: Option<Timestamp>,
    pub por: String,
}

impl From<&Pause> for PauseView {
    fn from(pause: &Pause) -> Self {
        Self { motivo: pause.reason.clone(), hasta: pause.until, por: pause.by.clone() }
    }
}

/// Why something waits.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = PorQue)]
pub struct WhyView {
    #[schema(value_type = Object)]
    pub subject: Json,
    pub ready: bool,
    pub reasons: Vec<ReasonView>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Razon)]
pub struct ReasonView {
    #[schema(example = "COCINA_LLENA")]
    pub code: &'static str,
    pub detail: String,
    pub until: Option<Timestamp>,
    #[schema(value_type = Object)]
    pub data: Json,
}

impl ReasonView {
    pub fn new(reason: &Reason, zone: &jiff::tz::TimeZone, lang: Lang) -> Self {
        let data = match reason {
            Reason::Paused { reason, until } => json!({ "motivo": reason, "hasta": until }),
            Reason::OnHold { reason } => json!({ "motivo": reason }),
            Reason::AwaitingPayment { method } => {
                json!({ "medio_pago": method.map(PaymentMethod::word) })
            }
            Reason::Stale { reference } => json!({ "referencia": reference }),
            Reason::OtherDay { start_at, due } => {
                json!({ "hora_inicio_preparacion": start_at, "horario_entrega": due })
            }
            Reason::NotYetDue { start_at } => json!({ "hora_inicio_preparacion": start_at }),
            Reason::KitchenFull { used, limit, needs, position } => {
                json!({ "usados": used, "maximo": limit, "necesita": needs, "posicion": position })
            }
        };
        Self {
            code: reason.code(),
            detail: lang.say(&reason.sentence(zone)).to_owned(),
            until: reason.until(),
            data,
        }
    }
}
