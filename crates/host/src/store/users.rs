//! Rows of people who may sign in, and of their roles.

use db::{Store, Tx};
use jiff::Timestamp;

use crate::{EVERY_APP, Grant, accounts::ADMIN};

/// A person who may sign in.
#[derive(Clone, Debug)]
pub struct User {
    pub id: i64,
    pub name: String,
    pub active: bool,
    pub grants: Vec<Grant>,
    pub created_at: Timestamp,
}

/// Adds a person, or lets one of that name in again with this password; their id.
pub(crate) async fn put(
    tx: &mut Tx,
    name: &str,
    password_hash: String,
    now: Timestamp,
) -> Result<i64, db::Error> {
    let sql = "INSERT INTO users (name, password_hash, created_at) VALUES ($1, $2, $3)
               ON CONFLICT (name) DO UPDATE SET password_hash = excluded.password_hash,
               active = TRUE RETURNING id";
    tx.one(sql, &[name.into(), password_hash.into(), now.into()]).await?.get("id")
}

/// The id of whoever has this name, and whether they may sign in.
pub(crate) async fn find(tx: &mut Tx, name: &str) -> Result<Option<(i64, bool)>, db::Error> {
    let sql = "SELECT id, active FROM users WHERE name = $1";
    let row = tx.optional(sql, &[name.into()]).await?;
    row.map(|row| Ok((row.get("id")?, row.get("active")?))).transpose()
}

/// The id and the password's hash of whoever may sign in by this name.
pub(crate) async fn password_of(
    tx: &mut Tx,
    name: &str,
) -> Result<Option<(i64, String)>, db::Error> {
    let sql = "SELECT id, password_hash FROM users WHERE name = $1 AND active = TRUE";
    let row = tx.optional(sql, &[name.into()]).await?;
    row.map(|row| Ok((row.get("id")?, row.get("password_hash")?))).transpose()
}

pub(crate) async fn set_active(tx: &mut Tx, id: i64, active: bool) -> Result<(), db::Error> {
    let sql = "UPDATE users SET active = $2 WHERE id = $1";
    tx.execute(sql, &[id.into(), active.into()]).await.map(drop)
}

/// By name.
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

pub(crate) async fn grants_of(tx: &mut Tx, user: i64) -> Result<Vec<Grant>, db::Error> {
    let sql = "SELECT app, role FROM user_roles WHERE user_id = $1 ORDER BY app";
    let rows = tx.all(sql, &[user.into()]).await?;
    rows.iter().map(|row| Ok(Grant { app: row.get("app")?, role: row.get("role")? })).collect()
}

pub(crate) async fn replace_grants(
    tx: &mut Tx,
    user: i64,
    grants: &[Grant],
) -> Result<(), db::Error> {
    let sql = "DELETE FROM user_roles WHERE user_id = $1";
    tx.execute(sql, &[user.into()]).await?;
    for grant in grants {
        let sql = "INSERT INTO user_roles (user_id, app, role) VALUES ($1, $2, $3)";
        let args = [user.into(), grant.app.as_str().into(), grant.role.as_str().into()];
        tx.execute(sql, &args).await?;
    }
    Ok(())
}

/// How many people may run the house.
pub(crate) async fn admins(tx: &mut Tx) -> Result<i64, db::Error> {
    let sql = "SELECT COUNT(*) AS admins FROM users
               JOIN user_roles ON user_roles.user_id = users.id
               WHERE users.active = TRUE AND user_roles.app = $1 AND user_roles.role = $2";
    tx.one(sql, &[EVERY_APP.into(), ADMIN.into()]).await?.get("admins")
}
