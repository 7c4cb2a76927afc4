//! Where a broker is, as operators write it: `amqp://user:password@host:port/vhost`.

use std::{fmt, str::FromStr, sync::Arc};

use lapin::{
    tcp::OwnedTLSConfig,
    uri::{AMQPScheme, AMQPUri},
};
use rustls::{
    RootCertStore,
    pki_types::{CertificateDer, pem::PemObject as _},
};

/// Seconds between two signs of life, unless the address says otherwise; after twice that without
/// one the connection is gone. Shorter ones take a busy machine for a dead one.
const HEARTBEAT: u16 = 5;
/// The largest frame, unless the address says otherwise: each connection keeps room for thirty-two of
/// them, twice, and what RabbitMQ proposes would be eight megabytes. A longer body takes several.
const FRAME: u32 = 16 * 1024;

/// Where a broker is and who asks. Printed without the password.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    uri: AMQPUri,
    /// Authorities, PEM, that are trusted beside the public ones.
    authorities: Option<Arc<str>>,
}

/// Why a text is no address of a broker.
#[derive(Debug, thiserror::Error)]
#[error("is not amqp://user:password@host:port/vhost, or amqps: {0}")]
pub struct Wrong(String);

impl Address {
    pub(crate) fn uri(&self) -> AMQPUri {
        self.uri.clone()
    }

    pub(crate) fn tls(&self) -> OwnedTLSConfig {
        OwnedTLSConfig {
            identity: None,
            cert_chain: self.authorities.as_deref().map(str::to_owned),
        }
    }

    /// Whether what is said on the way is sealed: `amqps`.
    pub fn is_sealed(&self) -> bool {
        matches!(self.uri.scheme, AMQPScheme::AMQPS)
    }

    /// Whoever these authorities vouch for is trusted too; what is wrong with the text otherwise.
    pub fn trusting(self, pem: &str) -> Result<Self, String> {
        let mut store = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
            let certificate = certificate.map_err(|why| why.to_string())?;
            store.add(certificate).map_err(|why| why.to_string())?;
        }
        if store.is_empty() {
            return Err("there is no certificate in it (PEM)".to_owned());
        }
        Ok(Self { authorities: Some(pem.into()), ..self })
    }

    pub fn vhost(&self) -> &str {
        &self.uri.vhost
    }

    /// The same broker, another virtual host.
    #[must_use]
    pub fn within(&self, vhost: &str) -> Self {
        let uri = AMQPUri { vhost: vhost.to_owned(), ..self.uri.clone() };
        Self { uri, authorities: self.authorities.clone() }
    }
}

impl FromStr for Address {
    type Err = Wrong;

    fn from_str(text: &str) -> Result<Self, Wrong> {
        let mut uri: AMQPUri = text.trim().parse().map_err(Wrong)?;
        // The address ends in a slash and means the virtual host of that name, as other clients
        // take it; the letter of the grammar says the one without a name.
        if uri.vhost.is_empty() {
            "/".clone_into(&mut uri.vhost);
        }
        uri.query.heartbeat.get_or_insert(HEARTBEAT);
        uri.query.frame_max.get_or_insert(FRAME);
        Ok(Self { uri, authorities: None })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AMQPUri { scheme, authority, vhost, .. } = &self.uri;
        let (user, host, port) = (&authority.userinfo.username, &authority.host, authority.port);
        write!(f, "{scheme}://{user}@{host}:{port}/{}", vhost.trim_start_matches('/'))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_never_printed() {
        let address: Address = "amqp://ana:secreta@broker:5673/casa".parse().unwrap();
        assert_eq!(address.to_string(), "amqp://ana@broker:5673/casa");
        assert_eq!(format!("{address:?}"), "amqp://ana@broker:5673/casa");
        assert_eq!(address.vhost(), "casa");
    }

    #[test]
    fn the_seeds_default_is_the_root_virtual_host() {
        let address: Address = "amqp://guest:guest@localhost:5672/".parse().unwrap();
        assert_eq!(address.vhost(), "/");
        assert_eq!(address.within("otra").vhost(), "otra");
    }

    #[test]
    fn what_is_no_authority_is_refused() {
        let address = || "amqps://ana@broker/".parse::<Address>().unwrap();
        assert!(
            address().is_sealed() && !"amqp://ana@broker/".parse::<Address>().unwrap().is_sealed()
        );
        for text in ["", "no certificate"] {
            assert!(address().trusting(text).unwrap_err().contains("no certificate"), "{text}");
        }
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(address().trusting(broken).is_err());
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in ["", "localhost:5672", "http://localhost", "amqp://host:port/"] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
