//! What `DocProc` decides and about what: nouns, who may do what, and every rule, pure by Cargo.

pub mod model;
pub mod policy;
pub mod rules;

/// The name of the application and of its topic.
pub const NAME: &str = "docproc";
