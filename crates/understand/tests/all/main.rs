//! Types and fields of pages.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod classify;
mod extract;
mod table;
mod unseen;
