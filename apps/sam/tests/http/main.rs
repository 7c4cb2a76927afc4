//! SAM over HTTP: the real host and database, the simulated Control Room, virtual time.

// Every function here is test code, also those that several tests share.
#![allow(clippy::unwrap_used)]

mod callbacks;
mod connection;
mod farm;
mod refusals;
mod roles;
mod scenarios;
mod screens;
mod tickets;
mod together;
