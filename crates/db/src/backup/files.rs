//! Files that rows speak of and that are kept beside the database.

use std::{fmt, sync::Arc};

use futures::future::BoxFuture;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{BackupError, PIECE, Summary, sink::Sink};
use crate::{Store, Tx, hex};

/// A place of files, such as a directory or a bucket. Errors are sentences for an operator.
pub trait Files: Send + Sync + fmt::Debug {
    /// Whose files these are; they carry this name in a backup.
    fn owner(&self) -> &'static str;

    /// Where they are, for a sentence.
    fn address(&self) -> String;

    /// The next files that rows need, after this one, some hundred at a time; none: there are no
    /// more. What can be made again is not among them.
    fn owed<'a>(
        &'a self,
        tx: &'a mut Tx,
        after: Option<&'a Owed>,
    ) -> BoxFuture<'a, Result<Vec<Owed>, BackupError>>;

    /// How long a file is; `None`: it is not there.
    fn size<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<u64>, String>>;

    fn part<'a>(
        &'a self,
        name: &'a str,
        from: u64,
        until: u64,
    ) -> BoxFuture<'a, Result<Vec<u8>, String>>;

    /// Takes a file in; it is there when it is finished.
    fn begin(&self, name: &str) -> Box<dyn Incoming>;
}

/// A file on its way in.
pub trait Incoming: Send {
    fn write<'a>(&'a mut self, piece: &'a [u8]) -> BoxFuture<'a, Result<(), String>>;

    fn finish(self: Box<Self>) -> BoxFuture<'static, Result<(), String>>;
}

/// A file that should be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owed {
    pub name: String,
    /// What it was when it was stored, where that is known.
    pub sha256: Option<String>,
    /// Whether nobody minds that it is not there.
    pub optional: bool,
    /// Where the list goes on, in the words of whoever keeps it.
    pub position: String,
}

/// How a file got into a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Kept,
    /// Kept as it is, which is not what was stored once.
    Damaged,
    Missing,
}

impl Fate {
    const ALL: [Self; 3] = [Self::Kept, Self::Damaged, Self::Missing];

    fn word(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Damaged => "damaged",
            Self::Missing => "missing",
        }
    }

    pub(super) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fate| fate.word() == word)
    }
}

/// Copies the files of one place into a backup.
pub(super) async fn pack(
    store: &Store,
    place: &dyn Files,
    sink: &mut Sink,
    summary: &mut Summary,
) -> Result<(), BackupError> {
    let mut last: Option<Owed> = None;
    loop {
        // A view of its own for each page: copying files may take hours, and a view that is held so
        // long keeps a database from tidying up.
        let mut tx = store.read().await?;
        let page = place.owed(&mut tx, last.as_ref()).await?;
        drop(tx);
        let Some(end) = page.last().cloned() else { return Ok(()) };
        for owed in &page {
            pack_one(place, owed, sink, summary).await?;
        }
        last = Some(end);
    }
}

async fn pack_one(
    place: &dyn Files,
    owed: &Owed,
    sink: &mut Sink,
    summary: &mut Summary,
) -> Result<(), BackupError> {
    let trouble = |why: String| BackupError::Files { place: place.address(), why };
    let name = format!("{}/{}", place.owner(), owed.name);
    let Some(size) = place.size(&owed.name).await.map_err(trouble)? else {
        if !owed.optional {
            summary.note(&name, Fate::Missing);
            sink.line(json!({ "file": name, "fate": Fate::Missing.word() })).await?;
        }
        return Ok(());
    };
    let (mut hash, mut from) = (Sha256::new(), 0);
    while from < size {
        let until = (from + PIECE as u64).min(size);
        let bytes = place.part(&owed.name, from, until).await.map_err(trouble)?;
        if bytes.len() as u64 != until - from {
            return Err(trouble(format!("{} changed while it was copied", owed.name)));
        }
        hash.update(&bytes);
        sink.line(json!({ "file": name, "piece": bytes.len() })).await?;
        sink.raw(bytes).await?;
        from = until;
    }
    let digest = hex(&hash.finalize());
    let sound = owed.sha256.as_ref().is_none_or(|stored| *stored == digest);
    let fate = if sound { Fate::Kept } else { Fate::Damaged };
    summary.files += 1;
    summary.bytes += size;
    summary.note(&name, fate);
    let line = json!({ "file": name, "bytes": size, "sha256": digest, "fate": fate.word() });
    sink.line(line).await?;
    Ok(())
}

/// Files on their way out of a backup, one at a time.
pub(super) struct Unpacking<'a> {
    places: &'a [Arc<dyn Files>],
    open: Option<Open>,
}

struct Open {
    name: String,
    place: Arc<dyn Files>,
    state: State,
}

enum State {
    /// It was not there.
    Taking(Box<dyn Incoming>),
    /// It is there already: compared up to here.
    Comparing { size: u64, at: u64 },
}

impl<'a> Unpacking<'a> {
    pub(super) fn new(places: &'a [Arc<dyn Files>]) -> Self {
        Self { places, open: None }
    }

    pub(super) async fn piece(&mut self, file: &str, bytes: &[u8]) -> Result<(), BackupError> {
        if self.open.is_none() {
            self.open = Some(begin(self.places, file).await?);
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        let trouble = |why: String| BackupError::Files { place: open.place.address(), why };
        match &mut open.state {
            State::Taking(incoming) => incoming.write(bytes).await.map_err(trouble),
            State::Comparing { size, at } => {
                let until = *at + bytes.len() as u64;
                let same = until <= *size
                    && open.place.part(&open.name, *at, until).await.map_err(trouble)? == bytes;
                *at = until;
                if same { Ok(()) } else { Err(trouble(another(&open.name))) }
            }
        }
    }

    pub(super) async fn whole(&mut self, file: &str) -> Result<(), BackupError> {
        let open = match self.open.take() {
            Some(open) => open,
            // It has no piece: it is empty.
            None => begin(self.places, file).await?,
        };
        let trouble = |why: String| BackupError::Files { place: open.place.address(), why };
        match open.state {
            State::Taking(incoming) => incoming.finish().await.map_err(trouble),
            State::Comparing { size, at } if size == at => Ok(()),
            State::Comparing { .. } => Err(trouble(another(&open.name))),
        }
    }
}

async fn begin(places: &[Arc<dyn Files>], file: &str) -> Result<Open, BackupError> {
    let (owner, name) = file.split_once('/').unwrap_or(("", file));
    let place = places
        .iter()
        .find(|place| place.owner() == owner)
        .ok_or_else(|| BackupError::Unusable(format!("this version has no place for {file}")))?;
    let size = place.size(name).await;
    let size = size.map_err(|why| BackupError::Files { place: place.address(), why })?;
    let state = match size {
        None => State::Taking(place.begin(name)),
        Some(size) => State::Comparing { size, at: 0 },
    };
    Ok(Open { name: name.to_owned(), place: place.clone(), state })
}

fn another(name: &str) -> String {
    format!("{name} is there already and is another file; nothing was put over it")
}
