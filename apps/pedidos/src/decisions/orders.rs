//! Orders: taking one in, and what people ask for about one.

use db::{
    Decision, Error,
    idempotency::{self, Seen},
};
use host::{By, Context};
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{
    Done, TICK, printing,
    settle::{admit, settle},
};
use crate::{
    model::{Due, Line, Order, OrderId, OrderState, PaymentMethod, PaymentState, Role},
    rules::{
        commands::{self, Answer, Cause, Refusal},
        intake::Waiting,
        promise,
    },
    store::{
        self, KitchenView, OrderSlice, OrderSnapshot, articles, changes, events, history, orders,
    },
    wire::OrderView,
};

/// What a caller says beside the command itself.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The version they looked at.
    pub version: Option<i64>,
    /// With it the same command twice is made once.
    pub key: Option<Key>,
}

/// Runs a person's command on one order.
pub async fn act(
    context: &Context,
    by: By,
    order: OrderId,
    asked: Asked,
    command: impl FnOnce(&Order, &OrderSnapshot, Timestamp) -> Answer,
) -> Result<Done<Box<OrderView>, Refusal>, Error> {
    act_on(context, by, order, asked, false, command).await
}

/// *Cambiar horario de entrega*: a new promise is given only if the queue can keep it, or if the
/// person insists.
pub async fn reschedule(
    context: &Context,
    by: By,
    order: OrderId,
    asked: Asked,
    (due, insists): (Due, bool),
    role: Role,
) -> Result<Done<Box<OrderView>, Refusal>, Error> {
    act_on(context, by, order, asked, true, |order, seen, now| {
        let waits = order.state == OrderState::Received && !insists;
        let verdict = seen.queue.clone().filter(|_| waits).and_then(|mut queue| {
            queue.waiting.retain(|waiting| waiting.id != order.id);
            let new = Waiting { due, ..Waiting::from(order) };
            promise::judge(&queue, &seen.kitchen.cooking(now), &new, now)
        });
        commands::reschedule(order, due, verdict, role)
    })
    .await
}

async fn act_on(
    context: &Context,
    by: By,
    order: OrderId,
    asked: Asked,
    with_queue: bool,
    command: impl FnOnce(&Order, &OrderSnapshot, Timestamp) -> Answer,
) -> Result<Done<Box<OrderView>, Refusal>, Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let owner = keys_of(&by);
    if let Some(key) = &asked.key {
        match idempotency::recall(&mut decision, &owner, &key.key, &key.fingerprint).await? {
            Seen::New => {}
            // It was done; this is how the order stands by now.
            Seen::Same(_) => {
                let view = events::view(&mut decision, order).await?;
                return Ok(Done::Saved(Box::new(view)));
            }
            Seen::Other => return Ok(Done::KeyReused),
        }
    }
    let kitchen = KitchenView::load(context, &mut decision.tx, now).await?;
    let slice = OrderSlice { order, by, kitchen, with_queue };
    let answered = decision
        .command(&slice, |snapshot| {
            let found = snapshot.order.as_ref().ok_or(Done::Missing)?;
            if asked.version.is_some_and(|expected| expected != found.version) {
                return Err(Done::Stale { current: found.version });
            }
            command(found, snapshot, now).map_err(Done::Refused)
        })
        .await?;
    match answered {
        Err(refused) => return Ok(refused),
        // Nothing asked for that is not already so: nothing to settle, nothing to announce.
        Ok(changes) if changes.is_empty() => {}
        Ok(changes) => {
            printing::by_itself(context, &mut decision, &printing::opened(&changes)).await?;
            let mut kitchen = slice.kitchen;
            kitchen.refresh(context, &mut decision.tx, now).await?;
            admit(context, &mut decision, kitchen).await?;
        }
    }
    if let Some(key) = &asked.key {
        let made = json!({ "pedido": order.0 });
        idempotency::remember(&mut decision, &owner, &key.key, &key.fingerprint, &made).await?;
    }
    let view = events::view(&mut decision, order).await?;
    decision.wake(TICK);
    decision.commit().await?;
    Ok(Done::Saved(Box::new(view)))
}

/// Whose keys they are: two people may use the same one.
fn keys_of(by: &By) -> String {
    format!("{}/{}", crate::NAME, by.name)
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
    /// The promise cannot be kept and nobody insisted.
    Refused(Refusal),
}

/// Takes a new order in; it enters the kitchen at once if there is room and nobody before it.
pub async fn create(
    context: &Context,
    by: &By,
    order: &Order,
    lines: &[Line],
    key: Option<&Key>,
    insists: bool,
) -> Result<Created, Error> {
    let now = order.received_at;
    let scope = keys_of(by);
    let mut decision = context.store.decide(&store::scope(), now).await?;
    if let Some(key) = key {
        match idempotency::recall(&mut decision, &scope, &key.key, &key.fingerprint).await? {
            Seen::New => {}
            Seen::Same(answer) => return Ok(Created::Replayed(answer)),
            Seen::Other => return Ok(Created::KeyReused),
        }
    }
    let verdict = promise_of(context, &mut decision, order).await?;
    if let Err(refusal) = commands::promised(verdict.filter(|_| !insists)) {
        return Ok(Created::Refused(refusal));
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
    let quote = verdict.map(|verdict| verdict.quote);
    let view = events::view(&mut decision, id).await?.quoted(quote.as_ref());
    let answer = host::as_json(view)?;
    if let Some(key) = key {
        idempotency::remember(&mut decision, &scope, &key.key, &key.fingerprint, &answer).await?;
    }
    decision.wake(TICK);
    decision.commit().await?;
    Ok(Created::New(answer))
}

/// What the queue says about the promise of a new order.
async fn promise_of(
    context: &Context,
    decision: &mut Decision,
    order: &Order,
) -> Result<Option<promise::Verdict>, Error> {
    if order.due == Due::AsSoonAsPossible {
        return Ok(None);
    }
    let now = decision.now;
    let kitchen = KitchenView::load(context, &mut decision.tx, now).await?;
    let queue = kitchen.with_queue(&mut decision.tx).await?;
    // It goes behind whoever is there: its number is not given yet.
    let new = Waiting { id: OrderId(i64::MAX), ..Waiting::from(order) };
    Ok(promise::judge(&queue, &kitchen.cooking(now), &new, now))
}
