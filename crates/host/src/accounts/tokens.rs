//! Tokens by which programs sign in.

use db::{Store, sha256_hex};
use jiff::Timestamp;
use serde_json::json;

use super::{AccountError, NAME_MAX, Refusal, audit, random_secret, scope, well_formed};
use crate::{
    Actor, Grant, Identity,
    store::tokens::{self, NewToken},
};

const PREFIX: &str = "turno_";

/// Makes a token and returns its secret, the only time it can be seen.
pub async fn create_token(
    store: &Store,
    by: &Actor,
    name: &str,
    grants: &[Grant],
    expires_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<String, AccountError> {
    let length = name.chars().count();
    if length == 0 || length > NAME_MAX || name.chars().any(char::is_control) {
        return Err(Refusal::TokenName.into());
    }
    well_formed(grants)?;
    if expires_at.is_some_and(|at| at <= now) {
        return Err(Refusal::Expired.into());
    }
    let secret = format!("{PREFIX}{}", random_secret());
    let mut decision = store.decide(&scope(), now).await?;
    let (prefix, hash) = (&secret[..PREFIX.len() + 6], sha256_hex(&secret));
    let token = NewToken { name, prefix, hash, grants, expires_at };
    match tokens::insert(&mut decision.tx, token, now).await {
        Err(db::Error::Duplicate { .. }) => return Err(Refusal::TokenTaken.into()),
        other => other?,
    }
    let after = json!({ "grants": grants, "expires_at": expires_at });
    audit(&mut decision, by, "token.create", name, None, Some(after));
    decision.commit().await?;
    Ok(secret)
}

/// Ends a token at once. `false`: no such token, or it had ended.
pub async fn revoke_token(
    store: &Store,
    by: &Actor,
    id: i64,
    now: Timestamp,
) -> Result<bool, db::Error> {
    let mut decision = store.decide(&scope(), now).await?;
    let Some(name) = tokens::revoke(&mut decision.tx, id, now).await? else {
        return Ok(false);
    };
    audit(&mut decision, by, "token.revoke", &name, None, None);
    decision.commit().await?;
    Ok(true)
}

/// Who holds this token, if it is still good.
pub(crate) async fn actor_of_token(
    store: &Store,
    hash: &str,
    now: Timestamp,
) -> Result<Option<Actor>, db::Error> {
    let token = tokens::good(&mut store.read().await?, hash, now).await?;
    let actor = |token: tokens::Token| Actor {
        name: token.name,
        identity: Identity::Token,
        grants: token.grants,
    };
    Ok(token.map(actor))
}
