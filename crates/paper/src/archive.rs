//! Reads archives and e-mails, one file at a time.

use std::cmp::Ordering;
use std::fmt;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::{Broken, Kind, Limits, guard, mail, recognise, sniff};

/// Below this size no expansion is suspicious: an empty form compresses a thousand times.
const HARMLESS: u64 = 1 << 20;
/// What is read of a file to tell its kind.
const HEAD: u64 = 4096;
/// Directories and files of the packing computer may outnumber the documents by this much.
const JUNK: usize = 10;
/// The longest archive inside an archive, and the longest e-mail: they are held in memory.
const INNER: u64 = 64 << 20;
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

/// What came out of an archive.
#[derive(Debug)]
pub struct Unpacked {
    /// Files that were handed over.
    pub files: usize,
    /// Files that were not, and why.
    pub aside: Vec<(EntryName, Broken)>,
}

/// Hands the files of a ZIP or of an e-mail to `sink`, in the natural order of their names (`2.pdf`
/// before `10.pdf`) or as they are attached. Files of a ZIP stream through; only an archive inside
/// the archive is held in memory while its own files are handed on. A file that is none of ours, or
/// broken, is set aside and the others go on; when that leaves nothing, the first of them is why.
pub fn unpack(
    archive: impl Read + Seek,
    limits: &Limits,
    sink: &mut Sink<'_>,
) -> Result<Unpacked, Broken> {
    let spent = Spent::default();
    let mut unpacking = Unpacking { limits, sink, spent, files: 0, aside: Vec::new() };
    guard::here("ZIP", || unpacking.container(archive, None))?;
    let Unpacking { files, aside, .. } = unpacking;
    match files {
        0 => Err(aside.into_iter().next().map_or(Broken::Empty, |(_, broken)| broken)),
        files => Ok(Unpacked { files, aside }),
    }
}

/// Looks at the table of a ZIP without unpacking it: what is refused as a whole is refused here.
pub fn inspect(archive: impl Read + Seek, limits: &Limits) -> Result<(), Broken> {
    guard::here("ZIP", || opened(archive, limits).map(drop))
}

/// What an archive has cost so far, the inner ones included.
#[derive(Default)]
struct Spent {
    files: usize,
    bytes: u64,
}

struct Unpacking<'a, 's> {
    limits: &'a Limits,
    sink: &'a mut Sink<'s>,
    spent: Spent,
    files: usize,
    aside: Vec<(EntryName, Broken)>,
}

impl Unpacking<'_, '_> {
    fn container<R: Read + Seek>(
        &mut self,
        mut archive: R,
        within: Option<&EntryName>,
    ) -> Result<(), Broken> {
        let mut head = Vec::new();
        archive.by_ref().take(HEAD).read_to_end(&mut head)?;
        archive.seek(SeekFrom::Start(0))?;
        match sniff(&head) {
            Some(Kind::Mail) => self.mail(&mut archive, within),
            _ => self.zip(archive, within),
        }
    }

    fn zip<R: Read + Seek>(
        &mut self,
        archive: R,
        within: Option<&EntryName>,
    ) -> Result<(), Broken> {
        let mut zip = opened(archive, self.limits)?;
        for (raw, index) in documents(&zip)? {
            self.count()?;
            let name = EntryName::new(within, &raw);
            let handed = match zip.by_index(index) {
                Ok(entry) => {
                    let packed = entry.compressed_size();
                    self.entry(entry, packed, &name, within.is_none())
                }
                Err(error) => Err(refusal(error)),
            };
            self.settle(name, handed)?;
        }
        Ok(())
    }

    fn mail(&mut self, archive: &mut dyn Read, within: Option<&EntryName>) -> Result<(), Broken> {
        let bytes = held(archive)?;
        for part in mail::parts(&bytes)? {
            self.count()?;
            let name = EntryName::new(within, &part.name.replace(['/', '\\'], "-"));
            let packed = part.bytes.len() as u64;
            let handed = if part.ornament {
                Err(Broken::Ornament)
            } else {
                self.entry(Cursor::new(part.bytes), packed, &name, within.is_none())
            };
            self.settle(name, handed)?;
        }
        Ok(())
    }

    fn count(&mut self) -> Result<(), Broken> {
        self.spent.files += 1;
        if self.spent.files > self.limits.zip_entries {
            return Err(Broken::TooManyFiles { limit: self.limits.zip_entries });
        }
        Ok(())
    }

    /// Hands one file over, or the files of an inner archive.
    fn entry(
        &mut self,
        file: impl Read,
        packed: u64,
        name: &EntryName,
        outermost: bool,
    ) -> Result<(), Broken> {
        let (limits, spent) = (self.limits, &mut self.spent);
        let mut metered = Metered { inner: file, read: 0, packed, limits, spent, broken: None };
        let handed = hand_over(&mut metered, name, outermost, self.sink);
        // The limit that stopped the reading is the reason, not the reading error it caused.
        match metered.broken.take().map_or(handed, Err)? {
            None => {
                self.files += 1;
                Ok(())
            }
            Some(inner) => {
                // The archive itself was no document.
                self.spent.files -= 1;
                self.container(Cursor::new(inner), Some(name))
            }
        }
    }

    /// What is wrong with one file is its own; what is wrong with all of them ends the whole.
    fn settle(&mut self, name: EntryName, handed: Result<(), Broken>) -> Result<(), Broken> {
        let Err(broken) = handed else { return Ok(()) };
        let of_all = matches!(broken, Broken::Io(_) | Broken::TooManyFiles { .. })
            || self.spent.bytes > self.limits.zip_total;
        if of_all {
            return Err(broken);
        }
        self.aside.push((name, broken));
        Ok(())
    }
}

/// A ZIP whose table makes sense: not too long, no file over another, no office document.
fn opened<R: Read + Seek>(mut archive: R, limits: &Limits) -> Result<ZipArchive<R>, Broken> {
    refuse_crowds(&mut archive, limits)?;
    let mut zip = ZipArchive::new(archive).map_err(refusal)?;
    if zip.has_overlapping_entries().map_err(refusal)? {
        return Err(Broken::Overlapping);
    }
    let office = |name: &str| zip.index_for_name(name).is_some();
    if ["[Content_Types].xml", "mimetype"].into_iter().any(office) {
        return Err(Broken::Office);
    }
    Ok(zip)
}

/// The whole of an inner archive.
fn held(archive: &mut dyn Read) -> Result<Vec<u8>, Broken> {
    let mut bytes = Vec::new();
    archive.take(INNER + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    let found = bytes.len() as u64;
    if found > INNER {
        return Err(Broken::TooLarge { what: "archive", found, limit: INNER });
    }
    Ok(bytes)
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
    let kind = recognise(name.as_str(), &head).ok_or_else(unknown)?;
    let mut whole = Cursor::new(head).chain(file);
    match kind {
        Kind::Zip | Kind::Mail if outermost => held(&mut whole).map(Some),
        Kind::Zip | Kind::Mail => Err(Broken::NestedTooDeep),
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
        let count = self.inner.read(buffer).inspect_err(|_| {
            self.broken = Some(Broken::Unreadable { what: "ZIP" });
        })?;
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
