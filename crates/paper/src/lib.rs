//! Opens what people upload (PDF, TIFF, pictures, text, archives, e-mail) and gives its pages.
//!
//! [`sniff`] says what a file is by its content, [`unpack`] opens archives, [`Document`] gives the
//! pages of one file: their size, the text layer with word boxes, and a picture of each.
//!
//! What arrives here was made by strangers. A [`Renderer`] opens it in a process of its own, which
//! may die. There every parser runs behind `guard`, which turns a panic into [`Broken::Panicked`];
//! sizes are read from headers and refused before anything is allocated; nothing is trusted by its
//! name. [`Limits`] holds every number, [`Broken`] every refusal.

mod archive;
mod broken;
mod document;
mod foreign;
mod guard;
mod isolated;
mod kind;
mod layer;
mod limits;
mod mail;
mod pdf;
mod picture;
mod plain;

pub use archive::{EntryName, Unpacked, inspect, unpack};
pub use broken::Broken;
pub use document::Document;
pub use isolated::{Renderer, WORKER, work};
pub use kind::{Kind, recognise, sniff};
pub use layer::{Doubt, Layer};
pub use limits::Limits;
