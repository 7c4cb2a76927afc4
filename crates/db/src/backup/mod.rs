//! One file with every row and every file that rows speak of, taken while the server runs.
//!
//! The file is gzip around lines of JSON: a manifest, the rows of one consistent view, the files in
//! pieces, a closing line with a checksum of everything before it. Values are neutral, so a backup of
//! a `SQLite` shop restores into `PostgreSQL` and the other way round. Rows and files pass through: how
//! much is held in memory does not depend on how much there is.

mod files;
mod identities;
mod reader;
mod rows;
mod sink;

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::Path,
    sync::Arc,
};

use jiff::Timestamp;
use serde_json::{Value as Json, json};
use tokio::sync::mpsc;

use files::{Fate, Unpacking};
pub use files::{Files, Incoming, Owed};
use reader::{Entry, read};
use sink::Sink;

use crate::{Error, Line, Scope, Store};

/// Written now; the one before it, without files, is still read.
const FORMAT: i64 = 2;
const FORMAT_OF_ROWS: i64 = 1;
/// A file travels in pieces of this size.
const PIECE: usize = 256 << 10;
/// Pieces and rows on their way between the database and the disk.
const UNDER_WAY: usize = 32;
/// Names of what is missing that are told; the rest is counted.
const NAMED: usize = 20;

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Store(#[from] Error),
    #[error("the file cannot be read or written")]
    File(#[from] io::Error),
    #[error("not a usable backup: {0}")]
    Unusable(String),
    #[error("{place}: {why}")]
    Files { place: String, why: String },
}

/// What a backup holds, and what it does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub tables: usize,
    pub rows: u64,
    pub files: u64,
    pub bytes: u64,
    /// Files that rows speak of and that were not there, or not as they had been written.
    pub missing: u64,
    pub damaged: u64,
    /// The first of both, by name.
    pub named: Vec<String>,
    /// Whose files are not in it, by the caller's wish.
    pub left_out: Vec<String>,
}

/// What is told of a backup in its first line.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    pub at: String,
    pub version: String,
    /// Applied steps, `line/name`.
    pub migrations: BTreeSet<String>,
    /// A mark of the key that seals secrets, by which the right one is known; never the key.
    pub key: Option<String>,
    pub left_out: Vec<String>,
    identities: Json,
}

/// What goes into a backup besides the rows.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    pub files: Vec<Arc<dyn Files>>,
    /// Whose files are left out.
    pub left_out: Vec<String>,
    pub version: String,
    pub key: Option<String>,
}

/// Writes a backup. The file appears under its name only when it is complete.
///
/// Rows come first: a file is stored before its row is committed, so whatever the rows speak of is
/// there when the files are copied.
pub async fn write(
    store: &Store,
    path: &Path,
    contents: &Contents,
    now: Timestamp,
) -> Result<Summary, BackupError> {
    let partial = path.with_extension("partial");
    let (mut sink, done) = Sink::open(&partial)?;
    let filled = fill(store, contents, now, &mut sink).await;
    drop(sink);
    // Why the disk stopped taking it says more than that it did.
    let written = done.await.map_err(io::Error::other).and_then(|written| written);
    let whole = match (written, filled) {
        (Err(error), _) => Err(error.into()),
        (Ok(()), filled) => filled,
    };
    let named = whole.and_then(|summary| {
        std::fs::rename(&partial, path)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        std::fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
        Ok(summary)
    });
    if named.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    named
}

async fn fill(
    store: &Store,
    contents: &Contents,
    now: Timestamp,
    sink: &mut Sink,
) -> Result<Summary, BackupError> {
    let mut summary = Summary { left_out: contents.left_out.clone(), ..Summary::default() };
    let mut tx = store.read().await?;
    let manifest = json!({
        "turno_backup": FORMAT,
        "at": now.to_string(),
        "version": contents.version,
        "migrations": rows::ledger(&mut tx).await?,
        "identities": identities::of(&mut tx).await?,
        "key": contents.key,
        "left_out": contents.left_out,
    });
    sink.line(manifest).await?;
    for table in rows::tables(&mut tx).await? {
        summary.tables += 1;
        summary.rows += rows::dump(&mut tx, &table, sink).await?;
    }
    drop(tx);
    for place in &contents.files {
        files::pack(store, &**place, sink, &mut summary).await?;
    }
    sink.end(json!({ "end": true, "rows": summary.rows, "files": summary.files })).await?;
    Ok(summary)
}

