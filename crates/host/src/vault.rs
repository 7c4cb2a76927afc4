//! Secrets that must be used again and so cannot be hashed: sealed in the database, readable only
//! with a key that is not in it.

use std::{fmt, sync::Arc};

use ring::{
    aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    hmac,
};

/// Bytes of the key.
pub const KEY: usize = 32;

/// Seals and opens with one key, and signs with another that follows from it; cheap to clone.
#[derive(Clone)]
pub struct Vault(Arc<Keys>);

struct Keys {
    sealing: LessSafeKey,
    signing: hmac::Key,
    /// A key that some things may still be sealed with.
    other: Option<Vault>,
}

/// What was sealed with another key, for something else, or was changed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a sealed secret cannot be opened: it was sealed with another key, or changed")]
pub struct Foreign;

impl Vault {
    pub fn new(key: &[u8; KEY]) -> Self {
        let own = hmac::Key::new(hmac::HMAC_SHA256, key);
        let signing = hmac::sign(&own, b"turno: signatures");
        let key = UnboundKey::new(&AES_256_GCM, key).expect("the key has the length of the cipher");
        Self(Arc::new(Keys {
            sealing: LessSafeKey::new(key),
            signing: hmac::Key::new(hmac::HMAC_SHA256, signing.as_ref()),
            other: None,
        }))
    }

    /// Seals with the one key and opens what was sealed with either.
    #[must_use]
    pub fn opening_also(key: &[u8; KEY], other: Self) -> Self {
        let Keys { sealing, signing, .. } = Arc::into_inner(Self::new(key).0).expect("just made");
        Self(Arc::new(Keys { sealing, signing, other: Some(other) }))
    }

    /// A signature that only this house can make: HMAC-SHA256, in hexadecimal.
    pub fn sign(&self, text: &str) -> String {
        db::hex(hmac::sign(&self.0.signing, text.as_bytes()).as_ref())
    }

    /// Whether this house signed this text. Takes as long for a near miss as for any other.
    pub fn signed(&self, text: &str, signature: &str) -> bool {
        let digit = |n: usize| u8::from_str_radix(signature.get(n..n + 2)?, 16).ok();
        let tag: Option<Vec<u8>> = (0..signature.len()).step_by(2).map(digit).collect();
        tag.is_some_and(|tag| hmac::verify(&self.0.signing, text.as_bytes(), &tag).is_ok())
    }

    /// A key of its own that nobody keeps: what it sealed is lost with it.
    pub fn ephemeral() -> Self {
        Self::new(&rand::random())
    }

    /// `of` names what the secret belongs to: it opens there and nowhere else.
    pub fn seal(&self, secret: &[u8], of: &str) -> Vec<u8> {
        // Drawn anew each time: far fewer than 2³² secrets are ever sealed with one key.
        let nonce: [u8; NONCE_LEN] = rand::random();
        let mut text = secret.to_vec();
        self.0
            .sealing
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(of.as_bytes()),
                &mut text,
            )
            .expect("a secret is far shorter than the cipher allows");
        [nonce.as_slice(), &text].concat()
    }

    pub fn open(&self, sealed: &[u8], of: &str) -> Result<Vec<u8>, Foreign> {
        let (nonce, text) = sealed.split_at_checked(NONCE_LEN).ok_or(Foreign)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| Foreign)?;
        let mut text = text.to_vec();
        let opened = self.0.sealing.open_in_place(nonce, Aad::from(of.as_bytes()), &mut text);
        match (opened, &self.0.other) {
            (Ok(opened), _) => Ok(opened.to_vec()),
            (Err(_), Some(other)) => other.open(sealed, of),
            (Err(_), None) => Err(Foreign),
        }
    }
}

/// Text sealed as text: hexadecimal.
impl db::settings::Sealer for Vault {
    fn seal(&self, secret: &str, of: &str) -> String {
        db::hex(&Self::seal(self, secret.as_bytes(), of))
    }

    fn open(&self, sealed: &str, of: &str) -> Option<String> {
        let digit = |n: usize| u8::from_str_radix(sealed.get(n..n + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..sealed.len()).step_by(2).map(digit).collect();
        String::from_utf8(Self::open(self, &bytes?, of).ok()?).ok()
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Vault(••••••)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_opens_with_its_key_in_its_place_and_unchanged() {
        let vault = Vault::new(&[7; KEY]);
        let sealed = vault.seal(b"public", "olt/1");
        assert_eq!(vault.open(&sealed, "olt/1").unwrap(), b"public");
        assert_ne!(sealed, vault.seal(b"public", "olt/1"), "two seals differ");
        assert!(!sealed.windows(6).any(|part| part == b"public"));
        assert_eq!(vault.open(&sealed, "olt/2"), Err(Foreign));
        assert_eq!(Vault::new(&[8; KEY]).open(&sealed, "olt/1"), Err(Foreign));
        for place in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[place] ^= 1;
            assert_eq!(vault.open(&changed, "olt/1"), Err(Foreign));
            assert_eq!(vault.open(&sealed[..place], "olt/1"), Err(Foreign));
        }
        assert_eq!(format!("{vault:?}"), "Vault(••••••)");
    }

    #[test]
    fn a_signature_is_good_for_its_text_and_its_house() {
        let vault = Vault::new(&[7; KEY]);
        let signature = vault.sign("one");
        assert!(vault.signed("one", &signature));
        assert!(!vault.signed("two", &signature));
        assert!(!Vault::new(&[8; KEY]).signed("one", &signature));
        for bad in ["", "0", "zz", "é", &signature[1..], &signature[2..]] {
            assert!(!vault.signed("one", bad), "{bad:?}");
        }
    }
}
