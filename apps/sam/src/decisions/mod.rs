//! The ways state changes. Each opens one decision on the runners.

pub mod balance;
pub mod callback;
pub mod demand;
pub mod deploy;
pub mod launch;
pub mod reconcile;
pub mod runs;
pub mod sweep;
pub mod sync;

use db::{Decision, audit::Entry, events::NewEvent};
use serde_json::Value as Json;

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
    pub fn did(&self, action: &str, subject: String) -> Entry {
        Entry {
            app: crate::NAME,
            actor: self.name.clone(),
            role: self.role.clone(),
            action: action.to_owned(),
            subject,
            before: None,
            after: None,
            reason: None,
        }
    }
}

/// Tells everybody who listens.
pub fn emit(decision: &mut Decision, name: &'static str, subject: String, data: Json) {
    decision.emit(NewEvent { app: crate::NAME, name, subject: Some(subject), data });
}
