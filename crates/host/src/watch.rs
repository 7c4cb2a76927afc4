//! Watches the house itself: ticks that fall silent raise an alert, and old rows are forgotten.

use std::time::Duration;

use db::{Scope, events, idempotency};
use engine::Sentence;
use jiff::SignedDuration;

use crate::{Alert, Context, Severity};

const EVERY: Duration = Duration::from_secs(15);
/// Events stay for replay this long, idempotency keys a day.
const EVENTS_KEPT: SignedDuration = SignedDuration::from_hours(24 * 30);
const KEYS_KEPT: SignedDuration = SignedDuration::from_hours(24);

pub(crate) async fn watch(context: Context) {
    loop {
        tokio::select! {
            () = context.stopping.cancelled() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
        // With the database gone there is nobody to tell; the next round tells.
        if let Err(error) = round(&context).await {
            tracing::warn!(error = %error, "watch could not look");
        }
    }
}

async fn round(context: &Context) -> Result<(), db::Error> {
    let now = context.clock.now();
    for (name, health) in context.all_tick_health() {
        let fingerprint = format!("tick/{name}");
        if health.is_silent(now) {
            let never = || Sentence::new("todavía ninguna", "none yet");
            let detail = health.last_error.map_or_else(never, Sentence::same);
            let title = Sentence::new(
                format!("{name}: sin ejecuciones correctas"),
                format!("{name}: no successful runs"),
            );
            let alert = Alert::new("host", fingerprint, Severity::Critical, title, detail);
            context.raise(alert.shown_at("/sistema", "")).await?;
        } else {
            context.resolve(&fingerprint).await?;
        }
    }
    crate::disk::look(context).await?;
    let mut decision = context.store.decide(&Scope::new("housekeeping"), now).await?;
    events::prune(&mut decision.tx, now - EVENTS_KEPT).await?;
    idempotency::prune(&mut decision, now - KEYS_KEPT).await?;
    decision.commit().await.map(drop)
}
