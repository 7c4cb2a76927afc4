//! The pure part of SAM: its nouns, what operators may change, and the rules that decide. It knows
//! neither a clock nor a database nor a network.

pub mod model;
pub mod policy;
pub mod rules;

/// The name of the application, of its scope and of its topic.
pub const NAME: &str = "sam";
