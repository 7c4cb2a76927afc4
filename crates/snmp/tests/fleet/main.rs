//! The client against the simulated fleet: what is read, and every way it can fail.

mod adapt;
mod cancel;
mod control;
mod get;
mod load;
mod noise;
mod probe;
mod rig;
mod secure;
mod walk;
