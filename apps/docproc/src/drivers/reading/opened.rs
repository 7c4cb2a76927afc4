//! Files that were opened a moment ago: the pages of one file are read by several workers.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use host::Vault;
use paper::{Broken, Document, Kind, Limits, Renderer};

use crate::{
    drivers::{passwords, storage::Storage},
    store::requests::FileRow,
};

/// Together at most this much stays open, the newest at least.
const BYTES: u64 = 96 << 20;
const FILES: usize = 64;

#[derive(Default)]
pub struct Opened {
    open: Mutex<VecDeque<Entry>>,
    /// Opens the passwords of documents.
    pub vault: OnceLock<Vault>,
}

struct Entry {
    place: String,
    bytes: u64,
    document: Arc<Document>,
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Opened")
    }
}

impl Opened {
    /// Opens a stored file, or finds it open. Blocking.
    pub fn get(
        &self,
        storage: &Storage,
        renderer: &Renderer,
        file: &FileRow,
        limits: &Limits,
    ) -> Result<Arc<Document>, Broken> {
        if let Some(found) = self.find(&file.place) {
            return Ok(found);
        }
        if file.bytes > limits.file_bytes {
            let (found, limit) = (file.bytes, limits.file_bytes);
            return Err(Broken::TooLarge { what: "file", found, limit });
        }
        let kind = kind(&file.kind).ok_or(Broken::Unreadable { what: "a document" })?;
        let bytes = storage.read(file)?;
        let vault = self.vault.get();
        let password = file.password.as_deref().map(|kept| passwords::opened(vault, kept));
        let document = renderer.open(bytes, kind, password.as_deref(), limits)?;
        let document = Arc::new(document);
        self.keep(Entry {
            place: file.place.clone(),
            bytes: file.bytes,
            document: document.clone(),
        });
        Ok(document)
    }

    fn find(&self, place: &str) -> Option<Arc<Document>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let at = open.iter().position(|entry| entry.place == place)?;
        let entry = open.remove(at)?;
        let document = entry.document.clone();
        open.push_front(entry);
        Some(document)
    }

    fn keep(&self, entry: Entry) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|other| other.place != entry.place);
        open.push_front(entry);
        let mut held = 0;
        let mut keep = 0;
        for entry in open.iter().take(FILES) {
            held += entry.bytes;
            if keep > 0 && held > BYTES {
                break;
            }
            keep += 1;
        }
        open.truncate(keep);
    }
}

pub(super) fn kind(word: &str) -> Option<Kind> {
    let kinds = [Kind::Pdf, Kind::Tiff, Kind::Jpeg, Kind::Png, Kind::Zip, Kind::Text, Kind::Mail];
    kinds.into_iter().find(|kind| kind_word(*kind) == word)
}

pub(crate) const fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Pdf => "pdf",
        Kind::Tiff => "tiff",
        Kind::Jpeg => "jpeg",
        Kind::Png => "png",
        Kind::Zip => "zip",
        Kind::Text => "text",
        Kind::Mail => "mail",
    }
}
