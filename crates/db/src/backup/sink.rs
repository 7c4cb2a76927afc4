//! The way into a backup: a thread of its own compresses, counts and writes what it is handed.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use flate2::{Compression, write::GzEncoder};
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};
use tokio::{sync::mpsc, task::JoinHandle};

use super::UNDER_WAY;
use crate::hex;

enum Handed {
    Line(Json),
    /// What the line before announced.
    Raw(Vec<u8>),
    /// Closed with the checksum of everything before.
    End(Json),
}

/// Hands on what a backup consists of; waits while the disk is slower than the database.
pub(super) struct Sink(mpsc::Sender<Handed>);

impl Sink {
    /// Only its owner may read the file: it holds what the database holds.
    pub(super) fn open(path: &Path) -> io::Result<(Self, JoinHandle<io::Result<()>>)> {
        let file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
        let (to, handed) = mpsc::channel(UNDER_WAY);
        Ok((Self(to), tokio::task::spawn_blocking(move || write(file, handed))))
    }

    pub(super) async fn line(&mut self, line: Json) -> io::Result<()> {
        self.hand(Handed::Line(line)).await
    }

    pub(super) async fn raw(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        self.hand(Handed::Raw(bytes)).await
    }

    pub(super) async fn end(&mut self, line: Json) -> io::Result<()> {
        self.hand(Handed::End(line)).await
    }

    async fn hand(&mut self, handed: Handed) -> io::Result<()> {
        self.0.send(handed).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

fn write(file: File, mut handed: mpsc::Receiver<Handed>) -> io::Result<()> {
    // Most bytes are documents that are compressed already: trying hard would only take longer.
    let mut out = GzEncoder::new(BufWriter::new(file), Compression::fast());
    let mut hash = Sha256::new();
    while let Some(handed) = handed.blocking_recv() {
        match handed {
            Handed::Line(line) => {
                let line = line.to_string();
                hash.update(&line);
                writeln!(out, "{line}")?;
            }
            Handed::Raw(bytes) => {
                hash.update(&bytes);
                out.write_all(&bytes)?;
            }
            Handed::End(mut line) => {
                line["sha256"] = hex(&hash.finalize()).into();
                writeln!(out, "{line}")?;
                let file = out.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
                return file.sync_all();
            }
        }
    }
    // Nobody said that it was the end: what was written is given up.
    Ok(())
}
