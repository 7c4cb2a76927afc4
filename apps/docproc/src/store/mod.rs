//! Requests in the database: how a snapshot is loaded and changes are applied, many at a time.

pub mod addresses;
pub mod answers;
pub mod assign;
pub mod catalogue;
pub mod corrections;
pub mod deadlines;
pub mod desk;
pub mod documents;
pub mod early;
pub mod events;
pub mod figures;
pub mod golden;
pub mod held;
pub mod jobs;
pub mod layouts;
pub mod measures;
pub mod messages;
pub mod offers;
pub mod operators;
pub mod outbox;
pub mod outside;
pub mod pages;
pub mod partial;
mod patches;
pub mod policy;
pub mod progress;
pub mod quality;
mod questions;
pub mod queue;
pub mod regroup;
pub mod requests;
pub mod reviews;
pub mod rewind;
pub mod search;
pub mod second;
pub mod steps;
pub mod storage;
pub mod sweep;
mod visibility;
pub mod workers;
pub mod workflows;

use db::{Line, Scope};
pub use visibility::{Visibility, owns};

pub const MIGRATIONS: Line = db::migrations!("docproc"; "0001_requests", "0002_people", "0003_deadlines", "0004_golden", "0005_processes", "0006_broker", "0007_outside", "0008_storage", "0009_set_aside", "0010_original_names", "0011_vendors", "0013_held_answers", "0015_original_columns", "0016_reference_ids");

/// Decisions about one request happen one after another.
pub fn scope(request: &str) -> Scope {
    Scope::new(format!("docproc/{request}"))
}

/// Whoever gives, takes or ends a task holds this, after the requests it holds and before the
/// queue.
pub fn people_scope() -> Scope {
    Scope::new("docproc people")
}

/// Whoever takes messages holds this, always after the requests it holds.
pub fn queue_scope() -> Scope {
    Scope::new("docproc queue")
}

/// The part of the queue that has the messages of one component.
pub fn queue_part(component: &str) -> Scope {
    Scope::new(format!("docproc queue {component}"))
}
