//! Sessions of people who signed in.

use std::net::IpAddr;

use db::{Store, Tx, sha256_hex};
use jiff::{SignedDuration, Timestamp};

use super::{AccountError, audit, passwords, random_secret, scope, users, users::grants_of};
use crate::{Actor, Identity, door::network_of, pass::CHANGED};

pub const SESSION_DAYS: i64 = 14;
/// Where somebody signed in is remembered this long, and so many places at most.
const KNOWN: SignedDuration = SignedDuration::from_hours(24 * 90);
const KNOWN_PLACES: i64 = 20;
/// How much of what a browser calls itself is kept.
const AGENT: usize = 200;
/// How much of a session's hash names it.
const ID: usize = 16;

/// Where somebody signs in from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) address: Option<IpAddr>,
    /// What the browser calls itself.
    pub(crate) agent: &'a str,
}

/// A session, as its owner sees it.
#[derive(Clone, Debug)]
pub struct Session {
    pub id: String,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub address: Option<String>,
    pub agent: String,
    /// Whether it is the one that asks.
    pub current: bool,
}

/// Checks a password and opens a session; returns the cookie's secret.
pub(crate) async fn sign_in(
    store: &Store,
    name: &str,
    password: &str,
    place: Place<'_>,
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
    let tx = &mut decision.tx;
    let sql = "DELETE FROM sessions WHERE expires_at <= $1";
    tx.execute(sql, &[now.into()]).await?;
    let agent: String = place.agent.chars().filter(|c| !c.is_control()).take(AGENT).collect();
    let sql = "INSERT INTO sessions (hash, user_id, created_at, expires_at, address, agent)
               VALUES ($1, $2, $3, $4, $5, $6)";
    let address = place.address.map(|address| address.to_string());
    let args = [
        sha256_hex(&secret).into(),
        id.into(),
        now.into(),
        expires.into(),
        address.into(),
        agent.into(),
    ];
    tx.execute(sql, &args).await?;
    remember(tx, id, place.address, now).await?;
    decision.commit().await?;
    Ok(Some(secret))
}

async fn remember(
    tx: &mut Tx,
    user: i64,
    address: Option<IpAddr>,
    now: Timestamp,
) -> Result<(), db::Error> {
    let Some(address) = address else { return Ok(()) };
    let sql = "INSERT INTO known_addresses (user_id, address, seen_at) VALUES ($1, $2, $3)
               ON CONFLICT (user_id, address) DO UPDATE SET seen_at = excluded.seen_at";
    let address = network_of(address).to_string();
    tx.execute(sql, &[user.into(), address.into(), now.into()]).await?;
    let sql = "DELETE FROM known_addresses WHERE user_id = $1 AND (seen_at < $2 OR address NOT IN
               (SELECT address FROM known_addresses WHERE user_id = $1
                ORDER BY seen_at DESC, address LIMIT $3))";
    let before = now.saturating_sub(KNOWN).unwrap_or(Timestamp::MIN);
    tx.execute(sql, &[user.into(), before.into(), KNOWN_PLACES.into()]).await.map(drop)
}

/// Whether somebody of this name signed in from there before.
pub(crate) async fn is_known(
    store: &Store,
    name: &str,
    address: Option<IpAddr>,
    now: Timestamp,
) -> Result<bool, db::Error> {
    let Some(address) = address else { return Ok(false) };
    let sql = "SELECT 1 AS one FROM known_addresses JOIN users ON users.id = user_id
               WHERE users.name = $1 AND address = $2 AND seen_at >= $3";
    let since = now.saturating_sub(KNOWN).unwrap_or(Timestamp::MIN);
    let args = [name.into(), network_of(address).to_string().into(), since.into()];
    Ok(store.read().await?.optional(sql, &args).await?.is_some())
}

pub(crate) async fn sign_out(store: &Store, secret: &str, now: Timestamp) -> Result<(), db::Error> {
    let mut decision = store.decide(&scope(), now).await?;
    let sql = "DELETE FROM sessions WHERE hash = $1";
    decision.tx.execute(sql, &[sha256_hex(secret).into()]).await?;
    decision.wake(CHANGED);
    decision.commit().await.map(drop)
}

/// The sessions of a person, newest first; `current` is the hash of the one that asks.
pub(crate) async fn sessions_of(
    store: &Store,
    name: &str,
    current: Option<&str>,
    now: Timestamp,
) -> Result<Vec<Session>, db::Error> {
    let sql = "SELECT sessions.* FROM sessions JOIN users ON users.id = sessions.user_id
               WHERE users.name = $1 AND sessions.expires_at > $2
               ORDER BY sessions.created_at DESC, sessions.hash LIMIT 200";
    let rows = store.read().await?.all(sql, &[name.into(), now.into()]).await?;
    let session = |row: &db::Row| {
        let hash: String = row.get("hash")?;
        Ok(Session {
            id: hash.chars().take(ID).collect(),
            created_at: row.get("created_at")?,
            expires_at: row.get("expires_at")?,
            address: row.maybe("address")?,
            agent: row.get("agent")?,
            current: current == Some(hash.as_str()),
        })
    };
    rows.iter().map(session).collect()
}

/// Ends one session of a person, or all of them; how many there were.
pub(crate) async fn end_own(
    store: &Store,
    by: &Actor,
    id: Option<&str>,
    now: Timestamp,
) -> Result<u64, db::Error> {
    if id.is_some_and(|id| id.len() != ID || !id.bytes().all(|c| c.is_ascii_hexdigit())) {
        return Ok(0);
    }
    let mut decision = store.decide(&scope(), now).await?;
    let tx = &mut decision.tx;
    let sql = "SELECT id FROM users WHERE name = $1";
    let Some(row) = tx.optional(sql, &[by.name.as_str().into()]).await? else { return Ok(0) };
    let user: i64 = row.get("id")?;
    let ended = match id {
        None => users::end_sessions(tx, user).await?,
        Some(id) => {
            let sql = "DELETE FROM sessions WHERE user_id = $1 AND hash LIKE $2";
            tx.execute(sql, &[user.into(), format!("{id}%").into()]).await?
        }
    };
    if ended == 0 {
        return Ok(0);
    }
    audit(&mut decision, by, "session.end", &by.name, None, Some(ended.into()));
    decision.commit().await?;
    Ok(ended)
}

pub(crate) async fn actor_of_session(
    store: &Store,
    hash: &str,
    now: Timestamp,
) -> Result<Option<Actor>, db::Error> {
    let sql = "SELECT users.id, users.name FROM sessions JOIN users ON users.id = sessions.user_id
               WHERE sessions.hash = $1 AND sessions.expires_at > $2 AND users.active = TRUE";
    let mut tx = store.read().await?;
    let Some(row) = tx.optional(sql, &[hash.into(), now.into()]).await? else {
        return Ok(None);
    };
    let grants = grants_of(&mut tx, row.get("id")?).await?;
    Ok(Some(Actor { name: row.get("name")?, identity: Identity::User, grants }))
}
