//! The directory itself: what lies in it, and where it goes. Blocking.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use paper::Kind;

use engine::Sentence;

const DONE: &str = "done";
const FAILED: &str = "failed";
/// Enough to tell what a file is.
const HEAD: u64 = 4096;
/// Looked at in one go; the rest comes next time.
const MOST: usize = 500;
/// Names under which programs write what is not whole yet.
const UNFINISHED: [&str; 4] = [".part", ".tmp", ".filepart", ".crdownload"];

/// A file in the inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dropped {
    pub(super) root: PathBuf,
    pub(super) path: PathBuf,
    pub(super) name: String,
    /// The directory it lies in, if not in the inbox itself.
    pub(super) workflow: Option<String>,
    pub(super) bytes: u64,
    pub(super) modified: SystemTime,
}

/// Why a file cannot become a request.
pub(super) enum Unfit {
    Bad(Sentence),
    Io(io::Error),
}

/// Files of the inbox and of the directories in it, by name. Links are not followed.
pub(super) fn list(root: &Path) -> Vec<Dropped> {
    let mut found = files(root, root, None);
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_dir && !name.starts_with('.') && name != DONE && name != FAILED {
            found.extend(files(root, &entry.path(), Some(&name)));
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found.truncate(MOST);
    found
}

fn files(root: &Path, dir: &Path, workflow: Option<&str>) -> Vec<Dropped> {
    let one = |entry: fs::DirEntry| {
        let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let lower = name.to_ascii_lowercase();
        let whole = !name.starts_with('.') && !UNFINISHED.iter().any(|end| lower.ends_with(end));
        whole.then_some(Dropped {
            root: root.to_owned(),
            path: entry.path(),
            name,
            workflow: workflow.map(str::to_owned),
            bytes: about.len(),
            modified: about.modified().ok()?,
        })
    };
    fs::read_dir(dir).into_iter().flatten().flatten().filter_map(one).take(MOST).collect()
}

/// A file to read from its beginning, once it is known to be of a kind we take.
pub(super) fn open(path: &Path, limit: u64) -> Result<(Kind, impl io::Read + use<>), Unfit> {
    let mut file = File::open(path).map_err(Unfit::Io)?;
    let bytes = file.metadata().map_err(Unfit::Io)?.len();
    if bytes == 0 {
        return Err(bad("El archivo está vacío.", "The file is empty."));
    }
    if bytes > limit {
        let most = limit / (1024 * 1024);
        return Err(Unfit::Bad(Sentence::new(
            format!("El archivo supera los {most} MB permitidos."),
            format!("The file exceeds the permitted {most} MB."),
        )));
    }
    let mut head = Vec::new();
    (&mut file).take(HEAD).read_to_end(&mut head).map_err(Unfit::Io)?;
    let name = path.to_string_lossy();
    let Some(kind) = paper::recognise(&name, &head) else {
        let es = "El formato no se admite: PDF, TIFF, JPEG, PNG, texto simple, correo o ZIP.";
        let en = "The format is not taken: PDF, TIFF, JPEG, PNG, plain text, e-mail or ZIP.";
        return Err(bad(es, en));
    };
    Ok((kind, io::Cursor::new(head).chain(file)))
}

fn bad(es: &str, en: &str) -> Unfit {
    Unfit::Bad(Sentence::new(es.to_owned(), en.to_owned()))
}

/// Names this drop once and for all: the same file found again after a crash has the same key, one
/// that is dropped again has another.
pub(super) fn key(dropped: &Dropped, sha256: &str) -> String {
    let place = dropped.path.strip_prefix(&dropped.root).unwrap_or(&dropped.path);
    let since = dropped.modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    let text = format!("{}\n{}\n{sha256}", place.display(), since.as_micros());
    db::sha256_hex(text.as_bytes())
}

pub(super) fn done(dropped: &Dropped) -> io::Result<()> {
    shift(dropped, target(dropped, DONE)?)
}

/// The reason is written before the file moves: a file in `failed/` always has one.
pub(super) fn failed(dropped: &Dropped, sentence: &Sentence) -> io::Result<()> {
    let to = target(dropped, FAILED)?;
    let mut reason = to.clone().into_os_string();
    reason.push(".reason.txt");
    fs::write(reason, format!("{}\n{}\n", sentence.es, sentence.en))?;
    shift(dropped, to)
}

/// Another process may have moved it: that is where it should be.
fn shift(dropped: &Dropped, to: PathBuf) -> io::Result<()> {
    match fs::rename(&dropped.path, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A free name: an older file of the same name is not written over.
fn target(dropped: &Dropped, into: &str) -> io::Result<PathBuf> {
    let mut dir = dropped.root.join(into);
    dir.extend(dropped.workflow.as_deref());
    fs::create_dir_all(&dir)?;
    let plain = dir.join(&dropped.name);
    if !plain.exists() {
        return Ok(plain);
    }
    let since = dropped.modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    let free = (0..10_000).map(|n| dir.join(format!("{}-{n}-{}", since.as_secs(), dropped.name)));
    free.into_iter()
        .find(|path| !path.exists())
        .ok_or_else(|| io::Error::other("no free name is left"))
}
