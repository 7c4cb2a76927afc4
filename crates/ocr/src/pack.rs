//! The pack of models: files that are installed beside the program, never part of it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

use crate::Trouble;
use crate::paddle::Weights;

const MANIFEST: &str = "manifest";
/// Far above any model of ours; a file beyond it is not read.
const LARGEST_FILE: u64 = 64 << 20;

/// Checked model files. Clones share the weights, which are loaded by the first engine.
#[derive(Clone)]
pub struct Pack {
    dir: PathBuf,
    version: String,
    weights: Arc<OnceLock<Arc<Weights>>>,
}

/// There is no usable pack.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no OCR models in {0}: {reason}. Install them with scripts/models {0}", .dir.display())]
pub struct Missing {
    pub dir: PathBuf,
    pub reason: String,
}

impl Missing {
    pub(crate) fn unnamed() -> Self {
        Self { dir: PathBuf::from("models"), reason: "no pack was given".to_owned() }
    }
}

impl Pack {
    /// The pack in this directory, or in `models` inside it. Reads every file once to compare it
    /// with the manifest: some tens of milliseconds, paid when a process starts.
    pub fn find(dir: &Path) -> Result<Self, Missing> {
        let inside = dir.join("models");
        let dir = if !dir.join(MANIFEST).exists() && inside.join(MANIFEST).exists() {
            inside
        } else {
            dir.to_owned()
        };
        let missing = |reason| Missing { dir: dir.clone(), reason };
        let manifest = read(&dir, MANIFEST).map_err(missing)?;
        let manifest = Manifest::parse(&String::from_utf8_lossy(&manifest)).map_err(missing)?;
        for name in Weights::FILES {
            let listed = manifest.files.iter().find(|file| file.name == name);
            let file = listed.ok_or_else(|| missing(format!("the manifest lacks {name}")))?;
            if sha256(&read(&dir, name).map_err(missing)?) != file.sha256 {
                return Err(missing(format!("{name} is damaged")));
            }
        }
        Ok(Self { version: manifest.version, weights: Arc::default(), dir })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn version(&self) -> &str {
        &self.version
    }

    pub(crate) fn weights(&self) -> Result<Arc<Weights>, Trouble> {
        if let Some(weights) = self.weights.get() {
            return Ok(Arc::clone(weights));
        }
        // Two workers may load at once: the second set is dropped, which costs time, not memory.
        let loaded = Arc::new(Weights::load(|name| read(&self.dir, name))?);
        Ok(Arc::clone(self.weights.get_or_init(|| loaded)))
    }
}

/// What `scripts/models` wrote: `version TEXT`, notes, and `file SHA256 NAME` for each file.
struct Manifest {
    version: String,
    files: Vec<Listed>,
}

struct Listed {
    sha256: String,
    name: String,
}

impl Manifest {
    fn parse(text: &str) -> Result<Self, String> {
        let mut version = None;
        let mut files = Vec::new();
        for line in text.lines() {
            match line.split_once(' ') {
                Some(("version", rest)) => version = Some(rest.trim().to_owned()),
                Some(("file", rest)) => {
                    let (sha256, name) = rest.trim().split_once(' ').ok_or("broken manifest")?;
                    files.push(Listed { sha256: sha256.to_owned(), name: name.trim().to_owned() });
                }
                Some(_) | None => {}
            }
        }
        Ok(Self { version: version.ok_or("the manifest names no version")?, files })
    }
}

fn read(dir: &Path, name: &str) -> Result<Vec<u8>, String> {
    let path = dir.join(name);
    let size = fs::metadata(&path).map_err(|error| format!("{name}: {error}"))?.len();
    if size > LARGEST_FILE {
        return Err(format!("{name} is too large"));
    }
    fs::read(&path).map_err(|error| format!("{name}: {error}"))
}

fn sha256(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        write!(hex, "{byte:02x}").expect("writing to a string");
    }
    hex
}
