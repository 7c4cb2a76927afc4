//! The binary as an operator meets it: words, exit codes, signals, files.

// Every function here is test code, also those that several tests share.
#![allow(clippy::unwrap_used)]

mod access;
mod backups;
mod commands;
mod configuration;
mod docproc;
mod golden;
mod lifecycle;
mod olt;
mod program;
mod room;
