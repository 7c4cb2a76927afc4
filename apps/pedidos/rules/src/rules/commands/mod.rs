//! What people ask for. Each command looks at one order and answers with the changes to apply or
//! with a refusal; nothing here changes anything.
//!
//! The store takes the kitchen's lock, loads the order, calls the command and applies the changes
//! in the same transaction, each guarded by the state it expects.

mod change;
mod edit;
mod kitchen;
mod order;
mod refusal;
#[cfg(test)]
mod scenarios;
mod state;
#[cfg(test)]
mod stations;

pub use change::{Cause, Change, Times};
pub use edit::{Edit, edit};
pub use kitchen::{Bump, acknowledge, bump, finish_station, undo};
pub use order::{hold, pay, promised, release, reschedule, settle_payment};
pub use refusal::{Class, Refusal};
pub use state::{Kitchen, cancel, change_state, deliver, force, ready, recall, send_back, start};

use engine::Roles as _;

use crate::model::Role;
use crate::policy::Action;

/// The changes to apply, in order; empty when what was asked for is already so.
pub type Answer = Result<Vec<Change>, Refusal>;

fn permit(role: Role, action: Action) -> Result<(), Refusal> {
    if role.can(action) { Ok(()) } else { Err(Refusal::Role { role }) }
}

/// A reason someone can read later: blank is no reason.
fn required(reason: &str) -> Result<String, Refusal> {
    let reason = reason.trim();
    if reason.is_empty() { Err(Refusal::ReasonRequired) } else { Ok(reason.to_owned()) }
}
