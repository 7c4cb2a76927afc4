//! Files that were made for a test, good ones and bad ones.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod archive;
mod fuzz;
mod isolated;
mod made;
mod pdf;
mod picture;
