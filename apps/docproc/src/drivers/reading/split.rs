//! *Splitter* (§3.2): the files of a request become its pages.

use engine::Sentence;
use paper::{Broken, Limits, Unpacked};

use super::opened::kind_word;
use crate::{
    drivers::reception::is_archive,
    drivers::runtime::Runtime,
    drivers::storage::{Fault, Storage},
    model::PageInFile,
    rules::retry::{STORAGE_AWAY, Trouble},
    store::{
        jobs::Job,
        progress::Found,
        requests::{Aside, FileRow},
    },
};

pub(super) fn split(runtime: &Runtime, job: &Job, limits: &Limits) -> Result<Found, Trouble> {
    let sent: Vec<&FileRow> =
        job.request.files.iter().filter(|file| file.packed_in.is_none()).collect();
    let mut next = sent.iter().map(|file| file.n + 1).max().unwrap_or(0);
    let (mut files, mut all) = (Vec::new(), Vec::new());
    for file in sent {
        if !is_archive(file) {
            let pages =
                open(runtime, file, limits, all.len()).map_err(|b| named(&b, &file.name))?;
            take(file.clone(), pages, &mut files, &mut all);
            continue;
        }
        let (packed, mut aside) =
            unpack(runtime, job, file, &mut next, limits).map_err(|b| named(&b, &file.name))?;
        for inner in packed {
            match open(runtime, &inner, limits, all.len()) {
                Ok(pages) => take(inner, pages, &mut files, &mut all),
                Err(broken) if is_of_all(&broken) => return Err(named(&broken, &inner.name)),
                Err(broken) => aside.push(told(inner.name, &broken)),
            }
        }
        let archive = FileRow { content: None, set_aside: aside, ..file.clone() };
        files.push(archive);
    }
    if all.is_empty() {
        return Err(nothing(&files));
    }
    Ok(Found::Split { pages: all, files })
}

/// What is not the fault of one file.
fn is_of_all(broken: &Broken) -> bool {
    matches!(broken, Broken::Io(_) | Broken::TooManyPages { .. })
}

fn told(name: String, broken: &Broken) -> Aside {
    Aside { name, code: broken.code().to_owned(), es: broken.sentence_es(), en: broken.to_string() }
}

/// All that was sent was set aside: the first of it says why.
fn nothing(files: &[FileRow]) -> Trouble {
    match files.iter().flat_map(|file| &file.set_aside).next() {
        Some(Aside { name, code, es, en }) => {
            let both = Sentence::new(format!("{name}: {es}"), format!("{name}: {en}"));
            Trouble { code: code.clone(), detail: both.kept(), lasting: true }
        }
        None => trouble(&Broken::NoPages),
    }
}

fn take(mut file: FileRow, pages: u32, files: &mut Vec<FileRow>, all: &mut Vec<PageInFile>) {
    all.extend((0..pages).map(|page| PageInFile { file: file.n, page }));
    // Where the door counted them too there is nothing new to write.
    if file.pages.replace(pages) != Some(pages) {
        // It is in the database already.
        file.content = None;
        files.push(file);
    }
}

fn open(runtime: &Runtime, file: &FileRow, limits: &Limits, before: usize) -> Result<u32, Broken> {
    let document = runtime.document(file, limits)?;
    let pages = document.page_count();
    if before + pages > limits.pages {
        return Err(Broken::TooManyPages { found: before + pages, limit: limits.pages });
    }
    Ok(pages as u32)
}

/// Files of an archive are stored like those that were sent. Unpacked again after a crash, they
/// land in the same places.
fn unpack(
    runtime: &Runtime,
    job: &Job,
    archive: &FileRow,
    next: &mut u32,
    limits: &Limits,
) -> Result<(Vec<FileRow>, Vec<Aside>), Broken> {
    let reader = runtime.storage.reader(archive)?;
    let mut files = Vec::new();
    let Unpacked { aside, .. } = paper::unpack(reader, limits, &mut |name, kind, content| {
        let n = *next;
        let place = Storage::place(&job.claim.request, n);
        let stored = runtime.storage.write(&place, content)?;
        files.push(FileRow {
            n,
            name: name.to_string(),
            kind: kind_word(kind).to_owned(),
            bytes: stored.bytes,
            sha256: stored.sha256,
            place,
            content: None,
            packed_in: Some(archive.n),
            password: archive.password.clone(),
            pages: None,
            set_aside: Vec::new(),
        });
        *next += 1;
        Ok(())
    })?;
    let aside = aside.into_iter().map(|(name, broken)| told(name.to_string(), &broken));
    Ok((files, aside.collect()))
}

fn named(broken: &Broken, name: &str) -> Trouble {
    let mut trouble = trouble(broken);
    if trouble.is_outage() {
        return trouble;
    }
    let Sentence { es, en } = Sentence::told(&trouble.detail);
    trouble.detail = Sentence::new(format!("{name}: {es}"), format!("{name}: {en}")).kept();
    trouble
}

/// A file that cannot be read today cannot be read tomorrow; a disk that does not answer may, and
/// while the storage is away nothing is held against the file.
pub(super) fn trouble(broken: &Broken) -> Trouble {
    if let Broken::Io(error) = broken
        && let Some(Fault::Away(why) | Fault::Full(why)) = Fault::within(error)
    {
        return Trouble { code: STORAGE_AWAY.to_owned(), detail: why.clone(), lasting: false };
    }
    let lasting = !matches!(broken, Broken::Io(_));
    let detail = Sentence::new(broken.sentence_es(), broken.to_string()).kept();
    Trouble { code: broken.code().to_owned(), detail, lasting }
}
