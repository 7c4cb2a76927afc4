//! Many samples as files, each with its truth beside it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::Serialize;
use thiserror::Error;

use crate::{
    Kind, Lang, Sample, generate, pdf,
    scan::{ScanError, Wear, scanned_pdf},
};

#[derive(Debug, Error)]
pub enum CorpusError {
    #[error("{path} could not be written: {reason}")]
    Writing { path: PathBuf, reason: io::Error },
    #[error("sample {number} could not be scanned: {reason}")]
    Scanning { number: usize, reason: ScanError },
}

#[derive(Serialize)]
struct Truth<'a> {
    kind: &'static str,
    lang: Lang,
    layout: u32,
    pages: usize,
    fields: &'a std::collections::BTreeMap<String, String>,
}

/// Writes `count` PDF files and a JSON file of the same name for each; returns the PDF paths.
/// Kinds and languages take turns.
pub fn write_corpus(
    dir: &Path,
    count: usize,
    seed: u64,
    wear: Wear,
) -> Result<Vec<PathBuf>, CorpusError> {
    fs::create_dir_all(dir)
        .map_err(|reason| CorpusError::Writing { path: dir.to_owned(), reason })?;
    (0..count).map(|number| write_one(dir, number, seed, wear)).collect()
}

fn write_one(dir: &Path, number: usize, seed: u64, wear: Wear) -> Result<PathBuf, CorpusError> {
    let kind = Kind::ALL[number % Kind::ALL.len()];
    let lang = Lang::ALL[(number / Kind::ALL.len()) % Lang::ALL.len()];
    let seed = seed.wrapping_add(number as u64);
    let sample = generate(kind, lang, seed);
    let bytes = match wear {
        Wear::None => pdf(&[&sample]),
        Wear::Clean | Wear::Scanned | Wear::Degraded => scanned_pdf(&[&sample], wear, seed)
            .map_err(|reason| CorpusError::Scanning { number, reason })?,
    };
    let path = dir.join(format!("{number:05}-{}.pdf", kind.label()));
    save(&path, &bytes)?;
    save(&path.with_extension("json"), &truth(&sample))?;
    Ok(path)
}

fn truth(sample: &Sample) -> Vec<u8> {
    let truth = Truth {
        kind: sample.kind.label(),
        lang: sample.lang,
        layout: sample.layout,
        pages: sample.pages.len(),
        fields: &sample.truth,
    };
    serde_json::to_vec_pretty(&truth).expect("strings and numbers are JSON")
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), CorpusError> {
    fs::write(path, bytes).map_err(|reason| CorpusError::Writing { path: path.to_owned(), reason })
}
