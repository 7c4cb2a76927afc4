//! Archives, one file at a time.

use std::cmp::Ordering;
use std::fmt;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::{Broken, Kind, Limits, guard, sniff};

/// Below this size no expansion is suspicious: an empty form compresses a thousand times.
const HARMLESS: u64 = 1 << 20;
/// What is read of a file to tell its kind.
const HEAD: u64 = 4096;
/// Directories and files of the packing computer may outnumber the documents by this much.
const JUNK: usize = 10;
const NAME_CHARACTERS: usize = 200;

/// The name of an archived file for people to read: `inner.zip/page 1.pdf`. It has no `..`, no
/// leading slash and no control characters, and is still never to be used as a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryName(String);

impl EntryName {
    fn new(within: Option<&Self>, raw: &str) -> Self {
        let outer = within.map(|name| name.0.as_str());
        let parts = raw.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
        let name = outer.into_iter().chain(parts).collect::<Vec<_>>().join("/");
        Self(name.chars().filter(|c| !c.is_control()).take(NAME_CHARACTERS).collect())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EntryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Receives the files of an archive. What it does not read is skipped.
pub(crate) type Sink<'a> = dyn FnMut(EntryName, Kind, &mut dyn Read) -> io::Result<()> + 'a;

/// Hands the files of a ZIP to `sink` in the natural order of their names (`2.pdf` before
/// `10.pdf`) and says how many they were. Files stream through; only an archive inside the archive
/// is held in memory while its own files are handed on.
pub fn unpack(
    archive: impl Read + Seek,
    limits: &Limits,
    sink: &mut Sink<'_>,
) -> Result<usize, Broken> {
    let mut spent = Spent::default();
    guard::here("ZIP", || unpack_into(archive, None, limits, &mut spent, sink))?;
    if spent.files == 0 { Err(Broken::Empty) } else { Ok(spent.files) }
}

/// What an archive has cost so far, the inner ones included.
#[derive(Default)]
struct Spent {
    files: usize,
    bytes: u64,
}

fn unpack_into<R: Read + Seek>(
    mut archive: R,
    within: Option<&EntryName>,
    limits: &Limits,
    spent: &mut Spent,
    sink: &mut Sink<'_>,
) -> Result<(), Broken> {
    refuse_crowds(&mut archive, limits)?;
    let mut zip = ZipArchive::new(archive).map_err(refusal)?;
    for (raw, index) in documents(&zip)? {
        spent.files += 1;
        if spent.files > limits.zip_entries {
            return Err(Broken::TooManyFiles { limit: limits.zip_entries });
        }
        let name = EntryName::new(within, &raw);
        let entry = zip.by_index(index).map_err(refusal)?;
        let packed = entry.compressed_size();
        let mut metered = Metered { inner: entry, read: 0, packed, limits, spent, broken: None };
        let handed = hand_over(&mut metered, &name, within.is_none(), sink);
        // The limit that stopped the reading is the reason, not the reading error it caused.
        let inner = metered.broken.take().map_or(handed, Err)?;
        if let Some(inner) = inner {
            // The archive itself was no document.
            spent.files -= 1;
            unpack_into(Cursor::new(inner), Some(&name), limits, spent, sink)?;
        }
    }
    Ok(())
}

/// Gives one file to the sink, or returns the bytes of an inner archive.
fn hand_over(
    mut file: &mut dyn Read,
    name: &EntryName,
    outermost: bool,
    sink: &mut Sink<'_>,
) -> Result<Option<Vec<u8>>, Broken> {
    let mut head = Vec::new();
    (&mut file).take(HEAD).read_to_end(&mut head).map_err(unreadable)?;
    let unknown = || Broken::UnknownKind { name: name.to_string() };
    let kind = sniff(&head).ok_or_else(unknown)?;
    let mut whole = Cursor::new(head).chain(file);
    match kind {
        Kind::Zip if outermost => {
            let mut inner = Vec::new();
            whole.read_to_end(&mut inner).map_err(unreadable)?;
            Ok(Some(inner))
        }
        Kind::Zip => Err(Broken::NestedTooDeep),
        Kind::Pdf | Kind::Tiff | Kind::Jpeg | Kind::Png | Kind::Text => {
            sink(name.clone(), kind, &mut whole)?;
            Ok(None)
        }
    }
}

/// The names and indices of what is not a directory or junk, in natural order.
fn documents<R: Read + Seek>(zip: &ZipArchive<R>) -> Result<Vec<(String, usize)>, Broken> {
    let mut names = Vec::new();
    for index in 0..zip.len() {
        let raw = zip.name_for_index(index).transpose().map_err(refusal)?.unwrap_or_default();
        if !raw.ends_with('/') && !is_junk(&raw) {
            names.push((raw.into_owned(), index));
        }
    }
    names.sort_by(|(a, _), (b, _)| natural(a, b));
    Ok(names)
}

/// What file managers leave behind.
fn is_junk(name: &str) -> bool {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    name.split('/').any(|part| part == "__MACOSX")
        || file.starts_with("._")
        || matches!(file, ".DS_Store" | "Thumbs.db" | "desktop.ini")
}

/// Digits compare as numbers, letters without case.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (number, other) = (digits(left), digits(right));
        if number > 0 && other > 0 {
            let (x, y) =
                (left[..number].trim_start_matches('0'), right[..other].trim_start_matches('0'));
            match x.len().cmp(&y.len()).then_with(|| x.cmp(y)) {
                Ordering::Equal => (left, right) = (&left[number..], &right[other..]),
                unequal => return unequal,
            }
            continue;
        }
        let (mut rest, mut other) = (left.chars(), right.chars());
        match (rest.next(), other.next()) {
            (None, None) => return a.cmp(b),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) => match x.to_lowercase().cmp(y.to_lowercase()) {
                Ordering::Equal => (left, right) = (rest.as_str(), other.as_str()),
                unequal => return unequal,
            },
        }
    }
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Reads the count at the end of the archive, before the directory is loaded into memory.
fn refuse_crowds(archive: &mut (impl Read + Seek), limits: &Limits) -> Result<(), Broken> {
    const RECORD: usize = 22;
    let end = archive.seek(SeekFrom::End(0))?;
    if end == 0 {
        return Err(Broken::Empty);
    }
    let tail = end.min(u64::from(u16::MAX) + RECORD as u64);
    archive.seek(SeekFrom::Start(end - tail))?;
    let mut last = Vec::new();
    archive.by_ref().take(tail).read_to_end(&mut last)?;
    archive.seek(SeekFrom::Start(0))?;
    let crowd = |record: &[u8]| {
        record.starts_with(b"PK\x05\x06")
            && usize::from(u16::from_le_bytes([record[10], record[11]])) > limits.zip_entries * JUNK
    };
    if last.windows(RECORD).any(crowd) {
        return Err(Broken::TooManyFiles { limit: limits.zip_entries });
    }
    Ok(())
}

