//! *Comanda* and its lines, as the kitchen knows them.

use engine::Word as _;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::parsed;
use crate::{
    model::{KitchenTicket, Order, TicketLine},
    rules::lateness::level,
};

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
