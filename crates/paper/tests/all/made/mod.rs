//! Files of every kind, made in memory.
#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod pdf;
pub(crate) mod picture;

use std::io::{Cursor, Write};

use paper::{Broken, Document, Kind, Limits, sniff, unpack};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Opens a file as a stranger's: the content decides.
pub(crate) fn open(bytes: Vec<u8>) -> Result<Document, Broken> {
    open_with(bytes, None, &Limits::default())
}

pub(crate) fn open_with(
    bytes: Vec<u8>,
    password: Option<&str>,
    limits: &Limits,
) -> Result<Document, Broken> {
    let kind = sniff(&bytes).unwrap_or(Kind::Pdf);
    Document::open(bytes, kind, password, limits)
}

pub(crate) fn refusal<T>(result: Result<T, Broken>) -> Broken {
    result.err().expect("refused")
}

pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        if name.ends_with('/') {
            zip.add_directory(*name, options).unwrap();
        } else {
            zip.start_file(*name, options).unwrap();
            zip.write_all(bytes).unwrap();
        }
    }
    zip.finish().unwrap().into_inner()
}

/// The names, kinds and sizes of what comes out of an archive.
pub(crate) fn unpacked(bytes: &[u8], limits: &Limits) -> Result<Vec<(String, Kind, u64)>, Broken> {
    let mut files = Vec::new();
    unpack(Cursor::new(bytes), limits, &mut |name, kind, file| {
        let size = std::io::copy(file, &mut std::io::sink())?;
        files.push((name.to_string(), kind, size));
        Ok(())
    })?;
    Ok(files)
}
