//! Users, sessions and API tokens. Secrets are stored hashed and shown once.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use argon2::{
    Argon2,
    password_hash::{PasswordHasher as _, PasswordVerifier as _, phc::PasswordHash},
};
use jiff::{SignedDuration, Timestamp};
use store::{Decision, Row, Scope, Store, audit::Entry, sha256_hex};

use crate::{Actor, Grant, Identity};

pub const SESSION_DAYS: i64 = 14;
const TOKEN_PREFIX: &str = "turno_";
const FAILURES_ALLOWED: u32 = 5;
const FAILURE_WINDOW: SignedDuration = SignedDuration::from_mins(15);
const PASSWORD_MIN: usize = 8;

#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    #[error("{0}")]
    Refused(String),
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// A person who may sign in.
#[derive(Clone, Debug)]
pub struct User {
    pub id: i64,
    pub name: String,
    pub active: bool,
    pub grants: Vec<Grant>,
    pub created_at: Timestamp,
}

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

fn scope() -> Scope {
    Scope::new("accounts")
}

/// Adds a person, or replaces the password and roles of one.
pub async fn put_user(
    store: &Store,
    by: &Actor,
    name: &str,
    password: &str,
    grants: &[Grant],
    now: Timestamp,
) -> Result<(), AccountError> {
    let refuse = |reason: &str| Err(AccountError::Refused(reason.to_owned()));
    let plain = |c: char| c.is_alphanumeric() || "._-@".contains(c);
    if name.is_empty() || name.chars().count() > 64 || !name.chars().all(plain) {
        return refuse("a name has 1 to 64 letters, digits or . _ - @");
    }
    if password.chars().count() < PASSWORD_MIN {
        return refuse("a password has at least 8 characters");
    }
    if grants.is_empty() {
        return refuse("give at least one role");
    }
    let hash = hash(password.to_owned()).await?;
    let mut decision = store.decide(&scope(), now).await?;
    let sql = "INSERT INTO users (name, password_hash, created_at) VALUES ($1, $2, $3)
               ON CONFLICT (name) DO UPDATE SET password_hash = excluded.password_hash,
               active = TRUE RETURNING id";
    let row = decision
        .tx
        .one(sql, &[name.into(), hash.into(), now.into()])
        .await?;
    let id: i64 = row.get("id")?;
    // A new password ends the sessions opened with the old one.
    decision
        .tx
        .execute("DELETE FROM sessions WHERE user_id = $1", &[id.into()])
        .await?;
    decision
        .tx
        .execute("DELETE FROM user_roles WHERE user_id = $1", &[id.into()])
        .await?;
    for grant in grants {
        let sql = "INSERT INTO user_roles (user_id, app, role) VALUES ($1, $2, $3)";
        let args = [
            id.into(),
            grant.app.as_str().into(),
            grant.role.as_str().into(),
        ];
        decision.tx.execute(sql, &args).await?;
    }
    audit(
        &mut decision,
        by,
        "user.put",
        name,
        serde_json::json!(grants),
    );
    decision.commit().await?;
    Ok(())
}

/// Lets a person in again, or keeps them out and ends their sessions. `false`: no such person.
pub async fn set_user_active(
    store: &Store,
    by: &Actor,
    name: &str,
    active: bool,
    now: Timestamp,
) -> Result<bool, store::Error> {
    let mut decision = store.decide(&scope(), now).await?;
    let sql = "UPDATE users SET active = $2 WHERE name = $1 RETURNING id";
    let Some(row) = decision
        .tx
        .optional(sql, &[name.into(), active.into()])
        .await?
    else {
        return Ok(false);
    };
    let id: i64 = row.get("id")?;
    if !active {
        decision
            .tx
            .execute("DELETE FROM sessions WHERE user_id = $1", &[id.into()])
            .await?;
    }
    audit(
        &mut decision,
        by,
        "user.active",
        name,
        serde_json::json!(active),
    );
    decision.commit().await?;
    Ok(true)
}

