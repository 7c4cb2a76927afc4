//! The words and shapes of the outside contract. Inside, everything is typed; here it becomes JSON.

use engine::{Capacity, Roles as _, Sentence, Word as _};
use host::Actor;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value as Json, json};
use utoipa::ToSchema;
use web::Lang;

use crate::{
    model::{KitchenTicket, Line, Order, PaymentMethod, Priority, Role, TicketLine},
    policy::{Action, Pause},
    rules::{
        intake::Reason,
        lateness::{level, minutes_late},
        projection::Projected,
    },
    store::KitchenView,
};

/// The names under which events are published (seed §4.2, dossier §6).
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

/// *Pedido*, as clients know it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Pedido)]
pub struct OrderView {
    pub id: i64,
    #[schema(example = "RECIBIDO")]
    pub estado: &'static str,
    pub prioridad: &'static str,
    pub transicion_automatica: bool,
    pub fecha: Timestamp,
    pub horario_entrega: Option<Timestamp>,
    /// Minutes.
    pub tiempo_estimado_preparacion: i64,
    /// Planned start; empty for an order wanted as soon as possible.
    pub hora_inicio_preparacion: Option<Timestamp>,
    /// Actual start.
    pub iniciado_en: Option<Timestamp>,
    pub hora_esperada_finalizacion: Option<Timestamp>,
    pub hora_listo: Option<Timestamp>,
    pub entregado_en: Option<Timestamp>,
    pub cancelado_en: Option<Timestamp>,
    pub modalidad: &'static str,
    pub origen_pedido: &'static str,
    pub medio_pago: Option<&'static str>,
    pub estado_pago: &'static str,
    pub pago_contra_entrega: bool,
    pub total: f64,
    pub cliente_nombre: Option<String>,
    pub cliente_telefono: Option<String>,
    pub cliente_direccion: Option<String>,
    pub cliente_email: Option<String>,
    pub observaciones: Option<String>,
    pub motivo_retencion: Option<String>,
    pub motivo_cancelacion: Option<String>,
    pub articulos: Vec<LineView>,
    pub version: i64,
    pub nivel_atraso: &'static str,
    pub minutos_atraso: i64,
    /// Place in the queue, 1 enters next; only while waiting.
    pub posicion: Option<u32>,
    pub entrada_estimada: Option<Timestamp>,
    pub listo_estimado: Option<Timestamp>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = LineaDePedido)]
pub struct LineView {
    pub n: i64,
    pub articulo_id: Option<i64>,
    pub nombre: String,
    pub peso: i64,
    pub cantidad: i64,
    pub precio: f64,
    pub subtotal: f64,
    pub observaciones: Option<String>,
    #[schema(value_type = Option<Object>)]
    pub personalizaciones: Option<Json>,
    pub estacion: Option<String>,
}

impl OrderView {
    pub fn new(order: &Order, lines: &[Line], now: Timestamp) -> Self {
        Self {
            id: order.id.0,
            estado: order.state.word(),
            prioridad: Priority::of(order.due).word(),
            transicion_automatica: order.intake.is_automatic(),
            fecha: order.received_at,
            horario_entrega: order.due.instant(),
            tiempo_estimado_preparacion: order.estimate_minutes,
            hora_inicio_preparacion: order.planned_start,
            iniciado_en: order.started_at,
            hora_esperada_finalizacion: order.expected_finish,
            hora_listo: order.ready_at,
            entregado_en: order.delivered_at,
            cancelado_en: order.cancelled_at,
            modalidad: order.mode.word(),
            origen_pedido: order.channel.word(),
            medio_pago: order.payment_method.map(PaymentMethod::word),
            estado_pago: order.payment_state.word(),
            pago_contra_entrega: order.cash_on_delivery,
            total: pesos(order.total_cents),
            cliente_nombre: order.customer.name.clone(),
            cliente_telefono: order.customer.phone.clone(),
            cliente_direccion: order.customer.address.clone(),
            cliente_email: order.customer.email.clone(),
            observaciones: order.note.clone(),
            motivo_retencion: order.hold_reason.clone(),
            motivo_cancelacion: order.cancel_reason.clone(),
            articulos: lines.iter().map(LineView::from).collect(),
            version: order.version,
            nivel_atraso: level(order, now).word(),
            minutos_atraso: minutes_late(order, now),
            posicion: None,
            entrada_estimada: None,
            listo_estimado: None,
        }
    }

