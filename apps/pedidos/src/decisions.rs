//! The ways state changes. Each opens one decision on the kitchen, and each ends by settling: every
//! order that can enter after the change enters in the same transaction. So no commit leaves a
//! place free while someone could take it, and "evaluate at once" (seed §4.2.2) needs no trigger.

use db::{
    Decision, Error,
    idempotency::{self, Seen},
};
use host::Context;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value as Json;

use crate::{
    model::{Line, Order, OrderId, OrderState, PaymentMethod, PaymentState},
    rules::{
        commands::{Answer, Cause, Refusal},
        intake,
    },
    store::{
        self, By, IntakeSlice, KitchenView, OrderSlice, OrderSnapshot, articles, changes, events,
        kitchen, orders,
    },
    wire::OrderView,
};

/// The tick that keeps the kitchen's time.
pub const TICK: &str = "pedidos.cola";

/// How a command about one order ended.
#[derive(Debug)]
pub enum Done {
    /// The order as it is now.
    Order(Box<OrderView>),
    Refused(Refusal),
    NotFound,
    /// The caller looked at another version.
    Stale {
        current: i64,
    },
}

/// Runs a person's command on one order.
pub async fn act(
    context: &Context,
    by: By,
    order: OrderId,
    expected_version: Option<i64>,
    command: impl FnOnce(&Order, &OrderSnapshot, Timestamp) -> Answer,
) -> Result<Done, Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let kitchen = KitchenView::load(context, &mut decision.tx, now).await?;
    let slice = OrderSlice { order, by, kitchen };
    let mut verdict = None;
    let answered = decision
        .command(&slice, |snapshot| {
            let Some(found) = &snapshot.order else {
                verdict = Some(Done::NotFound);
                return Ok(Vec::new());
            };
            if expected_version.is_some_and(|expected| expected != found.version) {
                verdict = Some(Done::Stale { current: found.version });
                return Ok(Vec::new());
            }
            command(found, snapshot, now)
        })
        .await?;
    if let Some(verdict) = verdict {
        return Ok(verdict);
    }
    match answered {
        Err(refusal) => return Ok(Done::Refused(refusal)),
        // Nothing asked for that is not already so: nothing to settle, nothing to announce.
        Ok(changes) if changes.is_empty() => {}
        Ok(_) => {
            let mut kitchen = slice.kitchen;
            kitchen.refresh(context, &mut decision.tx, now).await?;
            admit(context, &mut decision, kitchen).await?;
        }
    }
    let view = view(&mut decision, order).await?;
    decision.commit().await?;
    context.wake(TICK);
    Ok(Done::Order(Box::new(view)))
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
    changes::record(&mut decision, id, None, state, Cause::Manual, by, None).await?;
    if order.payment_state == PaymentState::Paid {
        let method = order.payment_method.unwrap_or(PaymentMethod::Cash);
        changes::record_sale(&mut decision, by, id, method, order.total_cents).await?;
    }
    events::created(&mut decision, &Order { id, ..order.clone() }, lines);
    settle(context, &mut decision).await?;
    let answer = serde_json::to_value(view(&mut decision, id).await?)
        .map_err(|error| Error::corrupt(error.to_string()))?;
    if let Some(key) = key {
        idempotency::remember(&mut decision, &scope, &key.key, &key.fingerprint, &answer).await?;
    }
    decision.commit().await?;
    context.wake(TICK);
    Ok(Created::New(answer))
}

/// Runs a change that concerns the whole kitchen: a pause, a capacity rule, a setting.
pub async fn change_kitchen<T>(
    context: &Context,
    change: impl AsyncFnOnce(&mut Decision, &KitchenView) -> Result<T, Error>,
) -> Result<T, Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let before = KitchenView::load(context, &mut decision.tx, now).await?;
    let outcome = change(&mut decision, &before).await?;
    settle(context, &mut decision).await?;
    decision.commit().await?;
    context.wake(TICK);
    Ok(outcome)
}

