//! OLTs, nodes and runs in the database: how a snapshot is loaded and a change applied.

pub mod catalogue;
pub mod formulas;
pub mod journal;
pub mod nodes;
pub mod olts;
pub mod onus;
pub mod policy;
pub mod runs;
pub mod templates;
pub mod world;

use db::{Line, Scope, Step};

pub const MIGRATIONS: Line = Line {
    name: "coordinador",
    steps: &[
        Step {
            name: "0001_fleet",
            sqlite: include_str!("../../migrations/sqlite/0001_fleet.sql"),
            postgres: include_str!("../../migrations/postgres/0001_fleet.sql"),
        },
        Step {
            name: "0002_processes",
            sqlite: include_str!("../../migrations/sqlite/0002_processes.sql"),
            postgres: include_str!("../../migrations/postgres/0002_processes.sql"),
        },
    ],
};

/// The capacity being spent: starts per minute and runs at once, of the whole fleet.
pub fn scope() -> Scope {
    Scope::new(crate::NAME)
}
