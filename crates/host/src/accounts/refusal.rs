//! Why an account could not be changed.

use std::fmt;

use terminal::{Code, Exit};
use web::Lang;

use crate::Grant;

#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    #[error("{0}")]
    Refused(#[from] Refusal),
    #[error("the password could not be hashed")]
    Hashing,
    #[error(transparent)]
    Store(#[from] db::Error),
}

/// Why an account was not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    UserName,
    Password,
    TokenName,
    NoRole,
    RepeatedApp,
    UnknownRole(Grant),
    /// A token ends in the future or not at all.
    Expired,
    TokenTaken,
    /// Someone must be able to let people in.
    LastAdmin,
}

impl Refusal {
    pub fn code(&self) -> &'static str {
        match self {
            Self::UserName | Self::TokenName => "NOMBRE_INVALIDO",
            Self::Password => "CONTRASENA_INVALIDA",
            Self::NoRole | Self::RepeatedApp | Self::UnknownRole(_) => "ROLES_INVALIDOS",
            Self::Expired => "VENCIMIENTO_INVALIDO",
            Self::TokenTaken => "NOMBRE_EN_USO",
            Self::LastAdmin => "ULTIMO_ADMIN",
        }
    }

    /// The field of the request that is at fault, if one is.
    pub fn field(&self) -> Option<&'static str> {
        match self {
            Self::UserName | Self::TokenName | Self::TokenTaken => Some("name"),
            Self::Password => Some("password"),
            Self::NoRole | Self::RepeatedApp | Self::UnknownRole(_) => Some("grants"),
            Self::Expired => Some("expires_at"),
            Self::LastAdmin => None,
        }
    }

    pub fn text(&self, lang: Lang) -> String {
        let text = match self {
            Self::UserName => lang.t(
                "El nombre lleva de 1 a 64 letras, dígitos o . _ - @",
                "A name has 1 to 64 letters, digits or . _ - @",
            ),
            Self::Password => lang.t(
                "La contraseña lleva de 8 a 200 caracteres.",
                "A password has 8 to 200 characters.",
            ),
            Self::TokenName => lang.t(
                "El nombre del token lleva de 1 a 64 caracteres.",
                "The name of a token has 1 to 64 characters.",
            ),
            Self::NoRole => lang.t("Hay que dar al menos un rol.", "Give at least one role."),
            Self::RepeatedApp => {
                lang.t("Cada aplicación lleva un solo rol.", "Each application takes one role.")
            }
            Self::UnknownRole(grant) => {
                let text = lang.t("No existe ese rol", "There is no such role");
                return format!("{text}: {} / {}", grant.app, grant.role);
            }
            Self::Expired => {
                lang.t("El vencimiento tiene que ser futuro.", "The expiry must lie in the future.")
            }
            Self::TokenTaken => {
                lang.t("Ya hay un token con ese nombre.", "A token of that name exists already.")
            }
            Self::LastAdmin => lang.t(
                "Tiene que quedar al menos un administrador activo.",
                "At least one active administrator must remain.",
            ),
        };
        text.to_owned()
    }
}

/// For the command line and the log.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Lang::En))
    }
}

/// How a command ends that was refused.
impl From<AccountError> for Exit {
    fn from(error: AccountError) -> Self {
        let (code, message) = match error {
            AccountError::Store(error) => return error.into(),
            AccountError::Hashing => (Code::Failed, error.to_string()),
            AccountError::Refused(refusal) => match refusal {
                Refusal::TokenTaken | Refusal::LastAdmin => (Code::Conflict, refusal.to_string()),
                _ => (Code::Usage, refusal.to_string()),
            },
        };
        Self::new(code, message)
    }
}
