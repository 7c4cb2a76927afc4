//! The words and shapes of the outside contract: the seed's names in `snake_case`.

mod node;
mod oid;
mod olt;
mod template;
mod views;

use engine::Roles as _;
use engine::Word as _;
pub use node::NodeRequest;
pub use oid::OidRequest;
pub use olt::{OltRequest, lets_in};
pub use template::TemplateRequest;
pub use views::{
    EventView, LastView, NodeView, OidView, OltView, OnuView, QuotaView, RunView, TemplateNodeView,
    TemplateView,
};

use host::Actor;
use serde_json::Value as Json;

use crate::policy::{Action, Role};

/// Events hold no secrets; whoever may read here may hear them.
pub fn redact(actor: &Actor, _: &str, data: Json) -> Option<Json> {
    let role = actor.role_in(crate::NAME).and_then(Role::from_word)?;
    role.can(Action::Read).then_some(data)
}
