//! The binary as an operator meets it: words, exit codes, signals, files.

mod access;
mod backups;
mod commands;
mod configuration;
mod docproc;
mod golden;
mod lifecycle;
mod olt;
pub(crate) mod program;
mod room;
mod secrets;
mod storage;

pub(crate) use docproc::WORKFLOW;
