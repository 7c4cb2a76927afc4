//! A file on its way in: held until it is too large to be small, then stored as it comes.

use bytes::Bytes;
use object_store::{ObjectStoreExt as _, WriteMultipart, path::Path as Key};
use sha2::{Digest as _, Sha256};

use super::{Fault, Storage, Stored};

/// A file up to this size is kept in the database, in the commit of its request: there it costs no
/// sync of its own, and every process that shares the database has it.
const SMALL: usize = 64 << 10;
/// Parts of one upload that are under way at a time. With the one that is being filled, that is all
/// that is held in memory of a file.
const PARTS: usize = 2;

/// What becomes of a small file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Small {
    /// The caller keeps it.
    Returned,
    /// It is stored like any other.
    Stored,
}

pub struct Writer {
    storage: Storage,
    place: String,
    small: Small,
    held: Vec<u8>,
    upload: Option<WriteMultipart>,
    digest: Sha256,
    bytes: u64,
}

impl Writer {
    pub(super) fn new(storage: Storage, place: &str, small: Small) -> Self {
        Self {
            storage,
            place: place.to_owned(),
            small,
            held: Vec::new(),
            upload: None,
            digest: Sha256::new(),
            bytes: 0,
        }
    }

    /// Takes what came next. After an error nothing of it is left and nothing more can be written.
    pub async fn write(&mut self, chunk: &[u8]) -> Result<(), Fault> {
        self.digest.update(chunk);
        self.bytes += chunk.len() as u64;
        let written = match self.storage.room_for(chunk.len() as u64) {
            Ok(()) => self.take(chunk).await.map_err(|e| self.storage.fault(&self.place, &e)),
            Err(full) => Err(full),
        };
        if written.is_err()
            && let Some(upload) = self.upload.take()
        {
            // What stays behind is swept with everything that no request owns.
            let _ = upload.abort().await;
        }
        written
    }

    async fn take(&mut self, chunk: &[u8]) -> Result<(), object_store::Error> {
        if let Some(upload) = &mut self.upload {
            upload.wait_for_capacity(PARTS).await?;
            upload.write(chunk);
            return Ok(());
        }
        self.held.extend_from_slice(chunk);
        if self.held.len() <= self.storage.whole_up_to().max(SMALL) {
            return Ok(());
        }
        let upload = self.storage.objects.put_multipart(&Key::from(self.place.as_str())).await?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, self.storage.part_size());
        upload.write(&std::mem::take(&mut self.held));
        self.upload = Some(upload);
        Ok(())
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub async fn finish(self) -> Result<Stored, Fault> {
        let Self { storage, place, small, held, upload, digest, bytes } = self;
        let content = match upload {
            Some(upload) => {
                let finished = upload.finish().await.map(drop);
                storage.noted(&place, finished)?;
                None
            }
            None if small == Small::Returned && held.len() <= SMALL => Some(Bytes::from(held)),
            None => {
                storage.put(&place, held.into()).await?;
                None
            }
        };
        Ok(Stored { bytes, sha256: db::hex(&digest.finalize()), content })
    }

    pub async fn give_up(self) {
        if let Some(upload) = self.upload {
            let _ = upload.abort().await;
        }
    }
}
