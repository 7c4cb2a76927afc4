//! What *Pedidos* is about and how it decides: nouns, policy and rules. Pure: no clock, no database,
//! nothing that can wait.

pub mod model;
pub mod policy;
pub mod rules;

/// The name of the application, of its scope and of its topic.
pub const NAME: &str = "pedidos";
