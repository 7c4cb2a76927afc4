//! Engines and their pack of models.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod engines;
mod pack;
