//! The words and shapes of the outside contract: the seed's names in `snake_case`.

mod views;

use engine::Roles as _;
use engine::Word as _;
pub use views::{
    EventView, NodeView, OidView, OltView, OnuView, QuotaView, RunView, TemplateNodeView,
    TemplateView,
};

use host::Actor;
use serde_json::Value as Json;

use crate::policy::{Action, Role};

/// The role an actor has here.
pub fn role_of(actor: &Actor) -> Option<Role> {
    actor.role_in(crate::NAME).and_then(Role::from_word)
}

/// Events hold no secrets; whoever may read here may hear them.
pub fn redact(actor: &Actor, _: &str, data: Json) -> Option<Json> {
    role_of(actor)?.can(Action::Read).then_some(data)
}
