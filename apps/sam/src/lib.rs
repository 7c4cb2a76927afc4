//! *SAM*: robots, the runners they run on, and the pools that keep them apart.
//!
//! Read `model` for the nouns and `rules` for the decisions.

pub mod model;
pub mod rules;

/// The name of the application, of its scope and of its topic.
pub const NAME: &str = "sam";
