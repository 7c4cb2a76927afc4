//! People who may sign in, and their roles.

use db::{Store, Tx};
use jiff::Timestamp;
use serde_json::json;

use super::{ADMIN, AccountError, NAME_MAX, Refusal, audit, passwords::hash, scope, well_formed};
use crate::{Actor, EVERY_APP, Grant};

pub(crate) const PASSWORD: std::ops::RangeInclusive<usize> = 8..=200;

/// A person who may sign in.
#[derive(Clone, Debug)]
pub struct User {
    pub id: i64,
    pub name: String,
    pub active: bool,
    pub grants: Vec<Grant>,
    pub created_at: Timestamp,
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
    let plain = |c: char| c.is_alphanumeric() || "._-@".contains(c);
    if name.is_empty() || name.chars().count() > NAME_MAX || !name.chars().all(plain) {
        return Err(Refusal::UserName.into());
    }
    if !PASSWORD.contains(&password.chars().count()) {
        return Err(Refusal::Password.into());
    }
    well_formed(grants)?;
    let hash = hash(password.to_owned()).await?;
    let mut decision = store.decide(&scope(), now).await?;
    let tx = &mut decision.tx;
    let admins = admins(tx).await?;
    let sql = "INSERT INTO users (name, password_hash, created_at) VALUES ($1, $2, $3)
               ON CONFLICT (name) DO UPDATE SET password_hash = excluded.password_hash,
               active = TRUE RETURNING id";
    let row = tx.one(sql, &[name.into(), hash.into(), now.into()]).await?;
    let id: i64 = row.get("id")?;
    let before = grants_of(tx, id).await?;
    // A new password ends the sessions opened with the old one.
    end_sessions(tx, id).await?;
    replace_grants(tx, id, grants).await?;
    keep_an_admin(tx, admins).await?;
    let before = (!before.is_empty()).then(|| json!(before));
    audit(&mut decision, by, "user.put", name, before, Some(json!(grants)));
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
) -> Result<bool, AccountError> {
    // PostgreSQL takes no NUL in text, and no name holds one.
    if name.contains('\0') {
        return Ok(false);
    }
    let mut decision = store.decide(&scope(), now).await?;
    let tx = &mut decision.tx;
    let sql = "SELECT id, active FROM users WHERE name = $1";
    let Some(row) = tx.optional(sql, &[name.into()]).await? else {
        return Ok(false);
    };
    let (id, before): (i64, bool) = (row.get("id")?, row.get("active")?);
    if before == active {
        return Ok(true);
    }
    let admins = admins(tx).await?;
    let sql = "UPDATE users SET active = $2 WHERE id = $1";
    tx.execute(sql, &[id.into(), active.into()]).await?;
    if !active {
        end_sessions(tx, id).await?;
    }
    keep_an_admin(tx, admins).await?;
    let (before, after) = (Some(json!(before)), Some(json!(active)));
    audit(&mut decision, by, "user.active", name, before, after);
    decision.commit().await?;
    Ok(true)
}

pub async fn users(store: &Store) -> Result<Vec<User>, db::Error> {
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

pub(super) async fn grants_of(tx: &mut Tx, user: i64) -> Result<Vec<Grant>, db::Error> {
    let sql = "SELECT app, role FROM user_roles WHERE user_id = $1 ORDER BY app";
    let rows = tx.all(sql, &[user.into()]).await?;
    rows.iter().map(|row| Ok(Grant { app: row.get("app")?, role: row.get("role")? })).collect()
}

async fn replace_grants(tx: &mut Tx, user: i64, grants: &[Grant]) -> Result<(), db::Error> {
    let sql = "DELETE FROM user_roles WHERE user_id = $1";
    tx.execute(sql, &[user.into()]).await?;
    for grant in grants {
        let sql = "INSERT INTO user_roles (user_id, app, role) VALUES ($1, $2, $3)";
        let args = [user.into(), grant.app.as_str().into(), grant.role.as_str().into()];
        tx.execute(sql, &args).await?;
    }
    Ok(())
}

pub(super) async fn end_sessions(tx: &mut Tx, user: i64) -> Result<u64, db::Error> {
    let sql = "DELETE FROM sessions WHERE user_id = $1";
    tx.execute(sql, &[user.into()]).await
}

async fn admins(tx: &mut Tx) -> Result<i64, db::Error> {
    let sql = "SELECT COUNT(*) AS admins FROM users
               JOIN user_roles ON user_roles.user_id = users.id
               WHERE users.active = TRUE AND user_roles.app = $1 AND user_roles.role = $2";
    tx.one(sql, &[EVERY_APP.into(), ADMIN.into()]).await?.get("admins")
}

/// A house that had administrators keeps one: otherwise nobody could let people in.
async fn keep_an_admin(tx: &mut Tx, before: i64) -> Result<(), AccountError> {
    if before > 0 && admins(tx).await? == 0 {
        return Err(Refusal::LastAdmin.into());
    }
    Ok(())
}
