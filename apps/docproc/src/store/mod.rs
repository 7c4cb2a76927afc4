//! Requests in the database: how a snapshot is loaded and changes are applied, many at a time.

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
pub mod jobs;
pub mod measures;
pub mod messages;
pub mod operators;
pub mod pages;
pub mod partial;
pub mod policy;
pub mod progress;
pub mod quality;
mod questions;
pub mod queue;
pub mod regroup;
pub mod requests;
pub mod retention;
pub mod reviews;
pub mod rewind;
pub mod workers;
pub mod workflows;
mod writing;

use db::{Line, Scope, Step};

pub const MIGRATIONS: Line = Line {
    name: "docproc",
    steps: &[
        Step {
            name: "0001_requests",
            sqlite: include_str!("../../migrations/sqlite/0001_requests.sql"),
            postgres: include_str!("../../migrations/postgres/0001_requests.sql"),
        },
        Step {
            name: "0002_people",
            sqlite: include_str!("../../migrations/sqlite/0002_people.sql"),
            postgres: include_str!("../../migrations/postgres/0002_people.sql"),
        },
        Step {
            name: "0003_deadlines",
            sqlite: include_str!("../../migrations/sqlite/0003_deadlines.sql"),
            postgres: include_str!("../../migrations/postgres/0003_deadlines.sql"),
        },
        Step {
            name: "0004_golden",
            sqlite: include_str!("../../migrations/sqlite/0004_golden.sql"),
            postgres: include_str!("../../migrations/postgres/0004_golden.sql"),
        },
        Step {
            name: "0005_processes",
            sqlite: include_str!("../../migrations/sqlite/0005_processes.sql"),
            postgres: include_str!("../../migrations/postgres/0005_processes.sql"),
        },
    ],
};

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
