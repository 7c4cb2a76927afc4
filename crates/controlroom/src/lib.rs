//! The Control Room of Automation Anywhere A360, both sides of it.
//!
//! [`Client`] is what an orchestrator needs of its HTTP interface: deploy a bot, ask what became of
//! deployments, list devices, users and files, stop a run. It decides nothing: each call ends in an
//! answer or in a [`Fault`] that says what is known about the world, above all whether a deployment
//! [may exist](Fault::may_have_been_accepted) although nobody confirmed it.
//!
//! [`sim`] is a Control Room to talk to: the same interface over real sockets, with devices, bots
//! and callbacks of its own, and a second interface by which everything in it can go wrong.

mod client;
mod config;
mod fault;
mod lists;
mod query;
mod records;
mod session;
pub mod sim;
mod transport;

pub use client::{Callback, Client, Deployment, Target};
pub use config::{BadConfig, Config, Secret};
pub use fault::{Fault, Kind, classify, retry_after};
pub use lists::{ACTIVE, ActivityQuery};
pub use records::{Activity, DefaultUser, Device, File, User};