/// A setting changed in this very decision: what it lets in enters with it.
pub async fn settings_changed(context: &Context, decision: &mut Decision) -> Result<(), Error> {
    settle(context, decision).await?;
    decision.wake(TICK);
    Ok(())
}

/// Lets in whoever can enter, then says what changed: the capacity, and who is late. Answers with
/// the kitchen as it is then.
pub async fn settle(context: &Context, decision: &mut Decision) -> Result<KitchenView, Error> {
    let view = KitchenView::load(context, &mut decision.tx, decision.now).await?;
    admit(context, decision, view).await
}

/// The same for a kitchen that was just read.
async fn admit(
    context: &Context,
    decision: &mut Decision,
    mut view: KitchenView,
) -> Result<KitchenView, Error> {
    let now = decision.now;
    let slice = IntakeSlice { view: &view };
    let plan = decision.plan(&slice, |snapshot| intake::plan(snapshot, now)).await?.plan;
    if !plan.changes.is_empty() {
        metrics::counter!("pedidos_entries_total").increment(plan.changes.len() as u64);
        view.refresh(context, &mut decision.tx, now).await?;
    }
    kitchen::announce_capacity(decision, &view).await?;
    kitchen::announce_late(decision, &view).await?;
    metrics::gauge!("pedidos_kitchen_used").set(f64::from(view.capacity.in_use));
    metrics::gauge!("pedidos_kitchen_limit").set(f64::from(view.capacity.limit));
    Ok(view)
}

/// The safety net, and the clock's own changes: planned starts, expiring pauses, lateness.
pub async fn tick(context: Context, now: Timestamp) -> Result<(), Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let view = settle(&context, &mut decision).await?;
    if let Some(expired) = view.row.pause.as_ref().filter(|pause| !pause.holds(now)) {
        tracing::info!(reason = %expired.reason, "pause expired");
        kitchen::set_pause(&mut decision, None).await?;
        events::automation(&mut decision, None);
    }
    decision.commit().await?;
    crate::alerts::check(&context, &view, now).await
}

/// When time alone changes something next.
pub async fn next(context: Context, now: Timestamp) -> Result<Option<Timestamp>, Error> {
    let mut tx = context.store.read().await?;
    let view = KitchenView::load(&context, &mut tx, now).await?;
    let entry = store::intake::next_entry(&mut tx, &view, now).await?;
    let late = next_late(&mut tx, now).await?;
    let announced = &view.row.late;
    let reminder = announced
        .at
        .filter(|_| !announced.late.is_empty())
        .map(|at| at + SignedDuration::from_mins(view.policy.reminder_minutes));
    Ok([entry, late, reminder].into_iter().flatten().filter(|at| *at > now).min())
}

/// Just after the next deadline that would make an order late.
async fn next_late(tx: &mut db::Tx, now: Timestamp) -> Result<Option<Timestamp>, Error> {
    let sql = "SELECT MIN(at) AS at FROM (
                 SELECT MIN(expected_finish) AS at FROM orders
                 WHERE state = 'EN_PREPARACION' AND expected_finish >= $1
                 UNION ALL SELECT MIN(due_at) AS at FROM orders
                 WHERE state IN ('RECIBIDO', 'EN_PREPARACION', 'LISTO') AND due_at >= $1) AS t";
    let deadline: Option<Timestamp> = tx.one(sql, &[now.into()]).await?.maybe("at")?;
    Ok(deadline.map(|at| at + SignedDuration::from_millis(1)))
}

pub async fn period(context: Context) -> Result<SignedDuration, Error> {
    let mut tx = context.store.read().await?;
    let policy = store::policy::load(&context.settings, &context.zone, &mut tx).await?;
    Ok(SignedDuration::from_secs(policy.tick_seconds))
}

async fn view(decision: &mut Decision, order: OrderId) -> Result<OrderView, Error> {
    let found = orders::find(&mut decision.tx, order)
        .await?
        .ok_or_else(|| Error::corrupt(format!("order {order} vanished")))?;
    let lines = orders::lines(&mut decision.tx, order).await?;
    Ok(OrderView::new(&found, &lines, decision.now))
}
