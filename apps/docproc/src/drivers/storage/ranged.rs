//! A file in a bucket for readers that jump about in it: fetched block by block, one at a time.

use std::io::{self, Read, Seek, SeekFrom};

use bytes::Bytes;

use super::Storage;

/// Large enough that an archive is not read in crumbs, small enough to be held for each reader.
const BLOCK: u64 = 1 << 20;

/// Reads from a blocking thread.
pub(super) struct Ranged {
    storage: Storage,
    place: String,
    size: u64,
    at: u64,
    /// Where the block that is held begins.
    from: u64,
    block: Bytes,
}

impl Ranged {
    pub(super) fn new(storage: Storage, place: String, size: u64) -> Self {
        Self { storage, place, size, at: 0, from: 0, block: Bytes::new() }
    }

    fn held(&self) -> Option<&[u8]> {
        let offset = usize::try_from(self.at.checked_sub(self.from)?).ok()?;
        self.block.get(offset..).filter(|rest| !rest.is_empty())
    }
}

impl Read for Ranged {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.size || buffer.is_empty() {
            return Ok(0);
        }
        if self.held().is_none() {
            let from = self.at / BLOCK * BLOCK;
            let until = (from + BLOCK).min(self.size);
            self.block = self.storage.wait(self.storage.part(&self.place, from..until))?;
            self.from = from;
        }
        let rest = self.held().ok_or(io::ErrorKind::UnexpectedEof)?;
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for Ranged {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
