//! Applies what a command or the planner wants, one change at a time, each guarded.

use db::{Decision, Error, Slice, Tx, audit::Entry};
use engine::Word as _;
use host::By;
use jiff::Timestamp;
use serde_json::json;

use super::{articles, events, history, intake::KitchenView, orders, tickets};
use crate::{
    model::{
        KitchenTicket, Line, Order, OrderId, OrderState, PaymentMethod, PaymentState, TicketLine,
    },
    rules::{
        commands::{Bump, Cause, Change},
        intake::Snapshot,
    },
};

/// One order and all that belongs to it.
#[derive(Debug)]
pub struct OrderSlice {
    pub order: OrderId,
    pub by: By,
    /// Read in the same transaction.
    pub kitchen: KitchenView,
    /// Whether the command also looks at who waits.
    pub with_queue: bool,
}

#[derive(Clone, Debug)]
pub struct OrderSnapshot {
    pub order: Option<Order>,
    pub lines: Vec<Line>,
    pub ticket: Option<(KitchenTicket, Vec<TicketLine>)>,
    pub bumps: Vec<Bump>,
    pub kitchen: KitchenView,
    /// Who waits, this one included; only for those who asked.
    pub queue: Option<Snapshot>,
}

impl Slice for OrderSlice {
    type Snapshot = OrderSnapshot;
    type Change = Change;

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<OrderSnapshot, Error> {
        let order = orders::find(tx, self.order).await?;
        let lines = orders::lines(tx, self.order).await?;
        let ticket = tickets::of_order(tx, self.order).await?;
        let bumps = match &ticket {
            Some((ticket, _)) => tickets::bumps(tx, ticket.id).await?,
            None => Vec::new(),
        };
        let kitchen = self.kitchen.clone();
        let queue = if self.with_queue { Some(self.kitchen.with_queue(tx).await?) } else { None };
        Ok(OrderSnapshot { order, lines, ticket, bumps, kitchen, queue })
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        _: &OrderSnapshot,
        change: &Change,
    ) -> Result<(), Error> {
        apply(decision, &self.by, change).await
    }
}

/// Writes one change and announces it.
pub async fn apply(decision: &mut Decision, by: &By, change: &Change) -> Result<(), Error> {
    match change {
        Change::SetState { order, from, to, .. } => {
            set_state(decision, by, change).await?;
            events::state_changed(decision, *order, *from, *to, change).await
        }
        Change::OpenTicket { order } => {
            tickets::open(decision, *order).await?;
            events::ticket_changed(decision, *order).await
        }
        Change::ReviseTicket { order, revision } => {
            tickets::revise(decision, *order, revision).await?;
            events::ticket_changed(decision, *order).await
        }
        Change::AcknowledgeTicket { ticket, revision } => {
            tickets::acknowledge(decision, *ticket, *revision).await
        }
        Change::MarkLines { ticket, lines, from, to } => {
            tickets::mark_lines(decision, *ticket, lines, *from, *to).await
        }
        Change::RestoreStock { order } => restore_stock(decision, *order).await,
        Change::AdjustStock { taken, .. } => articles::take(&mut decision.tx, taken).await,
        Change::SetIntake { order, intake, reason } => {
            let sql = "UPDATE orders SET automatic = $2, hold_reason = $3, version = version + 1
                       WHERE id = $1";
            let args = [order.0.into(), intake.is_automatic().into(), reason.clone().into()];
            decision.tx.guarded("hold", sql, &args).await?;
            events::updated(decision, *order).await
        }
        Change::SetDue { order, due, planned_start } => {
            let sql = "UPDATE orders SET due_at = $2, planned_start = $3, version = version + 1
                       WHERE id = $1";
            let args = [order.0.into(), due.instant().into(), (*planned_start).into()];
            decision.tx.guarded("schedule", sql, &args).await?;
            events::updated(decision, *order).await
        }
        Change::SetPayment { .. } => set_payment(decision, by, change).await,
        Change::SetLines { order, .. } => {
            set_lines(decision, change).await?;
            events::updated(decision, *order).await
        }
    }
}