/// Counts what comes out of a file and stops it at the limits.
struct Metered<'a, R> {
    inner: R,
    read: u64,
    packed: u64,
    limits: &'a Limits,
    spent: &'a mut Spent,
    broken: Option<Broken>,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.read += count as u64;
        self.spent.bytes += count as u64;
        let limits = self.limits;
        let expanded = self.packed.max(1).saturating_mul(limits.zip_ratio);
        let broken = if self.read > limits.file_bytes {
            let limit = limits.file_bytes;
            Some(Broken::TooLarge { what: "file", found: self.read, limit })
        } else if self.spent.bytes > limits.zip_total {
            Some(Broken::Bomb { what: "archive", limit: limits.zip_total })
        } else if self.read > HARMLESS && self.read > expanded {
            Some(Broken::Bomb { what: "archive", limit: expanded })
        } else {
            None
        };
        match broken {
            None => Ok(count),
            Some(broken) => {
                self.broken = Some(broken);
                Err(io::Error::other("limit of the archive"))
            }
        }
    }
}

fn refusal(error: ZipError) -> Broken {
    match error {
        ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => Broken::Io(error),
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => Broken::Encrypted,
        _ => Broken::Unreadable { what: "ZIP" },
    }
}

/// A failure while expanding is the archive's fault.
fn unreadable(_: io::Error) -> Broken {
    Broken::Unreadable { what: "ZIP" }
}

#[cfg(test)]
mod tests {
    use super::{EntryName, natural};

    #[test]
    fn numbers_sort_as_numbers() {
        let mut names = vec!["page 10.pdf", "Page 2.pdf", "page 1.pdf", "page 02b.pdf"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["page 1.pdf", "Page 2.pdf", "page 02b.pdf", "page 10.pdf"]);
    }

    #[test]
    fn names_cannot_climb() {
        let inner = EntryName::new(None, "../../a.zip");
        assert_eq!(
            EntryName::new(Some(&inner), "/..\\etc/\u{7}passwd").as_str(),
            "a.zip/etc/passwd"
        );
    }
}
