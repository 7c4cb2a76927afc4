//! What is announced, in the shapes of the seed plus `version` and `causa`. The sequence number is
//! added when an event is delivered.

use db::{Decision, Error, events::NewEvent};
use engine::Word as _;
use serde_json::{Value as Json, json};

use super::{KitchenView, orders};
use crate::{
    model::{Line, Order, OrderId, OrderState},
    rules::commands::Change,
    wire::{CapacityView, OrderView, PauseView, event},
};

fn emit(decision: &mut Decision, name: &'static str, order: Option<OrderId>, mut data: Json) {
    data["timestamp"] = json!(decision.now);
    let subject = order.map(|order| format!("pedido/{order}"));
    decision.emit(NewEvent { app: crate::NAME, name, subject, data });
}

/// The order as clients know it, after what this decision has changed so far.
pub async fn view(decision: &mut Decision, order: OrderId) -> Result<OrderView, Error> {
    let found = orders::find(&mut decision.tx, order).await?;
    let found = found.ok_or_else(|| Error::corrupt(format!("order {order} vanished")))?;
    let lines = orders::lines(&mut decision.tx, order).await?;
    Ok(OrderView::new(&found, &lines, decision.now))
}

pub fn created(decision: &mut Decision, order: &Order, lines: &[Line]) {
    let view = OrderView::new(order, lines, decision.now);
    let data = json!({ "pedidoId": view.id, "version": view.version, "causa": "CREACION",
                       "pedido": view });
    emit(decision, event::CREATED, Some(order.id), data);
}

pub async fn state_changed(
    decision: &mut Decision,
    order: OrderId,
    from: OrderState,
    to: OrderState,
    change: &Change,
) -> Result<(), Error> {
    let cause = match change {
        Change::SetState { cause, .. } => cause.word(),
        _ => "MANUAL",
    };
    let view = view(decision, order).await?;
    let data = json!({ "pedidoId": order.0, "estadoAnterior": from.word(),
                       "estadoNuevo": to.word(), "version": view.version, "causa": cause,
                       "pedido": view });
    emit(decision, event::STATE_CHANGED, Some(order), data.clone());
    if to == OrderState::Delivered {
        emit(decision, event::DELIVERED, Some(order), data);
    }
    Ok(())
}

pub async fn updated(decision: &mut Decision, order: OrderId) -> Result<(), Error> {
    let view = view(decision, order).await?;
    let data = json!({ "pedidoId": order.0, "version": view.version, "causa": "MANUAL",
                       "pedido": view });
    emit(decision, event::UPDATED, Some(order), data);
    Ok(())
}

pub async fn charged(decision: &mut Decision, order: OrderId, sale: i64) -> Result<(), Error> {
    let view = view(decision, order).await?;
    let data = json!({ "pedidoId": order.0, "ventaId": sale, "version": view.version,
                       "causa": "COBRO", "pedido": view });
    emit(decision, event::CHARGED, Some(order), data);
    updated(decision, order).await
}

pub async fn ticket_changed(decision: &mut Decision, order: OrderId) -> Result<(), Error> {
    let sql = "SELECT id, revision FROM tickets WHERE order_id = $1";
    let Some(row) = decision.tx.optional(sql, &[order.0.into()]).await? else { return Ok(()) };
    let data = json!({ "pedidoId": order.0, "comandaId": row.get::<i64>("id")?,
                       "revision": row.get::<i64>("revision")? });
    emit(decision, event::TICKET, Some(order), data);
    Ok(())
}

pub fn capacity(decision: &mut Decision, kitchen: &KitchenView) {
    let data = json!({ "capacidad": CapacityView::new(kitchen) });
    emit(decision, event::CAPACITY, None, data);
}

pub fn late(decision: &mut Decision, orders: &[OrderView], causa: &str) {
    let listed: Vec<_> = orders
        .iter()
        .map(|order| {
            json!({ "id": order.id,
                    "hora_esperada_finalizacion": order.hora_esperada_finalizacion,
                    "hora_inicio_preparacion": order.iniciado_en,
                    "horario_entrega": order.horario_entrega,
                    "nivel_atraso": order.nivel_atraso, "minutos_atraso": order.minutos_atraso })
        })
        .collect();
    let data = json!({ "cantidad": listed.len(), "pedidos": listed, "causa": causa });
    emit(decision, event::LATE, None, data);
}

pub fn automation(decision: &mut Decision, pause: Option<&PauseView>) {
    emit(decision, event::AUTOMATION, None, json!({ "pausa": pause }));
}
