//! The way out of a backup: lines and pieces one after another, and at the end whether all was true.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{BufRead, BufReader, Read as _},
    path::Path,
};

use flate2::read::GzDecoder;
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use super::{BackupError, FORMAT, FORMAT_OF_ROWS, Manifest, NAMED, Summary, files::Fate};
use crate::hex;

/// Longer than any row we write; a file that claims more is not ours.
const LONGEST_LINE: u64 = 256 << 20;
const LARGEST_PIECE: u64 = 4 << 20;

/// What a backup consists of, in order.
#[derive(Debug)]
pub(super) enum Entry {
    Manifest(Manifest),
    Row {
        table: String,
        row: Json,
    },
    Piece {
        file: String,
        bytes: Vec<u8>,
    },
    /// All pieces of a file were there, or it was not there at all.
    Whole {
        file: String,
        fate: Fate,
    },
    /// The checksum of everything is right.
    End,
}

/// Reads through to the end and hands over every entry. [`Entry::End`] comes last, and only if
/// everything before it is what was written.
pub(super) fn read(
    path: &Path,
    mut hand: impl FnMut(Entry) -> Result<(), BackupError>,
) -> Result<Summary, BackupError> {
    let mut reading = Reading::new(File::open(path)?);
    let first = reading.line()?;
    let manifest = manifest(&first)?;
    reading.summary.left_out.clone_from(&manifest.left_out);
    hand(Entry::Manifest(manifest))?;
    loop {
        let before = reading.hash.clone();
        let mut line = reading.line()?;
        if line["end"] == true {
            let Reading { summary, .. } = reading;
            let digest = hex(&before.finalize());
            let files = line["files"].as_u64().unwrap_or(0);
            let counted = line["rows"] == summary.rows && files == summary.files;
            if line["sha256"] != digest || !counted {
                return Err(unusable("its checksum does not match its contents"));
            }
            hand(Entry::End)?;
            return Ok(summary);
        }
        if let Some(table) = line["table"].as_str() {
            let table = table.to_owned();
            reading.saw(&table);
            hand(Entry::Row { table, row: line["row"].take() })?;
        } else if let Some(file) = line["file"].as_str() {
            hand(reading.file(file, &line)?)?;
        } else {
            return Err(unusable("a line is neither a row nor a file"));
        }
    }
}

struct Reading {
    from: BufReader<GzDecoder<File>>,
    /// Of everything that was read.
    hash: Sha256,
    tables: BTreeSet<String>,
    summary: Summary,
    /// The file whose pieces are coming.
    open: Option<(String, Sha256, u64)>,
}

impl Reading {
    fn new(file: File) -> Self {
        Self {
            from: BufReader::new(GzDecoder::new(file)),
            hash: Sha256::new(),
            tables: BTreeSet::new(),
            summary: Summary::default(),
            open: None,
        }
    }

    fn line(&mut self) -> Result<Json, BackupError> {
        let mut line = Vec::new();
        let read = self.from.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        read.map_err(|_| unusable("it is cut short or is not gzip"))?;
        if line.pop_if(|last| *last == b'\n').is_none() {
            // A missing closing line is told from a line that is cut.
            return Err(unusable(if line.is_empty() {
                "it has no closing line"
            } else {
                "it is cut short or is not gzip"
            }));
        }
        self.hash.update(&line);
        serde_json::from_slice(&line).map_err(|_| unusable("a line is not JSON"))
    }

    fn saw(&mut self, table: &str) {
        if !self.tables.contains(table) {
            self.tables.insert(table.to_owned());
            self.summary.tables += 1;
        }
        self.summary.rows += 1;
    }

    fn file(&mut self, file: &str, line: &Json) -> Result<Entry, BackupError> {
        let file = file.to_owned();
        if let Some(size) = line["piece"].as_u64() {
            return self.piece(file, size);
        }
        let fate = line["fate"].as_str().and_then(Fate::from_word);
        let fate = fate.ok_or_else(|| unusable("a file has no fate"))?;
        let open = self.open.take();
        if fate != Fate::Missing {
            let (name, hash, bytes) = open.unwrap_or_else(|| (file.clone(), Sha256::new(), 0));
            let digest = hex(&hash.finalize());
            if name != file || line["sha256"] != digest || line["bytes"] != bytes {
                return Err(unusable(&format!("the checksum of {file} does not match it")));
            }
            self.summary.files += 1;
            self.summary.bytes += bytes;
        }
        self.summary.note(&file, fate);
        Ok(Entry::Whole { file, fate })
    }

    fn piece(&mut self, file: String, size: u64) -> Result<Entry, BackupError> {
        let capacity = usize::try_from(size).ok().filter(|_| size <= LARGEST_PIECE);
        let capacity = capacity.ok_or_else(|| unusable("a piece of a file is too large"))?;
        let mut bytes = vec![0; capacity];
        self.from.read_exact(&mut bytes).map_err(|_| unusable("it is cut short or is not gzip"))?;
        self.hash.update(&bytes);
        let (name, hash, sum) = self.open.get_or_insert_with(|| (file.clone(), Sha256::new(), 0));
        if *name != file {
            return Err(unusable(&format!("{name} has no end")));
        }
        hash.update(&bytes);
        *sum += size;
        Ok(Entry::Piece { file, bytes })
    }
}

impl Summary {
    /// Counts what is not as it should be, and names the first.
    pub(super) fn note(&mut self, file: &str, fate: Fate) {
        match fate {
            Fate::Kept => return,
            Fate::Missing => self.missing += 1,
            Fate::Damaged => self.damaged += 1,
        }
        if self.named.len() < NAMED {
            self.named.push(file.to_owned());
        }
    }
}

fn manifest(line: &Json) -> Result<Manifest, BackupError> {
    let format = line["turno_backup"].as_i64();
    if !matches!(format, Some(FORMAT | FORMAT_OF_ROWS)) {
        return Err(unusable("the first line is not a manifest of a format this version reads"));
    }
    let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let words = |key: &str| {
        let words = line[key].as_array().into_iter().flatten();
        words.filter_map(Json::as_str).map(str::to_owned)
    };
    // Before there were files in a backup, those of documents were always left out.
    let left_out =
        if format == Some(FORMAT) { words("left_out").collect() } else { vec!["files".to_owned()] };
    Ok(Manifest {
        at: text("at"),
        version: text("version"),
        migrations: words("migrations").collect(),
        key: line["key"].as_str().map(str::to_owned),
        left_out,
        identities: line["identities"].clone(),
    })
}

fn unusable(reason: &str) -> BackupError {
    BackupError::Unusable(reason.into())
}
