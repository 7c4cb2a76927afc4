//! What follows from every change and from time passing: orders enter, the capacity and who is late
//! are announced.

use db::{Decision, Error};
use host::Context;
use jiff::{SignedDuration, Timestamp};

use super::printing;
use crate::{
    drivers::alerts,
    rules::{intake, used},
    store::{self, IntakeSlice, KitchenView, events, kitchen, orders},
};

/// The tick that keeps the kitchen's time.
pub const TICK: &str = "pedidos.cola";

/// A setting changed in this very decision: what it lets in enters with it.
pub async fn settings_changed(context: &Context, decision: &mut Decision) -> Result<(), Error> {
    decision.wake(TICK);
    settle(context, decision).await.map(drop)
}

/// Lets in whoever can enter, then says what changed: the capacity, and who is late. Answers with
/// the kitchen as it is then.
pub(super) async fn settle(
    context: &Context,
    decision: &mut Decision,
) -> Result<KitchenView, Error> {
    let view = KitchenView::load(context, &mut decision.tx, decision.now).await?;
    admit(context, decision, view).await
}

/// The same for a kitchen that was just read.
pub(super) async fn admit(
    context: &Context,
    decision: &mut Decision,
    mut view: KitchenView,
) -> Result<KitchenView, Error> {
    let now = decision.now;
    let slice = IntakeSlice { view: &view };
    let plan = decision.plan(&slice, |snapshot| intake::plan(snapshot, now)).await?.plan;
    if !plan.is_settled() {
        metrics::counter!("pedidos_entries_total").increment(plan.changes.len() as u64);
        view.refresh(context, &mut decision.tx, now).await?;
        printing::by_itself(context, decision, &printing::started(&plan.changes)).await?;
    }
    kitchen::announce_capacity(decision, &view).await?;
    kitchen::announce_late(decision, &view).await?;
    metrics::gauge!("pedidos_kitchen_used").set(f64::from(view.capacity.in_use));
    metrics::gauge!("pedidos_kitchen_limit").set(f64::from(view.capacity.limit));
    Ok(view)
}

/// What time alone changes: planned starts, expiring pauses, lateness, the capacity by the hour.
/// Says when it changes something next.
pub async fn tick(context: crate::Context, now: Timestamp) -> Result<Option<Timestamp>, Error> {
    let mut tx = context.store.read().await?;
    let mut view = KitchenView::load(&context, &mut tx, now).await?;
    let due = is_due(&mut tx, &view, now).await?;
    drop(tx);
    if due {
        view = decide(&context, now).await?;
    }
    let alerts = alerts::check(&context, &view, now).await?;
    let mut tx = context.store.read().await?;
    let next = [
        store::intake::next_entry(&mut tx, &view, now).await?,
        orders::next_deadline(&mut tx, now).await?,
        reminder(&view),
        used::next_release(&view.preparing, &view.today, view.policy.stale_hours, now),
        alerts,
        // Evidence grows old by itself, and by the real clock the operator says how wide the net is.
        (view.policy.apply_adaptive || !context.clock.is_manual())
            .then(|| now + SignedDuration::from_secs(view.policy.tick_seconds)),
    ];
    Ok(next.into_iter().flatten().filter(|at| *at > now).min())
}

/// Whether a decision would find anything to do: the planner and the announcements are asked on
/// what was read without a lock.
async fn is_due(tx: &mut db::Tx, view: &KitchenView, now: Timestamp) -> Result<bool, Error> {
    if view.expired(now).is_some() || kitchen::capacity_is_news(view) {
        return Ok(true);
    }
    let waiting = db::Slice::load(&IntakeSlice { view }, tx, now).await?;
    if !intake::plan(&waiting, now).is_settled() {
        return Ok(true);
    }
    Ok(kitchen::late_news(tx, view, now).await?.is_some())
}

async fn decide(context: &Context, now: Timestamp) -> Result<KitchenView, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let view = settle(context, &mut decision).await?;
    if let Some(expired) = view.expired(now) {
        tracing::info!(reason = %expired.reason, "pause expired");
        kitchen::set_pause(&mut decision, None).await?;
        events::automation(&mut decision, None);
    }
    decision.commit().await?;
    Ok(view)
}

/// When those who are still late are announced again.
fn reminder(view: &KitchenView) -> Option<Timestamp> {
    let last = &view.row.late;
    let minutes = SignedDuration::from_mins(view.policy.reminder_minutes);
    last.at.filter(|_| !last.late.is_empty()).map(|at| at + minutes)
}
