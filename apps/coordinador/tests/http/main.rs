//! Coordinador over HTTP: the real host and database, simulated OLTs, virtual time.

// Every function here is test code, also those that several tests share.
#![allow(clippy::unwrap_used)]

mod chains;
mod devices;
mod limits;
mod network;
mod quotas;
mod refusals;
mod restarts;
mod roles;
mod spreading;
mod templates;
