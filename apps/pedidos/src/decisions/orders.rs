//! Orders: taking one in, and what people ask for about one.

use db::{
    Error,
    idempotency::{self, Seen},
};
use host::{By, Context};
use jiff::Timestamp;
use serde_json::Value as Json;

use super::{
    Done, TICK,
    settle::{admit, settle},
};
use crate::{
    model::{Line, Order, OrderId, OrderState, PaymentMethod, PaymentState},
    rules::commands::{Answer, Cause, Refusal},
    store::{
        self, KitchenView, OrderSlice, OrderSnapshot, articles, changes, events, history, orders,
    },
    wire::OrderView,
};

/// Runs a person's command on one order.
pub async fn act(
    context: &Context,
    by: By,
    order: OrderId,
    expected_version: Option<i64>,
    command: impl FnOnce(&Order, &OrderSnapshot, Timestamp) -> Answer,
) -> Result<Done<Box<OrderView>, Refusal>, Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let kitchen = KitchenView::load(context, &mut decision.tx, now).await?;
    let slice = OrderSlice { order, by, kitchen };
    let answered = decision
        .command(&slice, |snapshot| {
            let found = snapshot.order.as_ref().ok_or(Done::Missing)?;
            if expected_version.is_some_and(|expected| expected != found.version) {
                return Err(Done::Stale { current: found.version });
            }
            command(found, snapshot, now).map_err(Done::Refused)
        })
        .await?;
    match answered {
        Err(refused) => return Ok(refused),
        // Nothing asked for that is not already so: nothing to settle, nothing to announce.
        Ok(changes) if changes.is_empty() => {}
        Ok(_) => {
            let mut kitchen = slice.kitchen;
            kitchen.refresh(context, &mut decision.tx, now).await?;
            admit(context, &mut decision, kitchen).await?;
        }
    }
    let view = events::view(&mut decision, order).await?;
    decision.wake(TICK);
    decision.commit().await?;
    Ok(Done::Saved(Box::new(view)))
}

/// An `Idempotency-Key` with the fingerprint of its request.
#[derive(Debug, Clone)]
pub struct Key {
    pub key: String,
    pub fingerprint: String,
}

/// How a creation ended.
#[derive(Debug)]
pub enum Created {
    New(Json),
    /// The same request was answered before; this was the answer.
    Replayed(Json),
    /// The key belongs to another request.
    KeyReused,
}

/// Takes a new order in; it enters the kitchen at once if there is room and nobody before it.
pub async fn create(
    context: &Context,
    by: &By,
    order: &Order,
    lines: &[Line],
    key: Option<&Key>,
) -> Result<Created, Error> {
    let now = order.received_at;
    let scope = format!("{}/{}", crate::NAME, by.name);
    let mut decision = context.store.decide(&store::scope(), now).await?;
    if let Some(key) = key {
        match idempotency::recall(&mut decision, &scope, &key.key, &key.fingerprint).await? {
            Seen::New => {}
            Seen::Same(answer) => return Ok(Created::Replayed(answer)),
            Seen::Other => return Ok(Created::KeyReused),
        }
    }
    let id = orders::insert(&mut decision.tx, order, lines, &by.name).await?;
    let taken: Vec<_> =
        lines.iter().filter_map(|line| line.article.map(|id| (id, line.quantity))).collect();
    articles::take(&mut decision.tx, &taken).await?;
    let state = OrderState::Received;
    history::record(&mut decision, id, None, state, Cause::Manual, by, None).await?;
    if order.payment_state == PaymentState::Paid {
        let method = order.payment_method.unwrap_or(PaymentMethod::Cash);
        changes::record_sale(&mut decision, by, id, method, order.total_cents).await?;
    }
    events::created(&mut decision, &Order { id, ..order.clone() }, lines);
    settle(context, &mut decision).await?;
    let answer = host::as_json(events::view(&mut decision, id).await?)?;
    if let Some(key) = key {
        idempotency::remember(&mut decision, &scope, &key.key, &key.fingerprint, &answer).await?;
    }
    decision.wake(TICK);
    decision.commit().await?;
    Ok(Created::New(answer))
}
