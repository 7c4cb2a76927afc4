//! The ways state changes. Each opens one decision on the fleet.

pub mod catalogue;
pub mod dispatch;
pub mod formulas;
pub mod heartbeat;
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
use host::Context;
use serde_json::Value as Json;

use crate::{
    drivers::{Runtime, wake},
    model::RunId,
};

/// Who acts.
#[derive(Debug, Clone)]
pub struct By {
    pub name: String,
    pub role: String,
}

impl By {
    /// Turno itself.
    pub fn system() -> Self {
        Self { name: "SISTEMA".into(), role: "SISTEMA".into() }
    }

    /// A line of the audit.
    pub fn did(
        &self,
        action: &str,
        subject: String,
        before: Option<Json>,
        after: Option<Json>,
    ) -> Entry {
        Entry {
            app: crate::NAME,
            actor: self.name.clone(),
            role: self.role.clone(),
            action: action.to_owned(),
            subject,
            before,
            after,
            reason: None,
        }
    }
}

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

/// Commits what may let somebody start. Not one more packet leaves here for the runs it ended.
async fn commit(context: &Context, decision: Decision, ended: Vec<RunId>) -> Result<(), Error> {
    decision.commit().await?;
    context.shared::<Runtime>().stop(ended);
    wake(context);
    Ok(())
}
