//! `pedidos:CAJERO` as a grant, checked against the roles that exist.

use host::{App, EVERY_APP, Grant, accounts::ADMIN};
use terminal::Exit;

use crate::config::nearest;

/// `ADMIN` alone is the whole house; everything else names its application.
pub(crate) fn grants(apps: &[App], words: &[String]) -> Result<Vec<Grant>, Exit> {
    words.iter().map(|word| grant(apps, word)).collect()
}

/// How a grant is written on the command line.
pub(crate) fn word(grant: &Grant) -> String {
    match grant.app.as_str() {
        EVERY_APP => grant.role.clone(),
        app => format!("{app}:{}", grant.role),
    }
}

fn grant(apps: &[App], word: &str) -> Result<Grant, Exit> {
    let of_app = |app: &App| {
        let name = app.name;
        app.roles.iter().map(move |role| Grant { app: name.into(), role: role.word.into() })
    };
    let house = Grant { app: EVERY_APP.into(), role: ADMIN.into() };
    let known: Vec<Grant> = std::iter::once(house).chain(apps.iter().flat_map(of_app)).collect();
    if let Some(grant) = known.iter().find(|grant| self::word(grant) == word) {
        return Ok(grant.clone());
    }
    let words: Vec<String> = known.iter().map(self::word).collect();
    let same_role = known.iter().find(|grant| grant.role.eq_ignore_ascii_case(word));
    let rather =
        same_role.map(self::word).or_else(|| nearest(word, words.iter().map(String::as_str)));
    let hint = match rather {
        Some(rather) => format!("did you mean {rather}?"),
        None => format!("there is {}", words.join(", ")),
    };
    Err(Exit::usage(format!("there is no role {word}")).hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps;

    #[test]
    fn roles_are_recognised_and_slips_are_named() {
        let apps = apps::all();
        for known in ["ADMIN", "pedidos:CAJERO", "pedidos:COCINA"] {
            assert_eq!(grant(&apps, known).map(|grant| word(&grant)), Ok(known.to_owned()));
        }
        for (slip, hint) in [
            ("pedidos:CAJER", "did you mean pedidos:CAJERO?"),
            ("cajero", "did you mean pedidos:CAJERO?"),
            ("pedido:COCINA", "did you mean pedidos:COCINA?"),
            ("admin", "did you mean ADMIN?"),
        ] {
            let expected = Exit::usage(format!("there is no role {slip}")).hint(hint);
            assert_eq!(grant(&apps, slip), Err(expected));
        }
    }
}
