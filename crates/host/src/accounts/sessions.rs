//! Sessions of people who signed in.

use std::net::IpAddr;

use db::{Store, sha256_hex};
use jiff::{SignedDuration, Timestamp};

use super::{AccountError, audit, passwords, random_secret, scope};
use crate::{
    Actor, Identity,
    door::network_of,
    pass::CHANGED,
    store::{
        sessions::{self as rows, ID, NewSession, Session},
        users,
    },
};

pub const SESSION_DAYS: i64 = 14;
/// Where somebody signed in is remembered this long, and so many networks at most.
const KNOWN: SignedDuration = SignedDuration::from_hours(24 * 90);
const KNOWN_NETWORKS: i64 = 20;
/// How much of what a browser calls itself is kept.
const AGENT: usize = 200;

/// What somebody signs in with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller<'a> {
    pub(crate) address: Option<IpAddr>,
    /// What the browser calls itself.
    pub(crate) agent: &'a str,
}

/// Checks a password and opens a session; returns the cookie's secret.
pub(crate) async fn sign_in(
    store: &Store,
    name: &str,
    password: &str,
    caller: Caller<'_>,
    now: Timestamp,
) -> Result<Option<String>, AccountError> {
    let found = users::password_of(&mut store.read().await?, name).await?;
    let known = found.is_some();
    let (id, kept) = match found {
        Some(found) => found,
        None => (0, passwords::nobodys_hash().await?),
    };
    if !passwords::verify(password.to_owned(), kept).await || !known {
        return Ok(None);
    }
    let secret = random_secret();
    let session = NewSession {
        hash: sha256_hex(&secret),
        user: id,
        expires_at: now + SignedDuration::from_hours(24 * SESSION_DAYS),
        address: caller.address.map(|address| address.to_string()),
        agent: caller.agent.chars().filter(|c| !c.is_control()).take(AGENT).collect(),
    };
    let mut decision = store.decide(&scope(), now).await?;
    rows::insert(&mut decision.tx, session, now).await?;
    if let Some(address) = caller.address {
        let network = network_of(address).to_string();
        let bounds = (known_since(now), KNOWN_NETWORKS);
        rows::remember(&mut decision.tx, id, network, bounds, now).await?;
    }
    decision.commit().await?;
    Ok(Some(secret))
}

fn known_since(now: Timestamp) -> Timestamp {
    now.saturating_sub(KNOWN).unwrap_or(Timestamp::MIN)
}

/// Whether somebody of this name signed in from there before.
pub(crate) async fn is_known(
    store: &Store,
    name: &str,
    address: Option<IpAddr>,
    now: Timestamp,
) -> Result<bool, db::Error> {
    let Some(address) = address else { return Ok(false) };
    let network = network_of(address).to_string();
    rows::knows(&mut store.read().await?, name, network, known_since(now)).await
}

pub(crate) async fn sign_out(store: &Store, secret: &str, now: Timestamp) -> Result<(), db::Error> {
    let mut decision = store.decide(&scope(), now).await?;
    rows::end(&mut decision.tx, sha256_hex(secret)).await?;
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
    rows::of(&mut store.read().await?, name, current, now).await
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
    let Some((user, _)) = users::find(tx, &by.name).await? else { return Ok(0) };
    let ended = rows::end_of(tx, user, id).await?;
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
    let mut tx = store.read().await?;
    let Some((id, name)) = rows::owner(&mut tx, hash, now).await? else { return Ok(None) };
    let grants = users::grants_of(&mut tx, id).await?;
    Ok(Some(Actor { name, identity: Identity::User, grants }))
}
