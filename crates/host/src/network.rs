//! How this process stands in the network: its public name, the proxies in front of it, and how
//! much anybody may ask of it.

use std::time::Duration;

use crate::{Proxies, rates::Rate, tls::Certificates};

#[derive(Clone, Debug, Default)]
pub struct Network {
    /// What the world calls this server, `https://turno.example`; none: nobody said.
    pub public_url: Option<String>,
    /// Whose word about a client's address is taken.
    pub trusted_proxies: Proxies,
    pub limits: Limits,
    /// For TLS without a proxy in front.
    pub certificates: Option<Certificates>,
}

/// Bounds of what strangers can hold. Programs of this machine are not counted.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at once.
    pub connections: usize,
    /// Live streams of one actor.
    pub streams: usize,
    /// Requests of one actor, and of one address.
    pub actor: Rate,
    pub address: Rate,
    /// Passwords tried from one address.
    pub login: Rate,
    /// How long a connection may say nothing, or be in the middle of a request's head.
    pub header: Duration,
    /// How long the next part of a body, or of our answer, may take to get through.
    pub body: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4_096,
            streams: 64,
            actor: Rate::per_second(500, 5_000),
            address: Rate::per_second(1_000, 10_000),
            login: Rate::per_minute(20, 20),
            header: Duration::from_secs(30),
            body: Duration::from_secs(30),
        }
    }
}

impl Network {
    /// Whether clients speak TLS with us, or with a proxy of ours.
    pub fn is_secure(&self) -> bool {
        self.certificates.is_some()
            || self.public_url.as_ref().is_some_and(|url| url.starts_with("https://"))
    }
}
