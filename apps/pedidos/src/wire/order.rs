//! *Pedido* and its lines, as clients know them.

use engine::{Roles as _, Word as _};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::{parsed, pesos};
use crate::{
    model::{Line, Order, OrderState, PaymentMethod, Priority, Role},
    policy::Action,
    rules::{
        lateness::{level, minutes_late},
        projection::{Projected, Quote, minutes_after},
    },
};

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
    /// Minutes past its promise at which a waiting order is expected to be ready.
    pub minutos_tarde_previstos: Option<i64>,
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
            minutos_tarde_previstos: None,
        }
    }

    #[must_use]
    pub fn projected(mut self, projected: Option<&Projected>) -> Self {
        self.posicion = projected.map(|p| p.position);
        self.entrada_estimada = projected.map(|p| p.entry);
        self.listo_estimado = projected.map(|p| p.ready);
        let due = self.horario_entrega;
        self.minutos_tarde_previstos =
            projected.and_then(|p| Some(minutes_after(due?, p.ready))).filter(|late| *late > 0);
        self
    }

    /// The answer to a new promise says how it will be kept.
    #[must_use]
    pub fn quoted(mut self, quote: Option<&Quote>) -> Self {
        if self.estado == OrderState::Received.word() {
            self.posicion = quote.map(|quote| quote.position);
            self.entrada_estimada = quote.map(|quote| quote.entry);
            self.listo_estimado = quote.map(|quote| quote.ready);
        }
        self.minutos_tarde_previstos =
            quote.map(|quote| quote.minutes_late).filter(|late| *late > 0);
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
