//! A simulated Control Room: what it answers is decided by [`world::World`], a state that changes
//! only by calls with an instant, behind one mutex; the rest is sockets and timers.

mod access;
mod callbacks;
mod control;
mod deploying;
mod doors;
mod faults;
mod fixtures;
mod listing;
mod running;
mod select;
mod server;
mod settings;
mod status;
mod world;

pub use server::{Clock, Followed, Options, Simulator};

#[cfg(test)]
mod tests;
