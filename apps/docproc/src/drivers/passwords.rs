//! Passwords of documents: needed until their pages are read, and sealed in the database until then.

use std::pin::Pin;

use db::{Error, Tx, settings::Sealer};
use host::Vault;

use crate::store::requests;

/// Files of an archive share the password of the archive.
const PLACE: &str = "docproc/password";
/// What stands before one that is sealed: older versions wrote them down openly.
const MARK: &str = "sealed:";

pub fn sealed(vault: &Vault, password: &str) -> String {
    format!("{MARK}{}", Sealer::seal(vault, password, PLACE))
}

/// As it was given. One that was never sealed is itself.
pub fn opened(vault: Option<&Vault>, kept: &str) -> String {
    vault.and_then(|vault| open(vault, kept)).unwrap_or_else(|| kept.to_owned())
}

/// None: sealed with another key.
fn open(vault: &Vault, kept: &str) -> Option<String> {
    match kept.strip_prefix(MARK) {
        Some(text) => Sealer::open(vault, text, PLACE),
        None => Some(kept.to_owned()),
    }
}

/// Seals every one anew, also those that were not. One that no key opens stays as it is.
pub fn reseal<'a>(
    tx: &'a mut Tx,
    vault: &'a Vault,
) -> Pin<Box<dyn Future<Output = Result<usize, Error>> + Send + 'a>> {
    Box::pin(async move {
        let mut done = 0;
        for (request, n, kept) in requests::passwords(tx).await? {
            if let Some(password) = open(vault, &kept) {
                requests::set_password(tx, &request, n, &sealed(vault, &password)).await?;
                done += 1;
            }
        }
        Ok(done)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_opens_with_its_key_and_one_that_lay_open_is_itself() {
        let vault = Vault::ephemeral();
        let kept = sealed(&vault, "clave");
        assert!(!kept.contains("clave"));
        assert_eq!(opened(Some(&vault), &kept), "clave");
        assert_eq!(opened(Some(&vault), "clave"), "clave");
        assert_eq!(opened(None, "sealed:"), "sealed:");
        assert_ne!(opened(Some(&Vault::ephemeral()), &kept), "clave");
    }
}
