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

/// Why nobody can be asked at this address: a secret has a setting of its own, where nobody is shown
/// it.
pub fn unusable(address: &str) -> Option<(&'static str, &'static str)> {
    let url = reqwest::Url::parse(address).ok();
    match url.filter(|url| matches!(url.scheme(), "http" | "https")) {
        None => Some(("no es una dirección http(s)", "is no http(s) address")),
        Some(url) if !url.username().is_empty() || url.password().is_some() => Some((
            "lleva un nombre o una clave: van en sus propios ajustes",
            "carries a name or password: they have settings of their own",
        )),
        Some(_) => None,
    }
}
