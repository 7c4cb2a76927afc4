//! *Comanda* and its lines, as the kitchen knows them.

use engine::Word as _;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::parsed;
use crate::{
    model::{KitchenTicket, Order, StationProgress, TicketLine, progress},
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
    /// How often paper was asked for, and when the printer last took it.
    pub impresiones: i64,
    pub impresa_en: Option<Timestamp>,
    /// How far each station is, whatever lines are shown.
    pub estaciones: Vec<StationView>,
    pub lineas: Vec<TicketLineView>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = EstacionDeComanda)]
pub struct StationView {
    /// Empty for the lines that belong to none.
    pub estacion: String,
    pub pendientes: usize,
    pub listas: usize,
    /// It has nothing left to do.
    pub lista: bool,
}

impl From<StationProgress> for StationView {
    fn from(progress: StationProgress) -> Self {
        let StationProgress { station, pending, done } = progress;
        Self { estacion: station, pendientes: pending, listas: done, lista: pending == 0 }
    }
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
            impresiones: ticket.prints,
            impresa_en: ticket.printed_at,
            estaciones: progress(lines).into_iter().map(StationView::from).collect(),
            lineas: lines.iter().map(TicketLineView::from).collect(),
        }
    }

    /// With the lines of one station only; what the others do is told in `estaciones`.
    #[must_use]
    pub fn at_station(mut self, lines: &[TicketLine], station: Option<&str>) -> Self {
        let own = lines.iter().filter(|line| line.is_at(station));
        self.lineas = own.map(TicketLineView::from).collect();
        self
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
