//! Where the outside is spoken to: the Control Room, the providers of tickets, and the proof that a
//! callback carries.

pub mod alarm;
pub mod deploy;
pub mod fault;
pub mod gateway;
pub mod look;
pub mod proof;
pub mod reconcile;
mod signature;
pub mod stop;
pub mod sync;
pub mod tickets;

/// Whether somebody could be asked at this address.
pub fn is_web_address(text: &str) -> bool {
    reqwest::Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}
