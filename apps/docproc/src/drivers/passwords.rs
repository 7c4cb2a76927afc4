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
    let sealed = vault.zip(kept.strip_prefix(MARK));
    let opened = sealed.and_then(|(vault, text)| Sealer::open(vault, text, PLACE));
    opened.unwrap_or_else(|| kept.to_owned())
}

/// Seals every one anew, also those that were not.
pub fn reseal<'a>(
    tx: &'a mut Tx,
    vault: &'a Vault,
) -> Pin<Box<dyn Future<Output = Result<usize, Error>> + Send + 'a>> {
    Box::pin(async move {
        let all = requests::passwords(tx).await?;
        for (request, n, kept) in &all {
            let anew = sealed(vault, &opened(Some(vault), kept));
            requests::set_password(tx, request, *n, &anew).await?;
        }
        Ok(all.len())
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
