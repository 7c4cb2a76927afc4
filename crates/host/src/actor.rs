//! Who acts, and which roles they hold.

use axum::{extract::FromRequestParts, http::request::Parts};
use web::{Lang, Problem};

use crate::Failure;

/// The application name that stands for the whole house.
pub const EVERY_APP: &str = "*";

/// Who acts: a person, a token, the process itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    pub name: String,
    pub identity: Identity,
    pub grants: Vec<Grant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Nobody asked: the server listens on loopback only.
    Open,
    Anonymous,
    User,
    Token,
    System,
}

/// A role in one application.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Grant {
    pub app: String,
    pub role: String,
}

impl Actor {
    pub(crate) fn open() -> Self {
        let grants = vec![Grant { app: EVERY_APP.into(), role: "ADMIN".into() }];
        Self { name: "local".into(), identity: Identity::Open, grants }
    }

    pub(crate) fn anonymous() -> Self {
        Self { name: "anonymous".into(), identity: Identity::Anonymous, grants: Vec::new() }
    }

    /// Turno itself: ticks and drivers.
    pub fn system() -> Self {
        let grants = vec![Grant { app: EVERY_APP.into(), role: "ADMIN".into() }];
        Self { name: "SISTEMA".into(), identity: Identity::System, grants }
    }

    /// The role held in an application; a role for the whole house counts everywhere.
    pub fn role_in(&self, app: &str) -> Option<&str> {
        let grant = |name: &str| self.grants.iter().find(|grant| grant.app == name);
        grant(app).or_else(|| grant(EVERY_APP)).map(|grant| grant.role.as_str())
    }

    /// Whether this actor runs the house: users, tokens, every setting.
    pub fn is_admin(&self) -> bool {
        self.grants.iter().any(|grant| grant.app == EVERY_APP && grant.role == "ADMIN")
    }

    pub fn require_admin(&self, lang: Lang) -> Result<(), Failure> {
        if self.is_admin() { Ok(()) } else { Err(insufficient_role(lang).into()) }
    }
}

/// 403 for someone we know but who may not.
pub(crate) fn insufficient_role(lang: Lang) -> Problem {
    Problem::forbidden("ROL_INSUFICIENTE")
        .lang(lang)
        .detail(lang.t("El rol no permite esta acción.", "Your role does not allow this action."))
}

impl<S: Send + Sync> FromRequestParts<S> for Actor {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        // The door puts an actor on every request; without one the request came past the door.
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_else(Self::anonymous))
    }
}
