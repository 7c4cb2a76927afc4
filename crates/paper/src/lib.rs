//! Files become pages.
//!
//! [`sniff`] says what a file is by its content, [`unpack`] opens archives, [`Document`] gives the
//! pages of one file: their size, the text layer with word boxes, and a picture of each.
//!
//! What arrives here was made by strangers. Every parser runs behind `guard`, which turns a panic
//! into [`Broken::Panicked`]; sizes are read from headers and refused before anything is allocated;
//! nothing is trusted by its name. [`Limits`] holds every number, [`Broken`] every refusal.

mod archive;
mod broken;
mod document;
mod guard;
mod kind;
mod layer;
mod limits;
mod pdf;
mod picture;
mod plain;

pub use archive::{EntryName, unpack};
pub use broken::Broken;
pub use document::Document;
pub use kind::{Kind, sniff};
pub use layer::{Doubt, Layer};
pub use limits::Limits;
