//! What the database knows of the storage that has its files.

use db::{Decision, Error, Row, Scope, Slice, Tx, backup::Owed};
use jiff::Timestamp;

use crate::rules::storage::{Known, Mark};

/// Which storage is ours is decided one after another.
pub fn scope() -> Scope {
    Scope::new("docproc storage")
}

/// The one row about it.
pub struct Storages<'a> {
    /// What the database is called if it has no name yet.
    pub name: &'a str,
    /// The storage that was met, and where.
    pub mark: Option<&'a Mark>,
    pub address: &'a str,
}

/// What is written of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    Name,
    /// The storage, the first or by an operator's word.
    Keep,
}

impl Slice for Storages<'_> {
    type Snapshot = Option<Known>;
    type Change = Entry;

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<Self::Snapshot, Error> {
        known(tx).await
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        before: &Self::Snapshot,
        entry: &Entry,
    ) -> Result<(), Error> {
        match entry {
            Entry::Name => {
                let sql = "INSERT INTO file_storage (only_one, database_name) VALUES (1, $1)";
                decision.tx.execute(sql, &[self.name.into()]).await.map(drop)
            }
            Entry::Keep => {
                let mark = self.mark.ok_or_else(|| Error::corrupt("no mark to keep"))?;
                let before = before.as_ref().and_then(|known| known.storage.as_ref());
                let before = before.map_or("", |(name, _)| name);
                let sql = "UPDATE file_storage SET storage_name = $1, address = $2
                           WHERE only_one = 1 AND COALESCE(storage_name, '') = $3";
                let args = [mark.storage.as_str().into(), self.address.into(), before.into()];
                decision.tx.guarded("storage", sql, &args).await
            }
        }
    }
}

pub async fn known(tx: &mut Tx) -> Result<Option<Known>, Error> {
    let sql = "SELECT database_name, storage_name, address FROM file_storage";
    let row = tx.optional(sql, &[]).await?;
    row.map(|row| {
        let storage: Option<String> = row.maybe("storage_name")?;
        let address: Option<String> = row.maybe("address")?;
        Ok(Known {
            database: row.get("database_name")?,
            storage: storage.map(|name| (name, address.unwrap_or_default())),
        })
    })
    .transpose()
}

/// Where the newest files are that are not in the database itself.
pub async fn newest_places(tx: &mut Tx, limit: i64) -> Result<Vec<String>, Error> {
    let sql = "SELECT place FROM request_files JOIN requests ON requests.id = request_id
               WHERE content IS NULL AND cleared_at IS NULL ORDER BY request_id DESC LIMIT $1";
    let mut rows = tx.all(sql, &[limit.into()]).await?;
    let sql = "SELECT place FROM golden_files WHERE content IS NULL
               ORDER BY case_id DESC LIMIT $1";
    rows.extend(tx.all(sql, &[limit.into()]).await?);
    rows.iter().map(|row: &Row| row.get("place")).collect()
}

/// Files of a backup that are listed at a time.
const PAGE: i64 = 500;
/// Where the list of golden cases' files begins, after those of requests.
const CASES: &str = "case";
const REQUESTS: &str = "request";

/// The files in storage that rows need, after a position that an earlier page gave; from an empty one
/// on, all of them.
pub async fn owed(tx: &mut Tx, after: &str) -> Result<Vec<Owed>, Error> {
    let mut parts = after.splitn(3, '/');
    let mut part = || parts.next().unwrap_or_default();
    let (kind, owner, n) = (part(), part(), part().parse().unwrap_or(-1));
    if kind != CASES {
        let sql = "SELECT request_id AS owner, n, place, sha256 FROM request_files
                   JOIN requests ON requests.id = request_id
                   WHERE content IS NULL AND cleared_at IS NULL
                   AND (request_id > $1 OR (request_id = $1 AND n > $2))
                   ORDER BY request_id, n LIMIT $3";
        let found = page(tx, sql, REQUESTS, owner, n).await?;
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let (owner, n) = if kind == CASES { (owner, n) } else { ("", -1) };
    let sql = "SELECT case_id AS owner, n, place, sha256 FROM golden_files
               WHERE content IS NULL AND (case_id > $1 OR (case_id = $1 AND n > $2))
               ORDER BY case_id, n LIMIT $3";
    page(tx, sql, CASES, owner, n).await
}

async fn page(
    tx: &mut Tx,
    sql: &'static str,
    kind: &str,
    owner: &str,
    n: i64,
) -> Result<Vec<Owed>, Error> {
    let rows = tx.all(sql, &[owner.into(), n.into(), PAGE.into()]).await?;
    let owed = |row: &Row| {
        let (owner, n): (String, i64) = (row.get("owner")?, row.get("n")?);
        Ok(Owed {
            name: row.get("place")?,
            sha256: Some(row.get("sha256")?),
            optional: false,
            position: format!("{kind}/{owner}/{n}"),
        })
    };
    rows.iter().map(owed).collect()
}
