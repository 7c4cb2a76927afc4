//! The device that a request goes to: its address and how it lets us in.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use crate::credential::Credential;
use crate::fault::Fault;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// An address, or a name to resolve.
    pub host: String,
    pub port: u16,
    pub credential: Credential,
}

impl Target {
    pub fn new(host: impl Into<String>, port: u16, credential: Credential) -> Self {
        Self { host: host.into(), port, credential }
    }

    /// A name nobody knows is a device nobody reaches.
    pub(crate) async fn resolve(&self, timeout: Duration) -> Result<SocketAddr, Fault> {
        if self.port == 0 {
            return Err(Fault::Invalid);
        }
        if let Ok(ip) = self.host.parse::<IpAddr>() {
            return Ok(SocketAddr::new(ip.to_canonical(), self.port));
        }
        let asked = tokio::net::lookup_host((self.host.as_str(), self.port));
        let found = tokio::time::timeout(timeout, asked).await;
        let mut found = found.map_err(|_| Fault::Unreachable)?.map_err(|_| Fault::Unreachable)?;
        found.next().ok_or(Fault::Unreachable)
    }
}
