//! SNMP credentials: a community, or a user of version 3 with keys.

use std::fmt;

use async_snmp::{Auth, MasterKeys, PrivProtocol, UsmConfig};

use crate::fault::Fault;

/// Bytes that nobody prints.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Secret(Vec<u8>);

impl Secret {
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Secret(…)")
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Credential {
    V1 {
        community: Secret,
    },
    V2c {
        community: Secret,
    },
    /// Privacy without authentication does not exist: [`Fault::Invalid`].
    V3 {
        user: String,
        auth: Option<(AuthProtocol, Secret)>,
        privacy: Option<(PrivacyProtocol, Secret)>,
        context: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AuthProtocol {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

/// AES only: DES keeps no secret today, and would need a counter that survives restarts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrivacyProtocol {
    Aes128,
    /// Long keys as most vendors make them out of short digests (Blumenthal).
    Aes192,
    Aes256,
    /// Long keys as Cisco makes them (Reeder).
    Aes192Cisco,
    Aes256Cisco,
}

impl Credential {
    pub fn v1(community: impl Into<Vec<u8>>) -> Self {
        Self::V1 { community: Secret::new(community) }
    }

    pub fn v2c(community: impl Into<Vec<u8>>) -> Self {
        Self::V2c { community: Secret::new(community) }
    }

    pub(crate) fn is_v1(&self) -> bool {
        matches!(self, Self::V1 { .. })
    }

    /// Stretches passwords into keys, which takes milliseconds: callers keep the result.
    pub(crate) fn prepare(&self) -> Result<Auth, Fault> {
        match self {
            Self::V1 { community } => Ok(Auth::v1(community.0.as_slice())),
            Self::V2c { community } => Ok(Auth::v2c(community.0.as_slice())),
            Self::V3 { user, auth, privacy, context } => {
                let who = UsmConfig::new(user.clone().into_bytes())
                    .context_name(context.clone().into_bytes());
                let Some((protocol, key)) = auth else {
                    return if privacy.is_some() { Err(Fault::Invalid) } else { Ok(who.into()) };
                };
                let mut keys = MasterKeys::new(protocol.wire(), &key.0).map_err(invalid)?;
                if let Some((protocol, key)) = privacy {
                    keys = keys.with_privacy(protocol.wire(), &key.0).map_err(invalid)?;
                }
                Ok(who.with_master_keys(keys).map_err(invalid)?.into())
            }
        }
    }
}

fn invalid<E>(_: E) -> Fault {
    Fault::Invalid
}

impl AuthProtocol {
    fn wire(self) -> async_snmp::AuthProtocol {
        match self {
            Self::Md5 => async_snmp::AuthProtocol::Md5,
            Self::Sha1 => async_snmp::AuthProtocol::Sha1,
            Self::Sha224 => async_snmp::AuthProtocol::Sha224,
            Self::Sha256 => async_snmp::AuthProtocol::Sha256,
            Self::Sha384 => async_snmp::AuthProtocol::Sha384,
            Self::Sha512 => async_snmp::AuthProtocol::Sha512,
        }
    }
}

impl PrivacyProtocol {
    fn wire(self) -> PrivProtocol {
        match self {
            Self::Aes128 => PrivProtocol::Aes128,
            Self::Aes192 => PrivProtocol::Aes192Blumenthal,
            Self::Aes256 => PrivProtocol::Aes256Blumenthal,
            Self::Aes192Cisco => PrivProtocol::Aes192Reeder,
            Self::Aes256Cisco => PrivProtocol::Aes256Reeder,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_printed() {
        let v3 = Credential::V3 {
            user: "turno".to_owned(),
            auth: Some((AuthProtocol::Sha256, "sesame-open".into())),
            privacy: Some((PrivacyProtocol::Aes128, "sesame-close".into())),
            context: String::new(),
        };
        for credential in [Credential::v1("sesame"), Credential::v2c("sesame"), v3] {
            assert!(!format!("{credential:?}").contains("sesame"));
        }
    }

    #[test]
    fn keys_too_short_and_privacy_alone_are_invalid() {
        let v3 = |auth: Option<&str>, privacy: Option<&str>| {
            let credential = Credential::V3 {
                user: "turno".to_owned(),
                auth: auth.map(|key| (AuthProtocol::Sha1, key.into())),
                privacy: privacy.map(|key| (PrivacyProtocol::Aes128, key.into())),
                context: String::new(),
            };
            credential.prepare().err()
        };
        assert_eq!(v3(None, None), None);
        assert_eq!(v3(Some("12345678"), Some("12345678")), None);
        assert_eq!(v3(Some("1234567"), None), Some(Fault::Invalid));
        assert_eq!(v3(Some("12345678"), Some("1234567")), Some(Fault::Invalid));
        assert_eq!(v3(None, Some("12345678")), Some(Fault::Invalid));
    }
}
