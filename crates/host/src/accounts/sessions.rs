//! Sessions of people who signed in.

use db::{Store, sha256_hex};
use jiff::{SignedDuration, Timestamp};

use super::{AccountError, passwords, random_secret, scope, users::grants_of};
use crate::{Actor, Identity};

pub const SESSION_DAYS: i64 = 14;

/// Checks a password and opens a session; returns the cookie's secret.
pub(crate) async fn sign_in(
    store: &Store,
    name: &str,
    password: &str,
    now: Timestamp,
) -> Result<Option<String>, AccountError> {
    let sql = "SELECT id, password_hash FROM users WHERE name = $1 AND active = TRUE";
    let row = store.read().await?.optional(sql, &[name.into()]).await?;
    let (id, kept) = match &row {
        Some(row) => (row.get::<i64>("id")?, row.get::<String>("password_hash")?),
        None => (0, passwords::nobodys_hash().await?),
    };
    if !passwords::verify(password.to_owned(), kept).await || row.is_none() {
        return Ok(None);
    }
    let secret = random_secret();
    let expires = now + SignedDuration::from_hours(24 * SESSION_DAYS);
    let mut decision = store.decide(&scope(), now).await?;
    let sql = "DELETE FROM sessions WHERE expires_at <= $1";
    decision.tx.execute(sql, &[now.into()]).await?;
    let sql = "INSERT INTO sessions (hash, user_id, created_at, expires_at)
               VALUES ($1, $2, $3, $4)";
    let args = [sha256_hex(&secret).into(), id.into(), now.into(), expires.into()];
    decision.tx.execute(sql, &args).await?;
    decision.commit().await?;
    Ok(Some(secret))
}

pub(crate) async fn sign_out(store: &Store, secret: &str, now: Timestamp) -> Result<(), db::Error> {
    let mut decision = store.decide(&scope(), now).await?;
    let sql = "DELETE FROM sessions WHERE hash = $1";
    decision.tx.execute(sql, &[sha256_hex(secret).into()]).await?;
    decision.commit().await.map(drop)
}

pub(crate) async fn actor_of_session(
    store: &Store,
    secret: &str,
    now: Timestamp,
) -> Result<Option<Actor>, db::Error> {
    let sql = "SELECT users.id, users.name FROM sessions JOIN users ON users.id = sessions.user_id
               WHERE sessions.hash = $1 AND sessions.expires_at > $2 AND users.active = TRUE";
    let mut tx = store.read().await?;
    let Some(row) = tx.optional(sql, &[sha256_hex(secret).into(), now.into()]).await? else {
        return Ok(None);
    };
    let grants = grants_of(&mut tx, row.get("id")?).await?;
    Ok(Some(Actor { name: row.get("name")?, identity: Identity::User, grants }))
}
