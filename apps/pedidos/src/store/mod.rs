//! Orders in the database: how a snapshot is loaded and a change applied.

pub mod advice;
pub mod articles;
pub mod changes;
pub mod events;
pub mod history;
pub mod intake;
pub mod kitchen;
pub mod orders;
pub mod policy;
pub mod rules;
pub mod search;
pub mod tickets;

use db::{Line, Scope};

pub use changes::{OrderSlice, OrderSnapshot};
pub use intake::{IntakeSlice, KitchenView};

pub const MIGRATIONS: Line =
    db::migrations!("pedidos"; "0001_orders", "0002_stations", "0003_prints", "0004_days");

/// The capacity being spent: there is one kitchen.
pub fn scope() -> Scope {
    Scope::new(crate::NAME)
}
