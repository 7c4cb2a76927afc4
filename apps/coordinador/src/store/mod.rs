//! OLTs, nodes and runs in the database: how a snapshot is loaded and a change applied.

pub mod catalogue;
pub mod formulas;
pub mod journal;
pub mod nodes;
pub mod olts;
pub mod onus;
pub mod policy;
pub mod readings;
pub mod runs;
pub mod search;
pub mod templates;
pub mod world;

use db::{Line, Scope};

pub const MIGRATIONS: Line = db::migrations!(
    "coordinador"; "0001_fleet", "0002_processes", "0003_readings", "0004_together"
);

/// The capacity being spent: starts per minute and runs at once, of the whole fleet.
pub fn scope() -> Scope {
    Scope::new(crate::NAME)
}
