//! The client against the simulator, over real sockets.

// Every function here is test code, also those that several tests share.
#![allow(clippy::unwrap_used)]

mod broken;
mod callbacks;
mod control;
mod doubt;
mod faults;
mod lists;
mod room;
mod session;
