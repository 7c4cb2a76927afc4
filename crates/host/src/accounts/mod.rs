//! Users, sessions and API tokens. Secrets are stored hashed and shown once.

mod guard;
mod passwords;
mod refusal;
mod sessions;
mod tokens;
mod users;

use db::{Decision, Scope, audit::Entry};

use crate::{Actor, App, EVERY_APP, Grant, pass::CHANGED};

pub use crate::store::{
    sessions::Session,
    tokens::{Token, tokens},
    users::{User, users},
};
pub(crate) use guard::{Counted, LoginGuard};
pub use refusal::{AccountError, Refusal};
pub use sessions::SESSION_DAYS;
pub(crate) use sessions::{
    Caller, actor_of_session, end_own, is_known, sessions_of, sign_in, sign_out,
};
pub(crate) use tokens::actor_of_token;
pub use tokens::{create_token, revoke_token};
pub(crate) use users::PASSWORD;
pub use users::{put_user, set_user_active};

pub(crate) const NAME_MAX: usize = 64;

/// The role that runs the house: users, tokens, every setting.
pub const ADMIN: &str = "ADMIN";

fn scope() -> Scope {
    Scope::new("accounts")
}

/// Whether every grant names a role that exists, each application once.
pub fn check_grants(apps: &[App], grants: &[Grant]) -> Result<(), Refusal> {
    let known = |grant: &Grant| {
        let whole_house = grant.app == EVERY_APP && grant.role == ADMIN;
        let of_app = |app: &App| {
            app.name == grant.app && app.roles.iter().any(|role| role.word == grant.role)
        };
        whole_house || apps.iter().any(of_app)
    };
    match grants.iter().find(|grant| !known(grant)) {
        Some(grant) => Err(Refusal::UnknownRole(grant.clone())),
        None => well_formed(grants),
    }
}

fn well_formed(grants: &[Grant]) -> Result<(), Refusal> {
    if grants.is_empty() {
        return Err(Refusal::NoRole);
    }
    let repeated = |(index, grant): (usize, &Grant)| {
        grants[..index].iter().any(|before| before.app == grant.app)
    };
    if grants.iter().enumerate().any(repeated) {
        return Err(Refusal::RepeatedApp);
    }
    Ok(())
}

fn audit(
    decision: &mut Decision,
    by: &Actor,
    action: &str,
    subject: &str,
    before: Option<serde_json::Value>,
    after: Option<serde_json::Value>,
) {
    decision.audit(Entry {
        app: "host",
        actor: by.name.clone(),
        role: by.role_in(EVERY_APP).unwrap_or_default().into(),
        action: action.into(),
        subject: subject.into(),
        before,
        after,
        reason: None,
    });
    decision.wake(CHANGED);
}

fn random_secret() -> String {
    db::hex(&rand::random::<[u8; 32]>())
}
