//! Robots, runners and runs in the database: how a snapshot is loaded and a change applied.

pub mod assignments;
pub mod calendars;
pub mod circuit;
pub mod demand;
pub mod facts;
pub mod mappings;
pub mod moves;
pub mod outcomes;
pub mod policy;
pub mod pools;
pub mod robots;
pub mod runners;
pub mod runs;
pub mod schedules;
pub mod search;
pub mod slots;
pub mod strangers;
pub mod strays;
pub mod suspensions;
pub mod world;

use db::{Error, Line, Scope, Tx, trusted};

pub const MIGRATIONS: Line = db::migrations!("sam"; "0001_robots", "0002_outcomes");

/// The capacity being spent: the runners. Whoever launches, balances or closes holds it.
pub fn scope() -> Scope {
    Scope::new(crate::NAME)
}

/// An id for something entered by hand. Ids of the Control Room arrive later and anywhere, so the
/// database's own counting would run into them.
async fn free_id(tx: &mut Tx, table: &'static str) -> Result<i64, Error> {
    let sql = trusted(format!("SELECT COALESCE(MAX(id), 0) + 1 AS id FROM {table}"));
    tx.one(sql, &[]).await?.get("id")
}
