//! The only crate that opens a database.
//!
//! [`Store::decide`] is the one way to change state: it locks the capacity being spent, loads a
//! snapshot, asks a pure planner, applies the changes guarded, and commits them together with the
//! events and effects they cause. `SQLite` and `PostgreSQL` behave the same; the suite in
//! `tests/conformance` says how.

mod database;
mod decide;
mod dialect;
mod digest;
mod error;
mod migrate;
mod row;
mod rows;
mod session;
mod together;
mod tx;
mod wire;
mod writer;

pub mod audit;
pub mod backup;
pub mod effects;
pub mod events;
pub mod idempotency;
pub mod outside;
pub mod processes;
pub mod settings;

pub use database::{Hold, Scope, Store};
pub use decide::{Committed, Decided, Decision, Note, Slice};
pub use dialect::Dialect;
pub use digest::{hex, sha256_hex, unhex};
pub use engine::Value;
pub use error::Error;
pub use migrate::{Applied, ENGINE, Line, Step};
pub use row::{Column, Row};
pub use rows::Rows;
pub use together::Together;
pub use tx::{Tx, trusted};
pub use wire::Wire;
