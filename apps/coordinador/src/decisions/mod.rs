//! The ways state changes. Each opens one decision on the fleet.

pub mod beat;
pub mod dispatch;
pub mod job;
mod learn;
pub mod nodes;
pub mod olts;
pub mod runs;
pub mod spread;
pub mod sweep;
pub mod templates;

use db::{Decision, Error, audit::Entry, events::NewEvent, settings::Change};
use host::Context;
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use crate::{
    fleet::{Fleet, stir},
    model::Ending,
    policy::TestMode,
    store::{policy, runs as kept},
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

/// Switches test mode. What runs is of the other mode, and ends.
pub async fn rehearse(
    context: &Context,
    by: &By,
    mode: TestMode,
    now: Timestamp,
) -> Result<(), Error> {
    let mut decision = context.store.decide(&crate::store::scope(), now).await?;
    let rules = policy::load(&context.settings, &context.zone, &mut decision.tx).await?;
    let change = Change {
        app: crate::NAME,
        key: policy::TEST_MODE,
        value: policy::test_mode_json(mode),
        actor: &by.name,
        role: &by.role,
        expected_version: None,
    };
    let kept_mode = context.settings.put(&mut decision, change).await?;
    kept_mode.map_err(|refused| Error::corrupt(format!("{refused:?}")))?;
    let switched = (rules.test_mode == TestMode::Off) != (mode == TestMode::Off);
    let mut ended = Vec::new();
    if switched {
        for run in kept::live(&mut decision.tx).await? {
            let end =
                runs::Ended::interrupted(Ending::Cancelled, json!({ "motivo": "modo prueba" }));
            runs::end(&mut decision, &rules, &run, &end).await?;
            ended.push(run.id);
        }
    }
    decision.commit().await?;
    context.shared::<Fleet>().stop(ended);
    stir(context);
    Ok(())
}
