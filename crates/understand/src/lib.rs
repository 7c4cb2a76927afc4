//! What a page says: of which type it is, and the values printed on it.
//!
//! Pure functions over [`page::PageText`]; nothing here reads a file or a clock.

pub mod classify;
pub mod extract;
mod maths;
