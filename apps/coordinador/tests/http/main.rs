//! Coordinador over HTTP: the real host and database, simulated OLTs, virtual time.

// Every function here is test code, also those that several tests share.
#![allow(clippy::unwrap_used)]

mod cut_off;
mod export;
mod network;
mod refusals;
mod returns;
mod roles;
mod scenarios;
mod screens;
mod together;
