//! The binary as an operator meets it: words, exit codes, signals, files.

mod access;
mod backups;
mod commands;
mod configuration;
mod lifecycle;
mod program;
