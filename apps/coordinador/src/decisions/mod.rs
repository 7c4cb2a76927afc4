//! The ways state changes. Each opens one decision on the fleet.

pub mod alarms;
pub mod catalogue;
pub mod dispatch;
pub mod formulas;
mod learn;
pub mod nodes;
pub mod olts;
pub mod polls;
pub mod runs;
pub mod settings;
pub mod spread;
pub mod sweep;
pub mod templates;

use db::{Decision, Error, audit::Entry, events::NewEvent};
use host::By;
use serde_json::Value as Json;

/// Tells everybody who listens.
pub fn emit(decision: &mut Decision, name: &'static str, subject: String, data: Json) {
    decision.emit(NewEvent { app: crate::NAME, name, subject: Some(subject), data });
}

/// A line of the audit: what was before, and after.
fn record(
    decision: &mut Decision,
    by: &By,
    action: &str,
    subject: String,
    before: Option<Json>,
    after: Option<Json>,
) {
    decision.audit(Entry { before, after, ..by.did(action, subject) });
}

/// Whoever may start now is looked for, and the plan is looked at once more.
fn wake(decision: &mut Decision) {
    decision.wake(dispatch::TICK);
    decision.wake(spread::TICK);
    decision.wake(alarms::TICK);
}

/// Commits what may let somebody start.
async fn commit(mut decision: Decision) -> Result<(), Error> {
    wake(&mut decision);
    decision.commit().await.map(drop)
}