    #[must_use]
    pub fn projected(mut self, projected: Option<&Projected>) -> Self {
        self.posicion = projected.map(|p| p.position);
        self.entrada_estimada = projected.map(|p| p.entry);
        self.listo_estimado = projected.map(|p| p.ready);
        self
    }

    /// What this role may see: the kitchen does without the customer.
    #[must_use]
    pub fn seen_by(mut self, role: Role) -> Self {
        if !role.can(Action::SeeCustomers) {
            self.cliente_nombre = None;
            self.cliente_telefono = None;
            self.cliente_direccion = None;
            self.cliente_email = None;
        }
        self
    }
}

impl From<&Line> for LineView {
    fn from(line: &Line) -> Self {
        Self {
            n: line.n,
            articulo_id: line.article,
            nombre: line.name.clone(),
            peso: line.weight,
            cantidad: line.quantity,
            precio: pesos(line.price_cents),
            subtotal: pesos(line.price_cents.saturating_mul(line.quantity)),
            observaciones: line.note.clone(),
            personalizaciones: line.extras.as_deref().map(parsed),
            estacion: line.station.clone(),
        }
    }
}

/// *Comanda*, as the kitchen knows it: no prices, no customer.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Comanda)]
pub struct TicketView {
    pub id: i64,
    pub pedido_id: i64,
    pub estado_pedido: &'static str,
    pub modalidad: &'static str,
    pub horario_entrega: Option<Timestamp>,
    pub iniciado_en: Option<Timestamp>,
    pub hora_esperada_finalizacion: Option<Timestamp>,
    pub hora_listo: Option<Timestamp>,
    pub observaciones: Option<String>,
    pub revision: i64,
    pub revision_confirmada: i64,
    pub nivel_atraso: &'static str,
    pub version: i64,
    pub usuario_nombre: &'static str,
    pub lineas: Vec<TicketLineView>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = LineaDeComanda)]
pub struct TicketLineView {
    pub n: i64,
    pub nombre: String,
    pub cantidad: i64,
    pub observaciones: Option<String>,
    #[schema(value_type = Option<Object>)]
    pub personalizaciones: Option<Json>,
    pub estacion: Option<String>,
    #[schema(example = "PENDIENTE")]
    pub estado: &'static str,
    /// The revision that added or voided it.
    pub revision: i64,
}

impl TicketView {
    pub fn new(
        ticket: &KitchenTicket,
        lines: &[TicketLine],
        order: &Order,
        now: Timestamp,
    ) -> Self {
        Self {
            id: ticket.id,
            pedido_id: order.id.0,
            estado_pedido: order.state.word(),
            modalidad: order.mode.word(),
            horario_entrega: order.due.instant(),
            iniciado_en: order.started_at,
            hora_esperada_finalizacion: order.expected_finish,
            hora_listo: order.ready_at,
            observaciones: order.note.clone(),
            revision: ticket.revision,
            revision_confirmada: ticket.acknowledged_revision,
            nivel_atraso: level(order, now).word(),
            version: order.version,
            usuario_nombre: "SISTEMA",
            lineas: lines.iter().map(TicketLineView::from).collect(),
        }
    }
}

impl From<&TicketLine> for TicketLineView {
    fn from(line: &TicketLine) -> Self {
        Self {
            n: line.n,
            nombre: line.name.clone(),
            cantidad: line.quantity,
            observaciones: line.note.clone(),
            personalizaciones: line.extras.as_deref().map(parsed),
            estacion: line.station.clone(),
            estado: line.state.word(),
            revision: line.revision,
        }
    }
}

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
            detail: told(reason.sentence(zone), lang),
            until: reason.until(),
            data,
        }
    }
}

pub fn told(sentence: Sentence, lang: Lang) -> String {
    match lang {
        Lang::Es => sentence.es,
        Lang::En => sentence.en,
    }
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
