//! The ways state changes, by subject. Each opens one decision on the kitchen, and each ends by
//! settling: every order that can enter after the change enters in the same transaction. So no commit
//! leaves a place free while someone could take it, and "evaluate at once" (§4.2.2) needs no
//! trigger.

mod kitchen;
mod menu;
mod orders;
mod printing;
mod settle;

pub use kitchen::{pause, put_rule, remove_rule};
pub use menu::{Duplicate, change_article, create_article, retire_article};
pub use orders::{Asked, Created, Key, act, create, reschedule};
pub use printing::{NoPrinter, print, printed};
pub use settle::{TICK, settings_changed, tick};

use db::{Decision, Error};
use host::Context;

use crate::store::{self, KitchenView};

/// How a person's command ended.
#[derive(Debug)]
pub enum Done<T, Refusal> {
    /// Made; this is how it stands now.
    Saved(T),
    Refused(Refusal),
    Missing,
    /// The caller looked at another version.
    Stale {
        current: i64,
    },
    /// The `Idempotency-Key` belongs to another request.
    KeyReused,
}

/// Opens a decision on the kitchen, makes a change and settles what follows from it.
async fn in_kitchen<T>(
    context: &Context,
    change: impl AsyncFnOnce(&mut Decision, &KitchenView) -> Result<T, Error>,
) -> Result<T, Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let before = KitchenView::load(context, &mut decision.tx, now).await?;
    let outcome = change(&mut decision, &before).await?;
    settle::settle(context, &mut decision).await?;
    decision.wake(TICK);
    decision.commit().await?;
    Ok(outcome)
}
