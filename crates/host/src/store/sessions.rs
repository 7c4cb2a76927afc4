//! Rows of sessions, and of the networks people signed in from.

use db::Tx;
use jiff::Timestamp;

/// How much of a session's hash names it.
pub(crate) const ID: usize = 16;

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

/// A session that is to be kept.
pub(crate) struct NewSession {
    pub(crate) hash: String,
    pub(crate) user: i64,
    pub(crate) expires_at: Timestamp,
    pub(crate) address: Option<String>,
    pub(crate) agent: String,
}

/// Keeps it, and forgets those that are over.
pub(crate) async fn insert(
    tx: &mut Tx,
    session: NewSession,
    now: Timestamp,
) -> Result<(), db::Error> {
    let sql = "DELETE FROM sessions WHERE expires_at <= $1";
    tx.execute(sql, &[now.into()]).await?;
    let sql = "INSERT INTO sessions (hash, user_id, created_at, expires_at, address, agent)
               VALUES ($1, $2, $3, $4, $5, $6)";
    let NewSession { hash, user, expires_at, address, agent } = session;
    let args =
        [hash.into(), user.into(), now.into(), expires_at.into(), address.into(), agent.into()];
    tx.execute(sql, &args).await.map(drop)
}

/// The sessions of a person that last, newest first; `current` is the hash of the one that asks.
pub(crate) async fn of(
    tx: &mut Tx,
    name: &str,
    current: Option<&str>,
    now: Timestamp,
) -> Result<Vec<Session>, db::Error> {
    let sql = "SELECT sessions.* FROM sessions JOIN users ON users.id = sessions.user_id
               WHERE users.name = $1 AND sessions.expires_at > $2
               ORDER BY sessions.created_at DESC, sessions.hash LIMIT 200";
    let rows = tx.all(sql, &[name.into(), now.into()]).await?;
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

/// The id and name of whose session this is, while it lasts and they may sign in.
pub(crate) async fn owner(
    tx: &mut Tx,
    hash: &str,
    now: Timestamp,
) -> Result<Option<(i64, String)>, db::Error> {
    let sql = "SELECT users.id, users.name FROM sessions JOIN users ON users.id = sessions.user_id
               WHERE sessions.hash = $1 AND sessions.expires_at > $2 AND users.active = TRUE";
    let row = tx.optional(sql, &[hash.into(), now.into()]).await?;
    row.map(|row| Ok((row.get("id")?, row.get("name")?))).transpose()
}

pub(crate) async fn end(tx: &mut Tx, hash: String) -> Result<(), db::Error> {
    let sql = "DELETE FROM sessions WHERE hash = $1";
    tx.execute(sql, &[hash.into()]).await.map(drop)
}

/// Ends the session of a person that has this id, or all of theirs; how many there were.
pub(crate) async fn end_of(tx: &mut Tx, user: i64, id: Option<&str>) -> Result<u64, db::Error> {
    let sql = "DELETE FROM sessions WHERE user_id = $1 AND hash LIKE $2";
    tx.execute(sql, &[user.into(), format!("{}%", id.unwrap_or_default()).into()]).await
}

/// Somebody signed in from this network: it is known from now on, with so many others at most, unless
/// it was last seen `before`.
pub(crate) async fn remember(
    tx: &mut Tx,
    user: i64,
    network: String,
    (before, most): (Timestamp, i64),
    now: Timestamp,
) -> Result<(), db::Error> {
    let sql = "INSERT INTO known_addresses (user_id, address, seen_at) VALUES ($1, $2, $3)
               ON CONFLICT (user_id, address) DO UPDATE SET seen_at = excluded.seen_at";
    tx.execute(sql, &[user.into(), network.into(), now.into()]).await?;
    let sql = "DELETE FROM known_addresses WHERE user_id = $1 AND (seen_at < $2 OR address NOT IN
               (SELECT address FROM known_addresses WHERE user_id = $1
                ORDER BY seen_at DESC, address LIMIT $3))";
    tx.execute(sql, &[user.into(), before.into(), most.into()]).await.map(drop)
}

/// Whether somebody of this name signed in from this network since then.
pub(crate) async fn knows(
    tx: &mut Tx,
    name: &str,
    network: String,
    since: Timestamp,
) -> Result<bool, db::Error> {
    let sql = "SELECT 1 AS one FROM known_addresses JOIN users ON users.id = user_id
               WHERE users.name = $1 AND address = $2 AND seen_at >= $3";
    let row = tx.optional(sql, &[name.into(), network.into(), since.into()]).await?;
    Ok(row.is_some())
}