pub async fn users(store: &Store) -> Result<Vec<User>, store::Error> {
    let mut tx = store.read().await?;
    let sql = "SELECT id, name, active, created_at FROM users ORDER BY name LIMIT 500";
    let mut users = Vec::new();
    for row in tx.all(sql, &[]).await? {
        let id: i64 = row.get("id")?;
        users.push(User {
            id,
            name: row.get("name")?,
            active: row.get("active")?,
            grants: grants_of(&mut tx, id).await?,
            created_at: row.get("created_at")?,
        });
    }
    Ok(users)
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
    if name.is_empty() || name.chars().count() > 64 || grants.is_empty() {
        let reason = "a token has a name of 1 to 64 characters and at least one role";
        return Err(AccountError::Refused(reason.into()));
    }
    let secret = format!("{TOKEN_PREFIX}{}", random_secret());
    let mut decision = store.decide(&scope(), now).await?;
    let sql = "INSERT INTO tokens (name, prefix, hash, roles, created_at, expires_at)
               VALUES ($1, $2, $3, $4, $5, $6)";
    let args = [
        name.into(),
        (&secret[..TOKEN_PREFIX.len() + 6]).into(),
        sha256_hex(&secret).into(),
        serde_json::json!(grants).into(),
        now.into(),
        expires_at.into(),
    ];
    match decision.tx.execute(sql, &args).await {
        Err(store::Error::Duplicate { .. }) => {
            return Err(AccountError::Refused(format!(
                "a token named {name} exists already"
            )));
        }
        other => other?,
    };
    audit(
        &mut decision,
        by,
        "token.create",
        name,
        serde_json::json!(grants),
    );
    decision.commit().await?;
    Ok(secret)
}

pub async fn tokens(store: &Store) -> Result<Vec<Token>, store::Error> {
    let sql = "SELECT * FROM tokens ORDER BY revoked_at IS NOT NULL, name LIMIT 500";
    store
        .read()
        .await?
        .all(sql, &[])
        .await?
        .iter()
        .map(token)
        .collect()
}

/// Ends a token at once. `false`: no such token, or it had ended.
pub async fn revoke_token(
    store: &Store,
    by: &Actor,
    id: i64,
    now: Timestamp,
) -> Result<bool, store::Error> {
    let mut decision = store.decide(&scope(), now).await?;
    let sql = "UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL
               RETURNING name";
    let Some(row) = decision.tx.optional(sql, &[id.into(), now.into()]).await? else {
        return Ok(false);
    };
    let name: String = row.get("name")?;
    audit(
        &mut decision,
        by,
        "token.revoke",
        &name,
        serde_json::Value::Null,
    );
    decision.commit().await?;
    Ok(true)
}

/// Who holds this token, if it is still good.
pub(crate) async fn actor_of_token(
    store: &Store,
    secret: &str,
    now: Timestamp,
) -> Result<Option<Actor>, store::Error> {
    let sql = "SELECT * FROM tokens WHERE hash = $1 AND revoked_at IS NULL
               AND (expires_at IS NULL OR expires_at > $2)";
    let mut tx = store.read().await?;
    let Some(row) = tx
        .optional(sql, &[sha256_hex(secret).into(), now.into()])
        .await?
    else {
        return Ok(None);
    };
    let token = token(&row)?;
    Ok(Some(Actor {
        name: token.name,
        identity: Identity::Token,
        grants: token.grants,
    }))
}

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
        // The same work for an unknown name, so that time does not tell names.
        None => (0, hash("not a password of anyone".into()).await?),
    };
    if !verify(password.to_owned(), kept).await || row.is_none() {
        return Ok(None);
    }
    let secret = random_secret();
    let expires = now + SignedDuration::from_hours(24 * SESSION_DAYS);
    let mut decision = store.decide(&scope(), now).await?;
    let sql = "DELETE FROM sessions WHERE expires_at <= $1";
    decision.tx.execute(sql, &[now.into()]).await?;
    let sql = "INSERT INTO sessions (hash, user_id, created_at, expires_at)
               VALUES ($1, $2, $3, $4)";
    let args = [
        sha256_hex(&secret).into(),
        id.into(),
        now.into(),
        expires.into(),
    ];
    decision.tx.execute(sql, &args).await?;
    decision.commit().await?;
    Ok(Some(secret))
}

