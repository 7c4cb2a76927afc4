//! People who may sign in, and their roles.

use db::{Store, Tx};
use jiff::Timestamp;
use serde_json::json;

use super::{AccountError, NAME_MAX, Refusal, audit, passwords::hash, scope, well_formed};
use crate::{
    Actor, Grant,
    store::{sessions, users as rows},
};

pub(crate) const PASSWORD: std::ops::RangeInclusive<usize> = 8..=200;

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
    let admins = rows::admins(tx).await?;
    let id = rows::put(tx, name, hash, now).await?;
    let before = rows::grants_of(tx, id).await?;
    // A new password ends the sessions opened with the old one.
    sessions::end_of(tx, id, None).await?;
    rows::replace_grants(tx, id, grants).await?;
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
    let Some((id, before)) = rows::find(tx, name).await? else { return Ok(false) };
    if before == active {
        return Ok(true);
    }
    let admins = rows::admins(tx).await?;
    rows::set_active(tx, id, active).await?;
    if !active {
        sessions::end_of(tx, id, None).await?;
    }
    keep_an_admin(tx, admins).await?;
    let (before, after) = (Some(json!(before)), Some(json!(active)));
    audit(&mut decision, by, "user.active", name, before, after);
    decision.commit().await?;
    Ok(true)
}

/// A house that had administrators keeps one: otherwise nobody could let people in.
async fn keep_an_admin(tx: &mut Tx, before: i64) -> Result<(), AccountError> {
    if before > 0 && rows::admins(tx).await? == 0 {
        return Err(Refusal::LastAdmin.into());
    }
    Ok(())
}
