//! The nouns, the policy and the decisions of *Coordinador*. Pure: neither a database nor a network
//! nor a clock can be reached from here.

pub mod model;
pub mod policy;
pub mod rules;

/// The name of the application, of its scope and of its topic.
pub const NAME: &str = "coordinador";