async fn set_state(decision: &mut Decision, by: &By, change: &Change) -> Result<(), Error> {
    let Change::SetState { order, from, to, times, cause, reason } = change else { return Ok(()) };
    let sql = "UPDATE orders SET state = $3, started_at = $4, expected_finish = $5, ready_at = $6,
               delivered_at = $7, cancelled_at = $8,
               cancel_reason = CASE WHEN $3 = 'CANCELADO' THEN $9 ELSE cancel_reason END,
               version = version + 1
               WHERE id = $1 AND state = $2";
    let args = [
        order.0.into(),
        from.word().into(),
        to.word().into(),
        times.started_at.into(),
        times.expected_finish.into(),
        times.ready_at.into(),
        times.delivered_at.into(),
        times.cancelled_at.into(),
        reason.clone().into(),
    ];
    decision.tx.guarded("state of the order", sql, &args).await?;
    history::record(decision, *order, Some(*from), *to, *cause, by, reason.as_deref()).await?;
    if matches!(cause, Cause::Forced | Cause::Recalled) || *to == OrderState::Cancelled {
        let action = format!("pedido.{}", cause.word().to_lowercase());
        decision.audit(Entry {
            before: Some(json!({ "estado": from.word() })),
            after: Some(json!({ "estado": to.word() })),
            reason: reason.clone(),
            ..by.did(action, format!("pedido/{order}"))
        });
    }
    match (from, to) {
        (_, OrderState::Ready) => tickets::bumped_order(decision, *order).await,
        (OrderState::Ready, OrderState::Preparing) => {
            tickets::forget_ready_bump(decision, *order).await
        }
        _ => Ok(()),
    }
}

async fn restore_stock(decision: &mut Decision, order: OrderId) -> Result<(), Error> {
    let sql = "UPDATE orders SET stock_restored = TRUE WHERE id = $1 AND stock_restored = FALSE";
    decision.tx.guarded("stock of the order", sql, &[order.0.into()]).await?;
    let lines = orders::lines(&mut decision.tx, order).await?;
    let back: Vec<_> = lines
        .iter()
        .filter_map(|line| line.article.map(|article| (article, -line.quantity)))
        .collect();
    articles::take(&mut decision.tx, &back).await
}

async fn set_payment(decision: &mut Decision, by: &By, change: &Change) -> Result<(), Error> {
    let Change::SetPayment { order, method, from, to } = *change else { return Ok(()) };
    let sql = "UPDATE orders SET payment_method = COALESCE($2, payment_method),
               payment_state = $3, version = version + 1 WHERE id = $1 AND payment_state = $4";
    let method_word = method.map(PaymentMethod::word);
    let args = [order.into(), method_word.into(), to.word().into(), from.word().into()];
    decision.tx.guarded("payment of the order", sql, &args).await?;
    if to != PaymentState::Paid {
        return events::updated(decision, order).await;
    }
    let method = method.unwrap_or(PaymentMethod::Cash);
    let sql = "SELECT total_cents FROM orders WHERE id = $1";
    let total = decision.tx.one(sql, &[order.into()]).await?.get("total_cents")?;
    let sale = record_sale(decision, by, order, method, total).await?;
    events::charged(decision, order, sale).await
}

/// The sale of an order, one for life; its number.
pub async fn record_sale(
    decision: &mut Decision,
    by: &By,
    order: OrderId,
    method: PaymentMethod,
    total_cents: i64,
) -> Result<i64, Error> {
    let sql = "INSERT INTO sales (id, order_id, method, total_cents, charged_at, charged_by)
               VALUES ((SELECT COALESCE(MAX(id), 0) + 1 FROM sales), $1, $2, $3, $4, $5)
               RETURNING id";
    let args = [
        order.0.into(),
        method.word().into(),
        total_cents.into(),
        decision.now.into(),
        by.name.as_str().into(),
    ];
    decision.tx.one(sql, &args).await?.get("id")
}

async fn set_lines(decision: &mut Decision, change: &Change) -> Result<(), Error> {
    let Change::SetLines {
        order,
        lines,
        effort,
        total_cents,
        estimate_minutes,
        planned_start,
        expected_finish,
    } = change
    else {
        return Ok(());
    };
    let sql = "UPDATE orders SET effort = $2, total_cents = $3, estimate_minutes = $4,
               planned_start = $5, expected_finish = $6, version = version + 1 WHERE id = $1";
    let args = [
        order.0.into(),
        (*effort).into(),
        (*total_cents).into(),
        (*estimate_minutes).into(),
        (*planned_start).into(),
        (*expected_finish).into(),
    ];
    decision.tx.guarded("lines of the order", sql, &args).await?;
    decision.tx.execute("DELETE FROM order_lines WHERE order_id = $1", &[order.0.into()]).await?;
    orders::insert_lines(&mut decision.tx, *order, lines).await
}
