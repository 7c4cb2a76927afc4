//! Rows of the tokens by which programs sign in.

use db::{Row, Store, Tx};
use jiff::Timestamp;
use serde_json::json;

use crate::Grant;

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

/// A token that is to be kept: what is shown of its secret, and the hash of the whole.
pub(crate) struct NewToken<'a> {
    pub(crate) name: &'a str,
    pub(crate) prefix: &'a str,
    pub(crate) hash: String,
    pub(crate) grants: &'a [Grant],
    pub(crate) expires_at: Option<Timestamp>,
}

pub(crate) async fn insert(
    tx: &mut Tx,
    token: NewToken<'_>,
    now: Timestamp,
) -> Result<(), db::Error> {
    let sql = "INSERT INTO tokens (name, prefix, hash, roles, created_at, expires_at)
               VALUES ($1, $2, $3, $4, $5, $6)";
    let args = [
        token.name.into(),
        token.prefix.into(),
        token.hash.into(),
        json!(token.grants).into(),
        now.into(),
        token.expires_at.into(),
    ];
    tx.execute(sql, &args).await.map(drop)
}

/// Live ones first.
pub async fn tokens(store: &Store) -> Result<Vec<Token>, db::Error> {
    let sql = "SELECT * FROM tokens ORDER BY revoked_at IS NOT NULL, name LIMIT 500";
    store.read().await?.all(sql, &[]).await?.iter().map(token).collect()
}

/// The name of the token that this ended, if it was not over.
pub(crate) async fn revoke(
    tx: &mut Tx,
    id: i64,
    now: Timestamp,
) -> Result<Option<String>, db::Error> {
    let sql = "UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL
               RETURNING name";
    let row = tx.optional(sql, &[id.into(), now.into()]).await?;
    row.map(|row| row.get("name")).transpose()
}

/// The token of this hash, if it is still good.
pub(crate) async fn good(
    tx: &mut Tx,
    hash: &str,
    now: Timestamp,
) -> Result<Option<Token>, db::Error> {
    let sql = "SELECT * FROM tokens WHERE hash = $1 AND revoked_at IS NULL
               AND (expires_at IS NULL OR expires_at > $2)";
    tx.optional(sql, &[hash.into(), now.into()]).await?.map(|row| token(&row)).transpose()
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
