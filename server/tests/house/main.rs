//! The real binary: as an operator meets it, killed again and again, and several of it at once.

// Every function here is test code, also those that several tests share.
#![allow(clippy::unwrap_used)]

mod bombs;
mod chaos;
mod cli;
mod cluster;
mod coordinador_crash;
mod crash;
mod disk;
mod docproc_crash;
mod docproc_storage;
mod doors;
mod hour;
mod machines;
mod old;
mod queries;
mod races;
mod reference;
mod rotation;
mod sam_crash;
mod set_back;
mod wording;
