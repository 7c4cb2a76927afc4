//! How a device lets us in: entered once, sealed in the database, never shown again.

use std::pin::Pin;

use db::{Error, Tx};
use host::Vault;
use serde::{Deserialize, Serialize};
use snmp::{AuthProtocol, Credential, PrivacyProtocol, Target};

use crate::{
    model::{Olt, OltId, SnmpVersion},
    store::olts,
};

/// What is sealed. Which of it counts, the OLT's version says.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secrets {
    #[serde(default)]
    pub community: String,
    #[serde(default)]
    pub user: String,
    #[serde(default)]
    pub auth: Option<(String, String)>,
    #[serde(default)]
    pub privacy: Option<(String, String)>,
    #[serde(default)]
    pub context: String,
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets(••••••)")
    }
}

const AUTH: &[(&str, AuthProtocol)] = &[
    ("MD5", AuthProtocol::Md5),
    ("SHA", AuthProtocol::Sha1),
    ("SHA-224", AuthProtocol::Sha224),
    ("SHA-256", AuthProtocol::Sha256),
    ("SHA-384", AuthProtocol::Sha384),
    ("SHA-512", AuthProtocol::Sha512),
];

const PRIVACY: &[(&str, PrivacyProtocol)] = &[
    ("AES", PrivacyProtocol::Aes128),
    ("AES-192", PrivacyProtocol::Aes192),
    ("AES-256", PrivacyProtocol::Aes256),
    ("AES-192-C", PrivacyProtocol::Aes192Cisco),
    ("AES-256-C", PrivacyProtocol::Aes256Cisco),
];

fn named<T: Copy>(list: &[(&str, T)], name: &str) -> Option<T> {
    list.iter().find(|(word, _)| word.eq_ignore_ascii_case(name)).map(|(_, what)| *what)
}

/// The words for authentication, for forms and errors.
pub fn auth_words() -> Vec<&'static str> {
    AUTH.iter().map(|(word, _)| *word).collect()
}

pub fn privacy_words() -> Vec<&'static str> {
    PRIVACY.iter().map(|(word, _)| *word).collect()
}

impl Secrets {
    /// None: a word names no protocol, or privacy comes without authentication.
    pub fn credential(&self, version: SnmpVersion) -> Option<Credential> {
        Some(match version {
            SnmpVersion::V1 => Credential::v1(self.community.as_str()),
            SnmpVersion::V2c => Credential::v2c(self.community.as_str()),
            SnmpVersion::V3 => {
                if self.privacy.is_some() && self.auth.is_none() {
                    return None;
                }
                let auth = self.auth.as_ref();
                let privacy = self.privacy.as_ref();
                Credential::V3 {
                    user: self.user.clone(),
                    auth: auth
                        .map(|(word, key)| Some((named(AUTH, word)?, key.as_str().into())))
                        .map_or(Some(None), |known| known.map(Some))?,
                    privacy: privacy
                        .map(|(word, key)| Some((named(PRIVACY, word)?, key.as_str().into())))
                        .map_or(Some(None), |known| known.map(Some))?,
                    context: self.context.clone(),
                }
            }
        })
    }

    /// Whether both lead to the same place of an agent: of version 3 the context tells, else the
    /// community, by which some agents stand for many devices.
    pub fn same_place(&self, version: SnmpVersion, other: &Self, theirs: SnmpVersion) -> bool {
        match (version == SnmpVersion::V3, theirs == SnmpVersion::V3) {
            (true, true) => self.context == other.context,
            (false, false) => self.community == other.community,
            (true, false) | (false, true) => false,
        }
    }

    pub fn seal(&self, vault: &Vault, id: OltId) -> Result<Vec<u8>, Error> {
        let text = serde_json::to_vec(self).map_err(|error| Error::corrupt(error.to_string()))?;
        Ok(vault.seal(&text, &place(id)))
    }

    /// None: sealed with another key.
    pub fn open(vault: &Vault, id: OltId, sealed: &[u8]) -> Option<Self> {
        serde_json::from_slice(&vault.open(sealed, &place(id)).ok()?).ok()
    }
}

/// Seals every secret anew. One that no key opens stays as it is: it has to be entered again anyway.
pub fn reseal<'a>(
    tx: &'a mut Tx,
    vault: &'a Vault,
) -> Pin<Box<dyn Future<Output = Result<usize, Error>> + Send + 'a>> {
    Box::pin(async move {
        let mut done = 0;
        for (id, sealed) in olts::all_sealed(tx).await? {
            if let Some(secrets) = Secrets::open(vault, id, &sealed) {
                olts::seal(tx, id, secrets.seal(vault, id)?).await?;
                done += 1;
            }
        }
        Ok(done)
    })
}

/// What a secret belongs to: put into another OLT's row it does not open.
fn place(id: OltId) -> String {
    format!("olt/{id}")
}

/// Whom to ask, and as whom.
pub fn target(vault: &Vault, olt: &Olt, sealed: &[u8]) -> Option<Target> {
    let credential = Secrets::open(vault, olt.id, sealed)?.credential(olt.version)?;
    Some(Target::new(olt.address.as_str(), olt.port, credential))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_sealed_for_their_olt_and_never_printed() {
        let vault = Vault::new(&[1; host::KEY]);
        let secrets = Secrets { community: "ñandú\"';--".into(), ..Secrets::default() };
        let sealed = secrets.seal(&vault, OltId(1)).unwrap();
        assert_eq!(Secrets::open(&vault, OltId(1), &sealed), Some(secrets.clone()));
        assert_eq!(Secrets::open(&vault, OltId(2), &sealed), None);
        assert!(!format!("{secrets:?}").contains("and"));
    }

    #[test]
    fn a_version_takes_what_it_needs() {
        let key = |word: &str| Some((word.to_owned(), "12345678".to_owned()));
        let v3 =
            |auth, privacy| Secrets { user: "turno".into(), auth, privacy, ..Secrets::default() };
        let made = |secrets: Secrets| secrets.credential(SnmpVersion::V3).is_some();
        assert!(made(v3(None, None)) && made(v3(key("sha-256"), key("AES"))));
        assert!(!made(v3(key("ROT13"), None)) && !made(v3(None, key("AES"))));
        assert!(!made(v3(key("SHA"), key("DES"))));
        assert!(Secrets::default().credential(SnmpVersion::V1).is_some());
    }
}
