//! The ways state changes. Each opens one decision on the fleet.

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

use crate::{Context, model::RunId};

/// How a change of something that is kept ended.
#[derive(Debug)]
pub enum Changed<T> {
    Done(T),
    NotFound,
    /// Somebody changed it after the caller looked.
    Stale {
        current: i64,
    },
    /// The name is taken.
    Duplicate,
    /// The OLT of a new node is not there.
    NoOlt,
    /// A member of a chain must follow a master of its own OLT.
    NoMaster,
    /// An OLT has a node with that key that comes from elsewhere.
    KeyTaken {
        olt: String,
        key: String,
    },
}

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

/// Commits what may let somebody start. Not one more packet leaves here for the runs it ended.
async fn commit(context: &Context, mut decision: Decision, ended: Vec<RunId>) -> Result<(), Error> {
    decision.wake(dispatch::TICK);
    decision.wake(spread::TICK);
    decision.commit().await?;
    context.runtime.stop(ended);
    Ok(())
}
