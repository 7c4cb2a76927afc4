//! Where the outside is spoken to: the Control Room, the providers of tickets, and the proof that a
//! callback carries.

pub mod deploy;
pub mod fault;
pub mod proof;
pub mod reconcile;
mod signature;
pub mod sync;
pub mod tickets;
