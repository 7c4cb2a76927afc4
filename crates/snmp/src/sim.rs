//! A simulated fleet of OLTs: one UDP port each, real SNMP, and everything that can go wrong.
//!
//! What an OLT answers is decided by [`olt`] out of its [`Settings`] and a seed, so that the same
//! seed gives the same fleet, the same losses and the same vanished ONUs. v1 and v2c are written
//! here from scratch: the client and its counterpart share no codec, and broken answers can be as
//! broken as wanted. v3 is left to the library's agent over the same tables.
//!
//! Users of v3, on every OLT: `turno-open` (no authentication), `turno-auth` (SHA-256, password
//! `turno-auth-key`) and `turno-priv` (the same, and AES-128 with `turno-priv-key`).

mod ber;
mod control;
mod dice;
mod olt;
mod packet;
mod secure;
mod server;
mod settings;
mod tables;

pub use olt::Counters;
pub use server::{Options, Simulator, StartError};
pub use settings::{BadSettings, Brand, OverLimit, Profile, Settings};
pub use tables::{Column, MAX_ONUS};