/// Reads a backup through without changing anything: format, counts, and every checksum.
pub async fn check(path: &Path) -> Result<(Manifest, Summary), BackupError> {
    let path = path.to_owned();
    let checked = tokio::task::spawn_blocking(move || -> Result<_, BackupError> {
        let mut manifest = None;
        let summary = read(&path, |entry| {
            if let Entry::Manifest(found) = entry {
                manifest = Some(found);
            }
            Ok(())
        })?;
        let manifest = manifest.ok_or_else(|| BackupError::Unusable("it is empty".into()))?;
        Ok((manifest, summary))
    });
    checked.await.map_err(io::Error::other)?
}

/// Fills an empty database and the places of its files. Rows are all there or none; files that were
/// written before something failed belong to nobody and do no harm.
///
/// Without `places` the files stay in the backup. The tables are made as they were when it was taken, `lines` brings them up to this version
/// afterwards: a backup outlives the version that wrote it.
pub async fn restore(
    store: &Store,
    path: &Path,
    places: Option<&[Arc<dyn Files>]>,
    lines: &[Line],
    now: Timestamp,
) -> Result<Summary, BackupError> {
    let (manifest, summary) = check(path).await?;
    store.migrate_as(lines, &manifest.migrations, now).await?;
    let (to, mut entries) = mpsc::channel(UNDER_WAY);
    let file = path.to_owned();
    let reading = tokio::task::spawn_blocking(move || {
        read(&file, |entry| {
            // Whoever no longer listens has met the greater trouble.
            let gone = || BackupError::Unusable("nobody takes what is read".into());
            to.blocking_send(entry).map_err(|_| gone())
        })
    });
    let filled = refill(store, &manifest, places, &mut entries).await;
    drop(entries);
    let read = reading.await.map_err(io::Error::other)?;
    filled?;
    read?;
    store.migrate(lines, now).await?;
    Ok(summary)
}

async fn refill(
    store: &Store,
    manifest: &Manifest,
    places: Option<&[Arc<dyn Files>]>,
    entries: &mut mpsc::Receiver<Entry>,
) -> Result<(), BackupError> {
    let unusable = |reason: String| Err(BackupError::Unusable(reason));
    let mut tx = store.write(&[Scope::new("migrations")]).await?;
    if manifest.migrations != rows::ledger(&mut tx).await? {
        return unusable(
            "it was taken with other migrations; use the version that wrote it".into(),
        );
    }
    let mut known = BTreeMap::new();
    for table in rows::tables(&mut tx).await? {
        rows::require_empty(&mut tx, &table).await?;
        let columns = rows::columns_of(&mut tx, &table).await?;
        known.insert(table, columns);
    }
    let mut unpacking = places.map(Unpacking::new);
    let mut whole = false;
    while let Some(entry) = entries.recv().await {
        match entry {
            Entry::Manifest(_) => {}
            Entry::Row { table, row } => match known.get(&table) {
                Some(columns) => rows::insert(&mut tx, &table, columns, &row).await?,
                None => return unusable(format!("this version has no table {table}")),
            },
            Entry::Piece { file, bytes } => {
                if let Some(unpacking) = &mut unpacking {
                    unpacking.piece(&file, &bytes).await?;
                }
            }
            Entry::Whole { file, fate } => {
                if let Some(unpacking) = unpacking.as_mut().filter(|_| fate != Fate::Missing) {
                    unpacking.whole(&file).await?;
                }
            }
            Entry::End => whole = true,
        }
    }
    if !whole {
        return unusable("it changed while it was read".into());
    }
    identities::go_on(&mut tx, &manifest.identities).await?;
    tx.commit().await?;
    Ok(())
}
