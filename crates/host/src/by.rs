//! Who makes a change, for history, events and audit.

use db::{Decision, audit::Entry, events::NewEvent};
use serde_json::Value as Json;

/// Someone who acts in one application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct By {
    pub app: &'static str,
    pub name: String,
    pub role: String,
}

impl By {
    /// Turno itself: ticks and drivers.
    pub fn system(app: &'static str) -> Self {
        Self { app, name: "SISTEMA".to_owned(), role: "SISTEMA".to_owned() }
    }

    /// A line of the audit, to be completed with what was before and after.
    pub fn did(&self, action: impl Into<String>, subject: impl Into<String>) -> Entry {
        Entry {
            app: self.app,
            actor: self.name.clone(),
            role: self.role.clone(),
            action: action.into(),
            subject: subject.into(),
            before: None,
            after: None,
            reason: None,
        }
    }

    /// Tells everybody who listens to the application.
    pub fn emit(&self, decision: &mut Decision, name: &'static str, subject: String, data: Json) {
        decision.emit(NewEvent { app: self.app, name, subject: Some(subject), data });
    }
}
