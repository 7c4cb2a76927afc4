//! Checks the signature of a JWT with `ring`, the cryptography that the binary carries anyway.

use jsonwebtoken::{
    Algorithm, DecodingKey,
    crypto::{CryptoProvider, JwtVerifier, KeyUtils},
    errors::{Error, ErrorKind},
    signature::{self, Verifier},
};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey, VerificationAlgorithm,
};

/// Tells `jsonwebtoken` how signatures are checked. Nothing is signed here.
static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(ErrorKind::InvalidAlgorithm.into()),
    verifier_factory: |algorithm, key| Ok(Box::new(Checked::new(*algorithm, key)?)),
    key_utils: KeyUtils::new_unimplemented(),
};

/// May be called any number of times.
pub(super) fn install() {
    let _ = PROVIDER.install_default();
}

struct Checked {
    algorithm: Algorithm,
    key: UnparsedPublicKey<Vec<u8>>,
}

impl Checked {
    fn new(algorithm: Algorithm, key: &DecodingKey) -> Result<Self, Error> {
        let means: &'static dyn VerificationAlgorithm = match algorithm {
            Algorithm::RS256 => &RSA_PKCS1_2048_8192_SHA256,
            Algorithm::ES256 => &ECDSA_P256_SHA256_FIXED,
            _ => return Err(ErrorKind::InvalidAlgorithm.into()),
        };
        if key.family() != algorithm.family() {
            return Err(ErrorKind::InvalidKeyFormat.into());
        }
        let key = UnparsedPublicKey::new(means, key.try_get_as_bytes()?.to_vec());
        Ok(Self { algorithm, key })
    }
}

impl Verifier<Vec<u8>> for Checked {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        self.key.verify(message, signature).map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Checked {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
