//! Tokens by which programs sign in.

use db::{Row, Store, sha256_hex};
use jiff::Timestamp;
use serde_json::json;

use super::{AccountError, NAME_MAX, Refusal, audit, random_secret, scope, well_formed};
use crate::{Actor, Grant, Identity};

const PREFIX: &str = "turno_";

/// A key for programs. The secret itself is not kept.
#[derive(Clone, Debug)]
pub struct Token {
    pub id: i64,
    pub name: String,
    pub prefix: String,
    pub grants: Vec<Grant>,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
}

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
    let sql = "INSERT INTO tokens (name, prefix, hash, roles, created_at, expires_at)
               VALUES ($1, $2, $3, $4, $5, $6)";
    let args = [
        name.into(),
        (&secret[..PREFIX.len() + 6]).into(),
        sha256_hex(&secret).into(),
        json!(grants).into(),
        now.into(),
        expires_at.into(),
    ];
    match decision.tx.execute(sql, &args).await {
        Err(db::Error::Duplicate { .. }) => return Err(Refusal::TokenTaken.into()),
        other => other?,
    };
    let after = json!({ "grants": grants, "expires_at": expires_at });
    audit(&mut decision, by, "token.create", name, None, Some(after));
    decision.commit().await?;
    Ok(secret)
}

/// Live ones first.
pub async fn tokens(store: &Store) -> Result<Vec<Token>, db::Error> {
    let sql = "SELECT * FROM tokens ORDER BY revoked_at IS NOT NULL, name LIMIT 500";
    store.read().await?.all(sql, &[]).await?.iter().map(token).collect()
}

/// Ends a token at once. `false`: no such token, or it had ended.
pub async fn revoke_token(
    store: &Store,
    by: &Actor,
    id: i64,
    now: Timestamp,
) -> Result<bool, db::Error> {
    let mut decision = store.decide(&scope(), now).await?;
    let sql = "UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL
               RETURNING name";
    let Some(row) = decision.tx.optional(sql, &[id.into(), now.into()]).await? else {
        return Ok(false);
    };
    let name: String = row.get("name")?;
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
    let sql = "SELECT * FROM tokens WHERE hash = $1 AND revoked_at IS NULL
               AND (expires_at IS NULL OR expires_at > $2)";
    let mut tx = store.read().await?;
    let Some(row) = tx.optional(sql, &[hash.into(), now.into()]).await? else {
        return Ok(None);
    };
    let token = token(&row)?;
    Ok(Some(Actor { name: token.name, identity: Identity::Token, grants: token.grants }))
}

fn token(row: &Row) -> Result<Token, db::Error> {
    let grants = serde_json::from_value(row.get("roles")?)
        .map_err(|error| db::Error::corrupt(format!("roles of a token: {error}")))?;
    Ok(Token {
        id: row.get("id")?,
        name: row.get("name")?,
        prefix: row.get("prefix")?,
        grants,
        created_at: row.get("created_at")?,
        expires_at: row.maybe("expires_at")?,
        revoked_at: row.maybe("revoked_at")?,
    })
}