pub(crate) async fn sign_out(
    store: &Store,
    secret: &str,
    now: Timestamp,
) -> Result<(), store::Error> {
    let mut decision = store.decide(&scope(), now).await?;
    let sql = "DELETE FROM sessions WHERE hash = $1";
    decision
        .tx
        .execute(sql, &[sha256_hex(secret).into()])
        .await?;
    decision.commit().await.map(drop)
}

pub(crate) async fn actor_of_session(
    store: &Store,
    secret: &str,
    now: Timestamp,
) -> Result<Option<Actor>, store::Error> {
    let sql = "SELECT users.id, users.name FROM sessions JOIN users ON users.id = sessions.user_id
               WHERE sessions.hash = $1 AND sessions.expires_at > $2 AND users.active = TRUE";
    let mut tx = store.read().await?;
    let Some(row) = tx
        .optional(sql, &[sha256_hex(secret).into(), now.into()])
        .await?
    else {
        return Ok(None);
    };
    let grants = grants_of(&mut tx, row.get("id")?).await?;
    Ok(Some(Actor {
        name: row.get("name")?,
        identity: Identity::User,
        grants,
    }))
}

async fn grants_of(tx: &mut store::Tx, user: i64) -> Result<Vec<Grant>, store::Error> {
    let sql = "SELECT app, role FROM user_roles WHERE user_id = $1 ORDER BY app";
    let rows = tx.all(sql, &[user.into()]).await?;
    rows.iter()
        .map(|row| {
            Ok(Grant {
                app: row.get("app")?,
                role: row.get("role")?,
            })
        })
        .collect()
}

fn token(row: &Row) -> Result<Token, store::Error> {
    let grants = serde_json::from_value(row.get("roles")?)
        .map_err(|error| store::Error::corrupt(format!("roles of a token: {error}")))?;
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

fn audit(
    decision: &mut Decision,
    by: &Actor,
    action: &str,
    subject: &str,
    after: serde_json::Value,
) {
    decision.audit(Entry {
        app: "host",
        actor: by.name.clone(),
        role: by.role_in(crate::EVERY_APP).unwrap_or_default().into(),
        action: action.into(),
        subject: subject.into(),
        before: None,
        after: Some(after),
        reason: None,
    });
}

fn random_secret() -> String {
    store::hex(&rand::random::<[u8; 32]>())
}

/// Hashing takes tens of milliseconds on purpose; it must not hold up the runtime.
async fn hash(password: String) -> Result<String, AccountError> {
    tokio::task::spawn_blocking(move || {
        Argon2::default()
            .hash_password(password.as_bytes())
            .map(|hash| hash.to_string())
    })
    .await
    .ok()
    .and_then(Result::ok)
    .ok_or_else(|| AccountError::Refused("the password could not be hashed".into()))
}

async fn verify(password: String, kept: String) -> bool {
    tokio::task::spawn_blocking(move || {
        PasswordHash::new(&kept).is_ok_and(|hash| {
            Argon2::default()
                .verify_password(password.as_bytes(), &hash)
                .is_ok()
        })
    })
    .await
    .unwrap_or(false)
}

/// Slows guessing down: after five failures a name rests for a quarter of an hour.
#[derive(Debug, Default)]
pub(crate) struct LoginGuard(Mutex<HashMap<String, (u32, Timestamp)>>);

impl LoginGuard {
    pub(crate) fn may_try(&self, name: &str, now: Timestamp) -> bool {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failures.retain(|_, (_, since)| now.duration_since(*since) < FAILURE_WINDOW);
        failures
            .get(name)
            .is_none_or(|(count, _)| *count < FAILURES_ALLOWED)
    }

    pub(crate) fn failed(&self, name: &str, now: Timestamp) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failures.entry(name.to_owned()).or_insert((0, now)).0 += 1;
    }

    pub(crate) fn succeeded(&self, name: &str) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(name);
    }
}
